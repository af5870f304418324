"""The `zerohero` command. The instructor's package adds its own commands through the entry point zerohero.commands."""

import errno
import sys
from importlib import metadata

import typer

from .errors import ZeroheroError

app = typer.Typer(no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False, help="Neural networks from scratch, one checked step at a time.")


@app.command()
def doctor() -> None:
    """Can this computer run the course? Versions, memory, kernel, and what to do if not."""
    from .doctor import doctor as run

    raise typer.Exit(0 if run() else 1)


@app.command()
def progress(folder: str = typer.Argument(".", help="the folder that holds your notebooks")) -> None:
    """How far you are, read from your notebooks."""
    from .progress import progress as run

    run(folder)


@app.callback(invoke_without_command=True)
def _root(version: bool = typer.Option(False, "--version", help="print the version and stop")) -> None:
    if version:
        from . import __version__

        print(f"zerohero {__version__}")
        raise typer.Exit


def main() -> None:
    """Entry point. A ZeroheroError ends as one line on stderr and exit code 2; so does a full disk."""
    for entry in metadata.entry_points(group="zerohero.commands"):
        theirs = entry.load()
        app.registered_commands += theirs.registered_commands
        app.registered_groups += theirs.registered_groups
    try:
        app()
    except ZeroheroError as error:
        print(f"zerohero: {error}", file=sys.stderr)
        sys.exit(2)
    except OSError as error:
        print(f"zerohero: {_says(error)}", file=sys.stderr)
        sys.exit(2)


def _says(error: OSError) -> str:
    """An OSError as one line. shutil's holds a list of what it could not copy, and no errno."""
    if error.errno == errno.ENOSPC or "No space left" in str(error):
        return f"the disk is full{f' ({error.filename})' if error.filename else ''}: free some space and run the same command again"
    return f"{error.strerror}: {error.filename}" if error.strerror else str(error)[:300]

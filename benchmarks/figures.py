"""The acceptance figures of every module, measured now with the lessons' reference answers, beside the bands they must lie in.

python benchmarks/figures.py           all modules (`make figures`)
python benchmarks/figures.py m02 m04   these

course/mNN_name/figures.py holds a generator figures() of rows (what, value, low, high). Exits with 1 when a value lies outside
its band (a nan lies outside every band), when a figures() raises or yields nothing, and when a module has none.
"""

import argparse
import importlib.util
import sys
from pathlib import Path

from reference import ROOT
from rich.console import Console
from rich.markup import escape
from rich.table import Table


def figures_of(file: Path):
    """The rows of one module, as they are measured."""
    spec = importlib.util.spec_from_file_location(f"figures_of_{file.parent.name}", file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    for what, value, low, high in module.figures():
        yield what, float(value), float(low), float(high)


def band(low: float, high: float) -> str:
    return f"{low:.7g}" if low == high else f"{low:.7g} .. {high:.7g}"


def measure(folder: Path, table: Table) -> list[str]:
    """Add a module's rows to the table; what is wrong, in words, one for each figure outside and one if the module broke."""
    wrong, rows = [], table.row_count
    try:
        for what, value, low, high in figures_of(folder / "figures.py"):
            inside = low <= value <= high
            table.add_row(folder.name, escape(what), f"{value:.7g}", band(low, high), "inside" if inside else "OUTSIDE")
            if not inside:
                wrong.append(f"OUTSIDE  {folder.name}: {what}: {value:.7g} is not in {band(low, high)}")
        broken = "figures() yields no row" if table.row_count == rows else ""
    except Exception as problem:  # a module that breaks must not hide the figures of the others
        broken = f"{type(problem).__name__}: {problem}" if (folder / "figures.py").exists() else "there is no figures.py"
    if broken:
        table.add_row(folder.name, escape(broken), "", "", "BROKEN")
        wrong.append(f"BROKEN   {folder.name}: {broken}")
    return wrong


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("modules", nargs="*", help="beginnings of module names, such as m02 (default: all)")
    parser.add_argument("--course", type=Path, default=ROOT / "course", help="folder with the modules")
    options = parser.parse_args()
    folders = [f for f in sorted(options.course.glob("m[0-9][0-9]_*")) if f.is_dir() and (not options.modules or f.name.startswith(tuple(options.modules)))]
    if not folders:
        sys.exit(f"no module {' '.join(options.modules)} in {options.course}")
    console = Console(width=None if sys.stdout.isatty() else 150)
    table = Table("module", "figure", "measured", "band", "")
    wrong = []
    with console.status("") as status:
        for folder in folders:
            status.update(f"measuring {folder.name}")
            wrong += measure(folder, table)
    console.print(table)
    console.print("\n".join(wrong) or f"all {table.row_count} figures inside their bands", markup=False, highlight=False, soft_wrap=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

"""zerohero doctor: can this computer run the course, and if not, what to do."""

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from importlib import metadata

NEEDED = {"numpy": "2.0", "matplotlib": "3.9", "ipykernel": "6.29"}
OPTIONAL = {"jupyterlab": ("4.4", "to read the lessons"), "torch": ("2.5", "for the two torch exercises of m02")}
MEMORY = 2 * 2**30  # bytes; a lesson with torch imported stays below
KERNEL_SECONDS = 60


@dataclass(frozen=True)
class Finding:
    """One line of the doctor's answer."""

    name: str
    ok: bool
    saw: str
    todo: str = ""
    required: bool = True


def examine() -> list[Finding]:
    """All findings, in the order they are shown. Starts a Jupyter kernel and stops it again."""
    found = [_python()]
    found += [_package(name, least, "", True) for name, least in NEEDED.items()]
    found += [_package(name, least, why, False) for name, (least, why) in OPTIONAL.items()]
    found += [_extension(), _memory(), _kernel()]
    for entry in metadata.entry_points(group="zerohero.doctor"):  # the instructor's package adds its own
        found.append(entry.load()())
    return found


def doctor() -> bool:
    """Print the findings; return whether the course can run here."""
    found = examine()
    for one in found:
        mark = "ok     " if one.ok else "MISSING" if one.required else "without"
        print(f"{mark}  {one.name:<12} {one.saw}" + (f"\n         -> {one.todo}" if not one.ok else ""))
    ready = all(one.ok for one in found if one.required)
    print("This computer is ready for the course." if ready else "Not ready yet: do what the arrows say, then run this again.")
    return ready


def _python(version: tuple[int, ...] = sys.version_info[:3]) -> Finding:
    saw = ".".join(map(str, version))
    return Finding("python", version >= (3, 11), saw, "install Python 3.11 or newer and make the environment again with it")


def _package(name, least, why, required, installed: Callable[[str], str] = metadata.version) -> Finding:
    try:
        saw = installed(name)
    except metadata.PackageNotFoundError:
        return Finding(name, False, "not installed", f"pip install '{name}>={least}'" + (f" ({why})" if why else ""), required)
    return Finding(name, _numbers(saw) >= _numbers(least), saw, f"pip install -U '{name}>={least}'", required)


def _extension(folders: list[str] | None = None) -> Finding:
    from jupyter_core.paths import jupyter_path

    there = any(os.path.isfile(os.path.join(folder, "zerohero", "package.json")) for folder in folders or jupyter_path("labextensions"))
    saw = "the course map, and views that step" if there else "not installed: views are still pictures"
    return Finding("extension", there, saw, "in a clone: make build; else: pip install --force-reinstall zerohero", required=False)


def _numbers(version):
    return tuple(int(part) for part in version.split("+")[0].split(".")[:2] if part.isdigit())


def _memory() -> Finding:
    try:
        size = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (ValueError, OSError, AttributeError):
        return Finding("memory", True, "could not be read here")
    return Finding("memory", size >= MEMORY * 0.9, f"{size / 2**30:.1f} GiB", "the lessons need 2 GiB: close other programs or use a larger machine")


def _kernel() -> Finding:
    todo = "python -m ipykernel install --sys-prefix"
    try:
        from jupyter_client.manager import start_new_kernel

        manager, client = start_new_kernel(startup_timeout=KERNEL_SECONDS, kernel_name="python3", stderr=subprocess.DEVNULL)
    except Exception as error:  # every way in which a kernel can fail to start is this finding
        return Finding("kernel", False, f"did not start: {type(error).__name__}: {error}"[:200], todo)
    try:
        reply = client.execute_interactive("import sys, zerohero", store_history=False, timeout=KERNEL_SECONDS, output_hook=lambda message: None)
        ok = reply["content"]["status"] == "ok"
        return Finding("kernel", ok, "starts and finds zerohero" if ok else "starts, but does not find zerohero", f"{todo} (with the Python that has zerohero)")
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)

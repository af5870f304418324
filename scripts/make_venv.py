"""Make the virtual environment, or say in one line why it cannot be made. Runs on any Python, even a very old one."""

import subprocess
import sys

LEAST = (3, 11)


def main(folder):
    if sys.version_info < LEAST:
        found = ".".join(map(str, sys.version_info[:3]))
        sys.exit("zerohero needs Python 3.11 or newer, and `python3` here is {}.\nInstall a newer one, then name it: make lab PYTHON=python3.12".format(found))
    try:
        import ensurepip  # noqa: F401 - Debian ships Python without it
        import venv  # noqa: F401
    except ImportError:
        sys.exit("This Python has no venv. On Debian or Ubuntu: apt install python3-venv. Then run make again.")
    sys.exit(subprocess.call([sys.executable, "-m", "venv", folder]))


main(sys.argv[1])

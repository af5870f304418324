"""What tests in JupyterLab share; the server is tests/lab_server.py."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def installed(tmp_path_factory):
    """Where pip has installed the wheel of this checkout; without a built lab extension a test is skipped, or fails with CI=true."""
    if not (ROOT / "labext" / "dist" / "labextension" / "package.json").is_file():
        reason = "the lab extension is not built: make build"
        if os.environ.get("CI") == "true":
            pytest.fail(reason, pytrace=False)
        pytest.skip(reason)
    dist, prefix = tmp_path_factory.mktemp("dist"), tmp_path_factory.mktemp("installed")
    run("build", "--no-isolation", "--wheel", "--outdir", str(dist), str(ROOT))
    (wheel,) = dist.glob("*.whl")
    run("pip", "--disable-pip-version-check", "install", "-q", "--no-deps", "--no-index", "--ignore-installed", "--prefix", str(prefix), str(wheel))
    return prefix


def run(*command):
    made = subprocess.run([sys.executable, "-m", *command], capture_output=True, text=True)
    assert made.returncode == 0, made.stdout + made.stderr

"""What tests in JupyterLab share; the server is tests/lab_server.py."""

import os

import pytest
from lab_server import BUILT


@pytest.fixture(scope="session")
def extension():
    """The built lab extension; without it a test is skipped, or fails with CI=true."""
    if not (BUILT / "package.json").is_file():
        reason = "the lab extension is not built: make build"
        if os.environ.get("CI") == "true":
            pytest.fail(reason, pytrace=False)
        pytest.skip(reason)
    return BUILT

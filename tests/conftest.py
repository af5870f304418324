import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))  # importlib mode adds no path; the toy exercise is shared by several tests
import toy as toy_module


@pytest.fixture
def toy(monkeypatch):
    """Two toy exercises under the prefix m99."""
    toy_module.register(monkeypatch)
    return toy_module

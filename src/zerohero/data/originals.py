"""The very files of the lectures. They are not ours to ship, so they are downloaded on request, once, by pooch."""

import hashlib
import os
from dataclasses import dataclass
from pathlib import Path

from zerohero.errors import DataMissing


@dataclass(frozen=True)
class Original:
    """A file on the web, named by the commit it stands in and by its content."""

    file: str
    url: str
    sha256: str
    instead: str  # the shipped data set that does nearly the same


NAMES_TXT = Original(
    "names.txt",
    "https://raw.githubusercontent.com/karpathy/makemore/988aa59e4d8fefa526d06f3b453ad116258398d4/names.txt",
    "0a30b5557f192f32ab962680889aac5f6fda0f4cecf40a6d0b5694f58ea8cc4d",
    "names",
)
TINYSHAKESPEARE = Original(
    "tinyshakespeare.txt",
    "https://raw.githubusercontent.com/karpathy/char-rnn/6f9487a6fe5b420b7ca9afb0d7c078e37c1d1b4e/data/tinyshakespeare/input.txt",
    "86c4e6aa9db7c042ec79f339dcb96d42b0075e16b8fc2e86bf0ca57e2dc565ed",
    "shakespeare",
)


def names_txt() -> list[str]:
    """The 32,033 names of the makemore lecture, in their order; 29,494 different ones.

    Raises DataMissing without a network or without pooch, and when what was downloaded is another file.
    """
    return _fetch(NAMES_TXT).decode("ascii").split("\n")


def tinyshakespeare() -> str:
    """The text of the GPT lecture: 1,115,394 characters, 65 different ones.

    Raises DataMissing without a network or without pooch, and when what was downloaded is another file.
    """
    return _fetch(TINYSHAKESPEARE).decode("ascii")


def folder() -> Path:
    """Where downloaded files are kept, and where a file put by hand is found. ZEROHERO_DATA names another place."""
    return Path(os.environ.get("ZEROHERO_DATA") or Path.home() / ".cache" / "zerohero")


def _fetch(original: Original) -> bytes:
    kept = folder() / original.file
    # A right file needs neither pooch nor a network, whoever put it there.
    if kept.is_file():
        content = kept.read_bytes()
        if hashlib.sha256(content).hexdigest() == original.sha256:
            return content
    try:
        import pooch
    except ImportError:
        raise _missing(original, "the package pooch is not installed (`pip install pooch`)") from None
    try:
        pooch.retrieve(original.url, known_hash=f"sha256:{original.sha256}", fname=original.file, path=kept.parent)
    except ValueError:  # pooch's word for a hash that does not match; it has deleted what came
        raise _missing(original, "what was downloaded is not the file of the lecture (its sha256 differs)") from None
    except OSError as problem:  # requests' exceptions are OSErrors too
        raise _missing(original, f"the download failed ({type(problem).__name__})") from None
    return kept.read_bytes()


def _missing(original: Original, why: str) -> DataMissing:
    return DataMissing(
        f"no {original.file}: {why}; data.{original.instead}() is here without a download and does nearly the same, "
        f"or put {original.url} at {folder() / original.file} by hand."
    )

"""The data of the course: what is in it, where it may not differ from the lessons, and what is said when it cannot be had."""

import ast
import collections
import gzip
import hashlib
import http.server
import re
import subprocess
import sys
import threading
from dataclasses import replace
from math import log
from pathlib import Path

import numpy as np
import pytest

from zerohero import data
from zerohero.data import originals
from zerohero.errors import DataMissing, ZeroheroError

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "src" / "zerohero" / "data"

# the shipped files


@pytest.mark.parametrize(
    ("file", "sha256", "most"),
    [
        ("names.txt.gz", "5851dcafc9717998f0d0a70d4ab7d9f53b6ef29fd783e13d02feb0acd0aef237", 100_000),
        ("shakespeare.txt.gz", "c3586e9a1b6e0aff33eb0b015d2a9b4b0888c3fa2a33aa4dd4570f2b1b6359e0", 450_000),
        ("digits.npy.gz", "c45cf27f9e6d1507aa17aa9949fab3d046c8ffa373a108f49991e27f232ad83b", 70_000),
    ],
)
def test_a_shipped_file_has_its_content_its_size_and_no_time_of_day(file, sha256, most):
    packed = (FOLDER / file).read_bytes()
    assert hashlib.sha256(gzip.decompress(packed)).hexdigest() == sha256
    assert len(packed) < most
    assert packed[4:8] == bytes(4)  # gzip's field for the time
    assert sha256 in (FOLDER / "PROVENANCE.md").read_text(encoding="utf-8")


def test_names_are_distinct_sorted_and_lowercase():
    names = data.names()
    assert len(names) == 29_910 == len(set(names)) and names == sorted(names)
    assert all(re.fullmatch("[a-z]{2,15}", name) for name in names)
    assert {len(name) for name in names} == set(range(2, 16))
    assert {"emma", "olivia", "liam", "noah"} <= set(names)  # the first two of girls and of boys that year


@pytest.mark.parametrize(("added", "nll"), [(0, 2.4541), (1, 2.4547)])
def test_bigrams_of_the_names_cost_what_the_lesson_says(added, nll):
    """Sums over pairs in plain Python, where the lesson has a table of counts in NumPy."""
    pairs, firsts = collections.Counter(), collections.Counter()
    for name in data.names():
        for first, second in zip("." + name, name + ".", strict=True):
            pairs[first, second] += 1
            firsts[first] += 1
    cost = sum(-count * log((count + added) / (firsts[first] + 27 * added)) for (first, _), count in pairs.items())
    assert cost / sum(pairs.values()) == pytest.approx(nll, abs=1e-4)


def test_shakespeare_is_speakers_and_lines_in_ascii():
    text = data.shakespeare()
    assert len(text) == 987_370 and len(set(text)) == 63
    assert set(text) - set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") == set("\n !&',-.:;?")
    assert text.startswith("BERNARDO:\nWho's there?\n\nFRANCISCO:\nNay, answer me") and text.endswith("Let your indulgence set me free.\n")
    speeches = text.rstrip("\n").split("\n\n")
    assert all(re.fullmatch(r"[A-Z][A-Za-z &]+:(\n\S.*)+", speech) for speech in speeches)
    assert collections.Counter(s.split(":")[0] for s in speeches).most_common(3) == [("HAMLET", 359), ("OTHELLO", 274), ("IAGO", 272)]


def test_all_eight_plays_are_in_shakespeare_in_order():
    lines = [
        "To be, or not to be: that is the question:",
        "Blow, winds, and crack your cheeks! rage! blow!",
        "Tomorrow, and tomorrow, and tomorrow,",
        "It is the cause, it is the cause, my soul,--",
        "O Romeo, Romeo! wherefore art thou Romeo?",
        "Friends, Romans, countrymen, lend me your ears;",
        "Lord, what fools these mortals be!",
        "Full fathom five thy father lies;",
    ]
    text = data.shakespeare().replace("To-morrow, and to-morrow, and to-morrow,", "Tomorrow, and tomorrow, and tomorrow,")
    places = [text.index(f"\n{line}\n") for line in lines]
    assert places == sorted(places)


def test_digits_are_those_of_the_repository():
    images, labels = data.digits()
    assert (images.shape, images.dtype, labels.shape, labels.dtype) == ((1797, 64), np.float64, (1797,), np.int64)
    assert (images.min(), images.max()) == (0.0, 16.0) and np.array_equal(images, np.round(images))
    # the counts that the UCI repository states for its test set
    assert np.bincount(labels).tolist() == [178, 182, 177, 183, 181, 182, 181, 179, 174, 180]
    # the first image as scikit-learn's documentation prints it
    assert images[0].reshape(8, 8)[:2].tolist() == [[0, 0, 5, 13, 9, 1, 0, 0], [0, 0, 13, 15, 10, 15, 5, 0]]
    assert labels[:10].tolist() == list(range(10))


def test_moons_are_the_points_of_the_lesson():
    lesson = (ROOT / "course" / "m02_micrograd" / "m02_micrograd.py").read_text(encoding="utf-8")
    (function,) = [node for node in ast.parse(lesson).body if isinstance(node, ast.FunctionDef) and node.name == "make_moons"]
    theirs = {"np": np}
    exec(ast.unparse(function), theirs)
    for n, noise, seed in [(100, 0.1, 1), (1, 0.0, 7), (13, 0.3, 5)]:
        for ours, expected in zip(data.moons(n, noise, seed), theirs["make_moons"](n, noise, seed), strict=True):
            assert ours.dtype == np.float64 and np.array_equal(ours, expected)
    X, y = data.moons()
    assert X.shape == (100, 2) and y.tolist() == [1.0, -1.0] * 50


def test_moons_without_noise_lie_on_two_half_circles():
    X, y = data.moons(200, noise=0.0, seed=3)
    upper, lower = X[y == 1], X[y == -1]
    assert np.allclose(np.hypot(upper[:, 0], upper[:, 1]), 1) and (upper[:, 1] >= 0).all()
    assert np.allclose(np.hypot(lower[:, 0] - 1, lower[:, 1] - 0.5), 1) and (lower[:, 1] <= 0.5).all()


def test_what_a_student_changes_is_theirs_alone():
    data.names().clear()
    images, labels = data.digits()
    images[:] = labels[:] = 0
    X, y = data.moons()
    X[:] = y[:] = 0
    assert len(data.names()) == 29_910 and data.digits()[0].any() and data.digits()[1].any() and data.moons()[0].any()


def test_the_data_load_alone_and_only_when_asked_for():
    code = (
        "import sys, zerohero\nassert 'zerohero.data' not in sys.modules\n"
        "from zerohero import data\nassert data.names()[0] == 'aaban'\n"
        "heavy = {'pooch', 'requests', 'sklearn', 'pyarrow', 'torch', 'matplotlib'} & set(sys.modules)\nassert not heavy, heavy"
    )
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


# the originals, without a network

CONTENT = b"emma\nolivia\nava"
SHA256 = hashlib.sha256(CONTENT).hexdigest()


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("ZEROHERO_DATA", str(tmp_path / "kept"))
    return tmp_path / "kept"


@pytest.fixture
def serve(monkeypatch):
    """serve(content) puts a file on this machine in the place of names.txt and returns the requests it then gets."""
    servers = []

    def start(content: bytes, status: int = 200) -> list[str]:
        asked = []

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                asked.append(self.path)
                self.send_response(status)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, *args):
                pass

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        servers.append(server)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        here = replace(originals.NAMES_TXT, url=f"http://127.0.0.1:{server.server_port}/names.txt", sha256=SHA256)
        monkeypatch.setattr(originals, "NAMES_TXT", here)
        return asked

    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


@pytest.mark.pooch
def test_an_original_is_downloaded_once(folder, serve):
    asked = serve(CONTENT)
    assert data.names_txt() == ["emma", "olivia", "ava"] == data.names_txt()
    assert asked == ["/names.txt"] and (folder / "names.txt").read_bytes() == CONTENT


@pytest.mark.pooch
def test_another_file_than_the_lectures_is_refused_and_not_kept(folder, serve):
    asked = serve(CONTENT.replace(b"ava", b"eva"))
    with pytest.raises(DataMissing, match=r"not the file of the lecture \(its sha256 differs\)"):
        data.names_txt()
    assert asked and list(folder.iterdir()) == []


@pytest.mark.pooch
def test_a_damaged_kept_file_is_downloaded_again(folder, serve):
    asked = serve(CONTENT)
    folder.mkdir()
    (folder / "names.txt").write_bytes(CONTENT[:-1])
    assert data.names_txt()[-1] == "ava" and asked == ["/names.txt"]


@pytest.mark.pooch
@pytest.mark.parametrize("how", ["refused", "not found"])
def test_without_a_network_one_sentence_says_what_to_do(folder, serve, monkeypatch, how):
    serve(b"nothing", status=404)
    if how == "refused":  # port 9 is the discard service: nobody listens
        monkeypatch.setattr(originals, "NAMES_TXT", replace(originals.NAMES_TXT, url="http://127.0.0.1:9/names.txt"))
    with pytest.raises(DataMissing) as failed:
        data.names_txt()
    reason = {"refused": "ConnectionError", "not found": "HTTPError"}[how]
    assert str(failed.value) == (
        f"no names.txt: the download failed ({reason}); data.names() is here without a download and does nearly the same, "
        f"or put {originals.NAMES_TXT.url} at {folder / 'names.txt'} by hand."
    )
    assert isinstance(failed.value, ZeroheroError) and failed.value.__suppress_context__


def test_without_pooch_the_message_names_it(folder, monkeypatch):
    monkeypatch.setitem(sys.modules, "pooch", None)
    with pytest.raises(DataMissing, match=r"^no tinyshakespeare.txt: the package pooch is not installed .* data.shakespeare\(\) is here"):
        data.tinyshakespeare()


def test_a_file_put_by_hand_needs_neither_network_nor_pooch(folder, monkeypatch):
    monkeypatch.setitem(sys.modules, "pooch", None)
    monkeypatch.setattr(originals, "TINYSHAKESPEARE", replace(originals.TINYSHAKESPEARE, sha256=SHA256))
    folder.mkdir()
    (folder / "tinyshakespeare.txt").write_bytes(CONTENT)
    assert data.tinyshakespeare() == CONTENT.decode()
    (folder / "tinyshakespeare.txt").write_bytes(CONTENT + b"x")
    with pytest.raises(DataMissing):
        data.tinyshakespeare()


def test_originals_are_kept_in_the_home_folder_unless_told(monkeypatch, tmp_path):
    monkeypatch.delenv("ZEROHERO_DATA", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert originals.folder() == tmp_path / ".cache" / "zerohero"

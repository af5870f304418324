"""Points of an embedding: places and distances against numpy, and what a reader without the picture is told."""

import json

import numpy as np
import pytest

from zerohero.errors import WrongObject
from zerohero.viz import embedding
from zerohero.viz.embedding import MOST, MOST_STEPS, embedding_view
from zerohero.viz.still import bundle

LETTERS = [".", *"abcdefghijklmnopqrstuvwxyz"]


def table(vectors):
    """What m05 has: float[27, width]."""
    return np.random.RandomState(0).standard_normal((27, vectors))


def marks(view, frame=0):
    return [*view.marks, *view.steps[0].frames[frame].marks]


def dots(view, frame=0):
    """{label: (x, y)}, read off the picture."""
    found = {}
    for mark in marks(view, frame):
        if mark["mark"] == "dots" and "labels" in mark:
            for n, label in enumerate(mark["labels"]):
                found[label.partition(":")[0]] = tuple(mark["points"][2 * n : 2 * n + 2])
    return found


def test_two_numbers_are_drawn_as_they_are_and_a_px_is_as_much_across_as_up():
    """By hand: a, b and c are the corners of a right angle with legs 2 and 1."""
    places = dots(embedding_view([[0.0, 0.0], [2.0, 0.0], [0.0, 1.0]], "abc"))
    (ax, ay), (bx, by), (cx, cy) = (places[name] for name in "abc")
    assert ay == by and ax == cx
    assert (bx - ax) == pytest.approx(2 * (ay - cy), abs=0.3) and bx > ax and cy < ay


def test_longer_rows_are_drawn_by_their_two_principal_axes():
    C = table(10)
    view = embedding_view(C, LETTERS)
    places = np.array([dots(view)[letter] for letter in LETTERS])
    eigenvalues, axes = np.linalg.eigh(np.cov(C.T))
    projected = (C - C.mean(0)) @ axes[:, [-1, -2]]
    for axis, up in ((0, 1), (1, -1)):
        assert abs(np.corrcoef(places[:, axis], up * projected[:, axis])[0, 1]) > 0.99999
    share = eigenvalues[-2:].sum() / eigenvalues.sum()
    assert f"hold {share:.0%} of the variance" in view.summary


@pytest.mark.parametrize("width", [2, 3, 10])
def test_the_neighbours_of_each_letter_are_those_of_whole_rows(width):
    C = table(width)
    view = embedding_view(C, LETTERS)
    frames = view.steps[0].frames
    assert [frame.label for frame in frames] == ["all", *LETTERS]
    for n, letter in enumerate(LETTERS):
        distance = np.linalg.norm(C - C[n], axis=1)
        nearest = [k for k in np.argsort(distance) if k != n][:5]
        assert frames[n + 1].says == f"Nearest to {letter}: {', '.join(f'{LETTERS[k]} {distance[k]:.3g}' for k in nearest)}."
        line = next(mark for mark in frames[n + 1].marks if mark["mark"] == "line")["points"]
        assert [*zip(line[2::4], line[3::4], strict=True)] == [dots(view)[LETTERS[k]] for k in nearest]
        assert (line[0], line[1]) == dots(view)[letter]


def test_kinds_are_told_apart_by_shape_and_named():
    view = embedding_view(table(2), LETTERS, ["vowel" if letter in "aeiou" else "other" for letter in LETTERS])
    looks = {mark["look"]: len(mark["labels"]) for mark in view.marks if mark["mark"] == "dots" and "labels" in mark}
    assert looks == {"series0": 22, "series1": 5}  # circles and squares
    assert {"vowel", "other"} <= {mark["text"] for mark in view.marks if mark["mark"] == "text"}
    assert next(row for row in view.table.rows if row[0] == "e")[1] == "vowel"


def test_no_name_covers_another():
    view = embedding_view(table(2), LETTERS)
    boxes = [
        (mark["x"], mark["y"] - 9, mark["x"] + 7 * len(mark["text"]), mark["y"] + 2)
        for mark in view.marks
        if mark["mark"] == "text" and mark["text"] in LETTERS and mark["anchor"] == "start"
    ]
    assert len(boxes) >= 25
    for n, a in enumerate(boxes):
        assert not any(a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3] for b in boxes[:n])


def test_rows_in_one_place_share_a_dot_and_a_name():
    view = embedding_view([[1.0, 1.0], [1.0, 1.0], [0.0, 0.0]], ["a", "b", "c"])
    assert list(dots(view)) == ["a, b", "c"]
    assert view.steps[0].frames[0].says == "Nearest to each other: a and b, 0 apart."


def test_snapshots_are_frames_on_the_axes_of_the_last():
    C = table(10)
    view = embedding_view([0 * C, C / 2, C], LETTERS, steps=[0, 100, 200])
    assert [frame.label for frame in view.steps[0].frames] == ["step 0", "step 100", "step 200"] and view.steps[0].start == 2
    half, whole, alone = dots(view, 1), dots(view, 2), dots(embedding_view(C, LETTERS))
    middle = next(iter(dots(view, 0).values()))  # all rows are 0: one dot
    assert len(dots(view, 0)) == 1
    for letter in LETTERS:
        np.testing.assert_allclose(np.add(half[letter], half[letter]), np.add(whole[letter], middle), atol=0.5)
    across, again = (np.array([places[letter] for letter in LETTERS])[:, 0] for places in (whole, alone))
    assert np.corrcoef(across, again)[0, 1] > 0.99999


@pytest.mark.parametrize(
    "vectors, says",
    [
        (np.zeros((27, 3)), "all of them are equal"),
        (np.ones((1, 5)), "1 row of 5 numbers"),
        (np.ones((1, 2)), "1 row of 2 numbers"),
        (np.ones((4, 1)), "4 rows of 1 number"),
        (np.full((3, 4), np.nan), "Not drawn, because of a NaN or an infinity: 0, 1, 2"),
        (np.array([[0.0, 1.0], [np.inf, 0.0], [1.0, 1.0]]), "Not drawn, because of a NaN or an infinity: 1."),
        (np.array([[1e308, -1e308, 1.0], [-1e308, 1e308, 0.0]]), "2 rows of 3"),
        (np.array([[1e-320, 0.0, 1.0], [0.0, 1e-320, 1.0]]), "2 rows of 3"),
        (np.arange(6, dtype=np.float32).reshape(3, 2), "3 rows of 2"),
        (table(64).repeat(20, axis=0), f"The first {MOST} of 540 rows are shown"),
        (np.random.RandomState(0).standard_normal((540, 8)), "names have no room: point at the dots, or read the table"),
        (np.zeros((50, 3, 2)), f"{MOST_STEPS} of 50 steps are shown"),
    ],
    ids=str,
)
def test_odd_rows_are_drawn_and_said(vectors, says):
    view = embedding_view(vectors)
    assert says in view.summary
    json.dumps(view.to_json(), allow_nan=False)
    assert set(bundle(view)) == {"application/vnd.zerohero.view+json", "text/html", "text/plain"}


def test_a_row_that_is_not_finite_is_nobodys_neighbour():
    view = embedding_view([[0.0, 0.0], [1.0, 0.0], [np.nan, 0.0], [3.0, 0.0]], "abcd")
    assert view.steps[0].frames[1].says == "Nearest to a: b 1, d 3."
    assert view.steps[0].frames[3].says == "c has no neighbour: it is the only row, or not finite."


def test_torch_tensors_are_taken_as_they_are():
    torch = pytest.importorskip("torch")
    C = torch.tensor(table(10), requires_grad=True)
    assert embedding_view(C, LETTERS).to_json() == embedding_view(table(10), LETTERS).to_json()
    assert "3 rows of 2" in embedding_view(torch.ones(3, 2, dtype=torch.bfloat16)).summary


@pytest.mark.parametrize(
    "vectors, labels, options, message",
    [
        (np.zeros(3), None, {}, r"`vectors` has shape \(3,\); it must be \(V, D\)"),
        (np.zeros((0, 2)), None, {}, r"`vectors` is empty, shape \(0, 2\)"),
        (np.zeros((3, 2)), "ab", {}, r"`labels` has 2 names for 3 rows"),
        (np.zeros((3, 2)), "abc", {"kinds": "x"}, r"`kinds` has 1 names for 3 rows"),
        (np.zeros((6, 2)), None, {"kinds": "abcdef"}, r"`kinds` names 6 kinds; at most 5"),
        ([np.zeros((3, 2)), np.zeros((4, 2))], None, {}, r"`vectors` holds arrays of shapes \(3, 2\), \(4, 2\)"),
        ([[1.0], [1.0, 2.0]], None, {}, r"`vectors` has rows of different lengths"),
        (["a", "b"], None, {}, r"`vectors` is list of dtype <U1; it must be an array of floats"),
        (np.zeros((2, 2), complex), None, {}, r"`vectors` is complex numbers"),
        (np.zeros((2, 3, 2)), None, {"steps": [1]}, r"`steps` has 1 names for 2 snapshots"),
    ],
)
def test_what_does_not_fit_is_named(vectors, labels, options, message):
    with pytest.raises(WrongObject, match=message):
        embedding(vectors, labels, **options)


def test_the_size_of_m05s_embedding():
    assert len(json.dumps(embedding_view(table(10), LETTERS).to_json())) < 25_000


SEEN = """\
- group "Picture. Left and Right step, Space plays, plus and minus zoom":
  - group "3 rows of 2 numbers.": "-1 0 1 2 0 0.5 1 1.5 2 2.5 3 first number second number <img src=x oner… \\"b\\" c\\\\x00"
"""


@pytest.mark.browser
def test_in_the_browser_a_letter_is_chosen_by_key_and_told_when_pointed_at(drawn):
    hostile = ["<img src=x onerror=alert(1)>", '"b"', "c\x00"]
    page = drawn(embedding_view([[0.0, 0.0], [1.0, 0.0], [0.0, 3.0]], hostile))
    stage = page.locator(".zh-stage")
    stage.press("ArrowRight")
    assert page.locator(".zh-says").inner_text() == 'Nearest to <img src=x oner…: "b" 1, c\\x00 3.'
    assert page.locator(".zh-moving .zh-focus").count() == 2 and page.locator("img").count() == 0
    page.locator(".zh-dots circle").nth(1).hover()
    assert page.locator(".zh-readout").inner_text() == '"b": nearest <img src=x oner… 1, c\\x00 3.16'
    assert page.locator(".zh-stage").aria_snapshot() == SEEN.rstrip()

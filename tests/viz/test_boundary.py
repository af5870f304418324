"""A classifier seen everywhere: against lines that are known, with predict asked in each way a student may have written it."""

import json
import math
import re

import numpy as np
import pytest

from zerohero.errors import WrongObject, ZeroheroError
from zerohero.viz import boundary
from zerohero.viz.boundary import COARSE, GRID, POINTS, Plane, boundary_view
from zerohero.viz.contour import zero_lines
from zerohero.viz.layer_recorder import LayerRecorder
from zerohero.viz.still import html
from zerohero.widgets import boundary_movie
from zerohero.widgets.boundary_movie import KEPT, BoundaryMovie

X = np.array([[1.0, 0.0], [2.0, 1.0], [-1.0, 0.5], [-2.0, -1.0], [0.5, -1.0], [-0.5, 1.0]])
Y = [1, 1, -1, -1, 1, -1]


@pytest.fixture(autouse=True)
def no_time_passes(monkeypatch):
    """Or a grid would be coarser on a machine that is busy."""
    monkeypatch.setattr(boundary, "perf_counter", lambda: 0.0)


class Value:
    """A scalar engine, as small as it can be."""

    def __init__(self, data):
        self.data, self.grad = data, 0.0

    def __add__(self, other):
        return Value(self.data + (other.data if isinstance(other, Value) else other))

    def __mul__(self, other):
        return Value(self.data * (other.data if isinstance(other, Value) else other))

    __rmul__, __radd__ = __mul__, __add__


def neuron(point):
    """2 x0 - x1, as a student writes it: the weights are two Values, and zip() stops at the shorter one."""
    return sum((w * x for w, x in zip([Value(2.0), Value(-1.0)], point, strict=False)), Value(0.0))


def linear(points):
    return points @ np.array([2.0, -1.0])


def marks(view, kind, frame=None):
    found = view.marks if frame is None else view.steps[0].frames[frame].marks
    return [mark for mark in found if mark["mark"] == kind]


def signs(view):
    cells = marks(view, "cells")[0]
    return np.sign(np.array(cells["levels"], dtype=float)).reshape(-1, cells["columns"])


def middles(view):
    """(x0, x1) of the middle of each cell, off the names of rows and columns, which are rounded."""
    cells = marks(view, "cells")[0]
    x = [float(name.removeprefix("x0 = ")) for name in cells["heads"]]
    y = [float(name.removeprefix("x1 = ")) for name in cells["rows"]]
    return np.meshgrid(x, y)


def drawn_boundary(view, plane):
    """The places of the boundary, taken from px back to x0 and x1."""
    chart = plane.chart
    places = []
    for mark in marks(view, "line"):
        if mark["width"] == 2.5 and len(mark["points"]) > 4:
            for px, py in zip(mark["points"][::2], mark["points"][1::2], strict=True):
                across, up = (px - chart.left) / chart.width, 1 - (py - chart.top) / chart.height
                places.append((chart.x.low + across * (chart.x.high - chart.x.low), chart.y.low + up * (chart.y.high - chart.y.low)))
    return np.array(places)


# ---- where the line lies --------------------------------------------------------------------------------------------------


def test_lines_of_a_plane_lie_where_it_is_zero():
    row, column = np.mgrid[0:7, 0:9]
    ((line),) = zero_lines(2.0 * column - row - 3.3)
    assert all(2 * x - y == pytest.approx(3.3) for x, y in line) and len(line) > 7
    assert line[0][1] in (0, 6) and line[-1][1] in (0, 6)  # from one edge of the grid to the other


def test_a_ring_is_closed_and_as_long_as_a_circle():
    y, x = np.mgrid[-2:2:41j, -2:2:41j]
    ((ring),) = zero_lines(x**2 + y**2 - 1.5**2)
    assert ring[0] == ring[-1]
    assert sum(map(math.dist, ring, ring[1:])) * 0.1 == pytest.approx(2 * math.pi * 1.5, rel=1e-2)


def test_grids_without_a_line():
    assert zero_lines(np.ones((3, 3))) == zero_lines(np.zeros((3, 3))) == zero_lines(np.full((3, 3), np.nan)) == zero_lines(np.ones((1, 1))) == []
    chessboard = np.indices((4, 4)).sum(0) % 2 - 0.5
    lines = zero_lines(chessboard)
    assert sum(len(line) - 1 for line in lines) == 2 * 9  # two stretches in each square, each of them once
    holed = np.array([[1.0, -1, 1, -1], [1, -1, np.nan, -1]])
    assert len(zero_lines(holed)) == 1


@pytest.mark.parametrize("predict", [linear, neuron], ids=["array", "point"])
def test_the_boundary_of_a_linear_classifier_is_its_line(predict):
    view = boundary_view(predict, X, Y)
    places = drawn_boundary(view, Plane(X, Y))
    assert len(places) > 20 and np.abs(2 * places[:, 0] - places[:, 1]).max() < 0.02
    x0, x1 = middles(view)
    score = 2 * x0 - x1
    clear = np.abs(score) > 0.2  # names are rounded
    assert np.array_equal(signs(view)[clear], np.sign(score)[clear])
    assert view.summary == "Accuracy 100% (6 of 6 points)."


def test_points_on_the_wrong_side_are_marked_and_told():
    y = [1, 1, -1, 1, 1, 1]  # 3 and 5 lie on the other side of 2 x0 = x1
    view = boundary_view(linear, X, y)
    assert view.summary == "Accuracy 66.7% (4 of 6 points); wrong: points 3, 5."
    ringed = next(mark for mark in marks(view, "rects") if mark.get("labels"))
    chart = Plane(X, y).chart
    assert [round(ringed["boxes"][n] + 7, 1) for n in (0, 4)] == [round(chart.at(*X[i])[0], 1) for i in (3, 5)]
    assert ringed["labels"] == ["point 3 (-2, -1): class 1, predicted -1, score -3", "point 5 (-0.5, 1): class 1, predicted -1, score -2"]
    assert view.table.rows == (("-1", "1", "1", "0", "none"), ("1", "5", "3", "2", "3, 5"))


def test_points_of_each_class_have_their_shape():
    view = boundary_view(linear, X, Y)
    by_look = {mark["look"]: mark["labels"] for mark in marks(view, "dots") if mark.get("labels")}
    assert {look: [label.split(":")[0] for label in labels] for look, labels in by_look.items()} == {
        "series1": ["point 2 (-1, 0.5)", "point 3 (-2, -1)", "point 5 (-0.5, 1)"],
        "series0": ["point 0 (1, 0)", "point 1 (2, 1)", "point 4 (0.5, -1)"],
    }


# ---- ways in which predict is written --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "predict",
    [
        linear,
        neuron,
        lambda points: linear(points)[:, None],
        lambda points: [neuron(point) for point in points.tolist()],
        lambda point: [neuron(point)],
        lambda point: 2 * point[0] - point[1],
        lambda point: np.array([2 * point[0] - point[1]]),
        lambda point: (2 * point[0] - point[1],),
        lambda points: np.stack([0 * points[:, 0], linear(points)], 1),
        lambda point: [Value(0.0), neuron(point)],
    ],
)
def test_every_way_of_writing_predict_gives_the_same_picture(predict):
    view = boundary_view(predict, X, Y)
    assert np.array_equal(signs(view), signs(boundary_view(linear, X, Y)))
    assert view.summary.startswith("Accuracy 100%")


def test_a_torch_model_is_asked_with_a_tensor_and_builds_no_graph():
    torch = pytest.importorskip("torch")
    net = torch.nn.Linear(2, 1, bias=False)
    net.weight.data[:] = torch.tensor([[2.0, -1.0]])
    seen = []
    net.register_forward_hook(lambda module, inputs, output: seen.append(output.requires_grad))
    view = boundary_view(net, torch.tensor(X), torch.tensor(Y))
    assert np.array_equal(signs(view), signs(boundary_view(linear, X, Y))) and not any(seen)


def test_an_array_is_handed_out_once_not_cell_by_cell():
    calls = []

    def predict(points):
        calls.append(np.shape(points))
        return points[:, 0]

    boundary_view(predict, X, Y)
    assert calls.count((GRID * GRID, 2)) == 1 and len(calls) <= 5


def test_a_predict_that_changes_its_input_does_no_harm():
    def predict(points):
        points *= 0
        return points[:, 0] + 1

    before = X.copy()
    boundary_view(predict, X, Y)
    assert np.array_equal(X, before)


def test_a_grid_is_coarser_when_predict_is_slow(monkeypatch):
    clock = iter(np.arange(0, 1e6, 1440.0))  # COARSE * COARSE points seem to take 24 minutes
    monkeypatch.setattr(boundary, "perf_counter", lambda: float(next(clock)))
    view = boundary_view(neuron, X, Y)
    assert marks(view, "cells")[0]["columns"] == COARSE
    assert f"The grid has {COARSE} x {COARSE} cells instead of {GRID} x {GRID}, because predict takes 10 s for a point." in view.summary
    assert marks(boundary_view(neuron, X, Y, grid=17), "cells")[0]["columns"] == 17


# ---- classes --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "labels",
    [
        [1.0, 1.0, -1.0, -1.0, 1.0, -1.0],
        [1, 1, 0, 0, 1, 0],
        [True, True, False, False, True, False],
        ["up", "up", "down", "down", "up", "down"],
        np.array([[1], [1], [0], [0], [1], [0]]),
        [[7.0], [7.0], [2.5], [2.5], [7.0], [2.5]],
        np.array(["up", "up", "down", "down", "up", "down"]),
    ],
)
def test_two_classes_by_sign_whatever_they_are_called(labels):
    assert boundary_view(linear, X, labels).summary == "Accuracy 100% (6 of 6 points)."


def test_the_order_of_classes_and_the_threshold_can_be_told():
    y = ["a", "a", "b", "b", "a", "b"]  # sorted, a positive score would mean b
    assert boundary_view(linear, X, y).summary.startswith("Accuracy 0%")
    assert boundary_view(linear, X, y, classes=["b", "a"]).summary.startswith("Accuracy 100%")

    def probability(points):
        return 1 / (1 + np.exp(-linear(points)))

    hint = boundary_view(probability, X, Y).summary
    assert hint.startswith("Accuracy 50%") and "if they are probabilities, say threshold=0.5" in hint
    assert boundary_view(probability, X, Y, threshold=0.5).summary == "Accuracy 100% (6 of 6 points)."


CENTRES = np.array([[0.0, 0.0], [2.0, 0.0], [1.0, 2.0]])


def nearest(points):
    return -((points[:, None] - CENTRES) ** 2).sum(-1)


def test_several_classes_by_their_largest_score():
    """Nearest centre: the border of the first two is x0 = 1, by hand; cells say the class of the nearest centre."""
    points = np.concatenate([CENTRES - 0.1, CENTRES + 0.3])
    view = boundary_view(nearest, points, ["cat", "dog", "owl", "cat", "dog", "cat"], classes=["cat", "dog", "owl"])
    assert view.summary == "Accuracy 83.3% (5 of 6 points); wrong: point 5."
    cells = marks(view, "cells")[0]
    x0, x1 = (axis.ravel() for axis in middles(view))
    want = [("cat", "dog", "owl")[k] for k in nearest(np.stack([x0, x1], 1)).argmax(1)]
    wrong = [n for n, (said, name) in enumerate(zip(cells["values"], want, strict=True)) if said != name]
    assert len(wrong) < 30  # names of rows and columns are rounded: cells at the borders only
    words = [mark["text"] for mark in marks(view, "text")]
    assert words.count("cat") == words.count("dog") == words.count("owl") == 1 and "class owl" in words
    places = drawn_boundary(view, Plane(points, [0, 1, 2, 0, 1, 0]))
    assert np.abs(places[places[:, 1] < 0.5][:, 0] - 1).max() < 0.02


def test_classes_without_points_are_known_by_their_number():
    view = boundary_view(nearest, CENTRES[[0, 2]], [0, 2])
    assert view.summary == "Accuracy 100% (2 of 2 points)." and [row[0] for row in view.table.rows] == ["0", "1", "2"]


@pytest.mark.parametrize("label, accuracy", [(1, "100%"), (-1, "0%"), (0, "0%"), (2.5, "100%")])
def test_one_class_only(label, accuracy):
    view = boundary_view(linear, X[:2], [label, label])
    assert f"Accuracy {accuracy}" in view.summary and len(view.table.rows) == 2
    assert boundary_view(linear, X[:2], ["a", "a"]).summary.startswith("Accuracy")


# ---- bad input ------------------------------------------------------------------------------------------------------------


def test_scores_that_are_nan_are_shown_and_count_as_wrong():
    def predict(points):
        return np.where(points[:, 0] > 0, np.nan, points[:, 0])

    view = boundary_view(predict, X, Y)
    assert "Accuracy 50% (3 of 6 points); wrong: points 0, 1, 4; 3 points have a score that is NaN" in view.summary
    assert "of 1,600 cells have a score that is NaN" in view.summary
    levels = marks(view, "cells")[0]["levels"]
    assert None in levels and any(level is not None for level in levels)
    json.dumps(view.to_json(), allow_nan=False)
    for scores in (np.full(6, np.nan), np.full(6, np.inf), np.zeros(6), np.full(6, -1e308)):
        view = boundary_view(lambda points, scores=scores: np.resize(scores, len(points)), X, Y)
        json.dumps(view.to_json(), allow_nan=False)


def test_points_that_are_not_finite_are_left_out_and_told():
    points = X.copy()
    points[0, 0] = np.nan
    view = boundary_view(linear, points, Y)
    assert "not drawn: 1 point with a NaN or an infinity" in view.summary and "wrong: point 0" in view.summary
    json.dumps(view.to_json(), allow_nan=False)


@pytest.mark.parametrize("points", [[], np.zeros((0, 2))])
def test_no_points(points):
    assert boundary_view(linear, points, []).summary == "There are no points to show."
    with pytest.raises(ZeroheroError, match="`X` has no points"):
        BoundaryMovie(linear, points, [])


@pytest.mark.parametrize(
    "predict, points, y, message",
    [
        (linear, np.zeros((4, 3)), [0] * 4, r"`X` has shape \(4, 3\), 3 numbers for each point; it must be \(N, 2\)"),
        (linear, np.zeros(4), [0] * 4, r"`X` has shape \(4,\); it must be \(N, 2\)"),
        (linear, X, [0], r"`y` has 1 labels for 6 points in `X`"),
        (linear, X, [0, 1, 2, 0, 1, 2], r"`predict` gives one score for a point, which tells two classes apart, and `y` has 3 \(0, 1, 2\)"),
        (linear, X, [0, 1, 2, 3, 4, 5], r"`y` has 6 classes; at most 5"),
        (linear, X, [None] * 6, r"`y` holds an object of type NoneType; a label is a number or a string"),
        (linear, X, [math.nan] * 6, r"`y` holds nan"),
        (nearest, X, ["a", "b"] * 3, r"`predict` gives 3 scores for a point, and there are 2 classes \(a, b\): say which score belongs to which, classes="),
        (3, X, Y, r"`predict` is an object of type int, which cannot be called"),
        (lambda p: "yes", X, Y, r"`predict` gives no scores. Asked with an array of shape \(N, 2\): it returned an object of type str, which is no number"),
        (lambda p: [], X, Y, r"one point \[x0, x1\]: it returned an empty list"),
        (lambda p: 1 / 0, X, Y, r"one point \[x0, x1\]: ZeroDivisionError: division by zero"),
        (lambda p: np.zeros((7, 7, 7)), X, Y, r"it returned an array of shape \(7, 7, 7\) for 5 points"),
    ],
)
def test_what_does_not_fit_is_named(predict, points, y, message):
    with pytest.raises(WrongObject, match=message):
        boundary_view(predict, points, y)


def test_labels_that_classes_does_not_name():
    with pytest.raises(WrongObject, match="`y` has labels that `classes` does not name: 1"):
        boundary_view(linear, X, Y, classes=[-1, 2])


def test_many_points_are_thinned_and_all_are_counted():
    points = np.random.RandomState(0).standard_normal((5000, 2))
    view = boundary_view(linear, points, np.where(linear(points) > 0, 1, -1))
    assert view.summary == f"Accuracy 100% (5,000 of 5,000 points). {POINTS} of 5,000 points are drawn."
    assert sum(len(mark["labels"]) for mark in marks(view, "dots") if mark.get("labels")) == POINTS
    assert len(json.dumps(view.to_json())) < 70_000
    assert len(json.dumps(boundary_view(linear, points[:100], [1, -1] * 50).to_json())) < 50_000


# ---- the movie ------------------------------------------------------------------------------------------------------------


class Turning:
    """A linear classifier whose line turns: at turn 0 it is x0 = 0, at turn 1 it is x1 = 0."""

    turn = 0.0
    calls = 0

    def __call__(self, points):
        self.calls += 1
        return math.cos(self.turn * math.pi / 2) * points[:, 0] + math.sin(self.turn * math.pi / 2) * points[:, 1]


@pytest.fixture
def every_call(monkeypatch):
    """A clock that runs a minute between two looks at it: each call of frame() draws."""
    clock = iter(range(0, 10**9, 60))
    monkeypatch.setattr(boundary_movie, "perf_counter", lambda: float(next(clock)))
    monkeypatch.setattr(boundary_movie, "SHARE", 1.0)
    monkeypatch.setattr(boundary_movie, "SECONDS", 0.0)


def test_the_frames_of_a_movie_are_the_classifier_at_their_steps(every_call, capsys):
    model = Turning()
    with BoundaryMovie(model, X, Y) as movie:
        for step in range(5):
            model.turn = step / 4
            movie.frame(step)
    frames = movie.view().steps[0].frames
    assert [frame.label for frame in frames] == [f"step {step}" for step in range(5)]
    plane = Plane(X, Y)
    for step, frame in enumerate(frames):
        model.turn = step / 4
        scores = model(X)
        right = sum((score > 0) == (label > 0) for score, label in zip(scores, Y, strict=True))
        assert f"({right} of 6 points)" in frame.says
        cells = next(mark for mark in frame.marks if mark["mark"] == "cells")
        side = cells["columns"]
        x0 = plane.chart.x.low + (np.arange(side) + 0.5) / side * (plane.chart.x.high - plane.chart.x.low)
        x1 = plane.chart.y.high - (np.arange(side) + 0.5) / side * (plane.chart.y.high - plane.chart.y.low)
        want = model(np.stack([grid.ravel() for grid in np.meshgrid(x0, x1)], 1)) > 0
        assert [value == "1" for value in cells["values"]] == want.tolist()
    assert "5 steps of a training. At step 4: Accuracy" in capsys.readouterr().out


def test_a_long_movie_keeps_its_first_and_last_step_and_few_between(every_call):
    model = Turning()
    with BoundaryMovie(model, X, Y) as movie:
        for step in range(1000):
            model.turn = step / 999
            movie.frame(step)
        assert len(movie._seen) < 2 * KEPT  # memory is bounded, too
    labels = [frame.label for frame in movie.view().steps[0].frames]
    assert len(labels) == KEPT and labels[0] == "step 0" and labels[-1] == "step 999"
    points = np.random.RandomState(0).standard_normal((100, 2))
    with BoundaryMovie(model, points, [1, -1] * 50) as movie:
        for step in range(KEPT):
            movie.frame(step)
    assert len(json.dumps(movie.view().to_json())) < 60_000


def test_frame_is_cheap_between_two_pictures_and_the_end_is_seen(monkeypatch):
    monkeypatch.setattr(boundary_movie, "perf_counter", lambda: 1.0)  # no time passes after the first picture
    model = Turning()
    with BoundaryMovie(model, X, Y) as movie:
        movie.frame(0)
        calls = model.calls
        for step in range(1, 100):
            movie.frame(step)
        assert model.calls == calls
    assert [frame.label for frame in movie.view().steps[0].frames] == ["step 0", "step 99"]


def test_what_a_movie_asks_is_no_step_of_a_recorder(every_call):
    torch = pytest.importorskip("torch")
    net = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.Tanh(), torch.nn.Linear(3, 1))
    with LayerRecorder(net) as recorder, BoundaryMovie(net, X, Y) as movie:
        for step in range(3):
            net(torch.zeros(1, 2)).sum().backward()
            movie.frame(step)
    assert [label for label, _ in recorder.activations] == [label for label, _ in recorder.gradients] == ["0", "1", "2"]


def test_the_still_picture_has_every_cell_and_stays_small():
    view = boundary_view(linear, X, Y)
    text = html(view.to_json())
    boxes = re.findall(r"M[\d.]+ [\d.]+h10", text)
    assert len(boxes) == GRID * GRID and len(text) < 120_000


def test_a_movie_that_ends_with_an_exception_leaves_what_was_seen(every_call, capsys):
    model = Turning()
    with pytest.raises(KeyboardInterrupt), BoundaryMovie(model, X, Y) as movie:
        movie.frame(0)
        calls = model.calls
        raise KeyboardInterrupt
    assert model.calls == calls and "1 step of a training. At step 0" in capsys.readouterr().out
    with pytest.raises(WrongObject, match="`predict` gives no scores"), BoundaryMovie(lambda p: None, X, Y) as movie:
        movie.frame(0)
    assert capsys.readouterr().out == "" and "Nothing was seen" in movie.view().summary
    with BoundaryMovie(model, X, Y) as movie:
        pass
    assert capsys.readouterr().out == ""


def test_a_movie_runs_once_and_inside_its_block():
    movie = BoundaryMovie(linear, X, Y)
    with pytest.raises(ZeroheroError, match="frame\\(\\) works inside the block"):
        movie.frame(0)
    with movie:
        movie.frame(0)
    with pytest.raises(ZeroheroError, match="this movie has ended"), movie:
        pass


@pytest.fixture
def notebook(monkeypatch):
    """What a kernel is shown: a list of (what, display_id's updates)."""
    import IPython.display

    shown = []

    class Handle:
        def __init__(self, what):
            self.shown = [what]
            shown.append(self)

        def update(self, what, raw=False):
            self.shown.append(what)

    monkeypatch.setattr(boundary_movie, "running_kernel", lambda: object())
    monkeypatch.setattr(IPython.display, "display", lambda what, **options: Handle(what))
    return shown


def test_in_a_notebook_the_movie_is_live_and_its_output_ends_as_a_view(every_call, notebook, monkeypatch):
    pytest.importorskip("anywidget")
    monkeypatch.setattr(boundary_movie, "can_be_live", lambda: True)
    model = Turning()
    with BoundaryMovie(model, X, Y) as movie:
        for step in range(3):
            model.turn = step / 2
            movie.frame(step)
            live = notebook[0].shown[0]
            assert live.view["sequences"][0]["labels"] == [f"step {step}"]
    assert len(notebook) == 1 and len(notebook[0].shown) == 2 and live.comm is None  # closed
    left = notebook[0].shown[1]
    assert left["application/vnd.zerohero.view+json"] == movie.view().to_json()
    assert left["application/vnd.zerohero.view+json"]["sequences"][0]["labels"] == ["step 0", "step 1", "step 2"] and "<svg" in left["text/html"]


def test_without_anywidget_the_picture_is_replaced(every_call, notebook, monkeypatch):
    monkeypatch.setattr(boundary_movie, "can_be_live", lambda: False)
    with BoundaryMovie(Turning(), X, Y) as movie:
        movie.frame(0)
        movie.frame(1)
    labels = [shown["application/vnd.zerohero.view+json"]["sequences"][0]["labels"] for shown in notebook[0].shown]
    assert labels == [["step 0"], ["step 1"], ["step 0", "step 1"]]


SEEN = """\
- group "Picture. Left and Right step, Space plays, plus and minus zoom":
  - 'group "3 steps of a training. At step 2: Accuracy 33.3% (1 of 3 points); wrong: points 0, 1."':
    - text: "-1 0 1 0 0.2 0.4 0.6 0.8 1 x0 x1 class <b>in (hatched cells) class out (plain cells) wrong side boundary"
    - application "20 rows, 20 columns; arrow keys read the cells"
"""


@pytest.mark.browser
def test_in_the_browser_steps_are_walked_and_cells_and_points_are_told(drawn, every_call):
    model = Turning()
    with BoundaryMovie(model, [[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0]], ["<b>in", "out", "out"]) as movie:
        for step in range(3):
            model.turn = step / 2
            movie.frame(step)
    page = drawn(movie.view())
    snapshot = page.locator(".zh-stage").aria_snapshot()
    page.locator(".zh-stage").press("Home")
    assert page.locator(".zh-says").inner_text() == "Step 0: Accuracy 0% (0 of 3 points); wrong: points 0, 1, 2."
    page.locator(".zh-stage").press("ArrowRight")
    assert page.locator(".zh-place").inner_text() == "step 1 (2/3)"
    cells = page.locator(".zh-cells")
    cells.press("ArrowRight")
    assert page.locator(".zh-readout").inner_text().endswith(": out")
    page.locator(".zh-table summary").click()
    assert page.locator(".zh-table tbody tr").count() == 2 and page.locator(".zh-view b").count() == 0
    assert snapshot == SEEN.rstrip()
    page = drawn(boundary_view(linear, X, [1, 1, -1, 1, 1, 1]))
    page.locator(".zh-rects rect").nth(1).hover()  # the first is that of the legend
    assert page.locator(".zh-readout").inner_text() == "point 3 (-2, -1): class 1, predicted -1, score -3"

"""An expression whose inputs are moved in the page: the student's own class computes each picture."""

import json

import pytest
from jsonschema import validate

from zerohero.viz.explore import Explorer
from zerohero.viz.graph import view as show_graph
from zerohero.widgets import graph_explorer

pytestmark = pytest.mark.browser


class Value:
    """The least that multiplies and goes backward."""

    def __init__(self, data, inputs=(), op=""):
        self.data, self.grad, self._prev, self._op, self.label = data, 0.0, inputs, op, ""
        self._backward = lambda: None

    def __mul__(self, other):
        out = Value(self.data * other.data, (self, other), "*")

        def backward():
            self.grad += other.data * out.grad
            other.grad += self.data * out.grad

        out._backward = backward
        return out

    def backward(self):
        self.grad = 1.0
        self._backward()


def test_a_handle_for_each_input_moves_it_and_the_graph_follows(drawn):
    explorer = Explorer(lambda a, b: a * b, Value, {"a": (2.0, 0.0, 10.0), "b": 3.0})
    page = drawn(explorer.view)
    handle = page.get_by_role("slider", name="a", exact=True)
    assert (handle.get_attribute("aria-valuemin"), handle.get_attribute("aria-valuenow"), handle.get_attribute("aria-valuemax")) == ("0", "2", "10")
    assert page.get_by_role("slider", name="b", exact=True).count() == 1
    handle.focus()
    page.keyboard.press("Shift+ArrowRight")  # a tenth of the range
    (sent,) = page.evaluate("window.sent")
    assert sent == {"drag": "a", "value": 3}
    after = explorer.move(sent["drag"], sent["value"])
    assert after["graph"]["data"][-1] == "9" and sorted(after["graph"]["grads"]) == ["1", "3", "3"]  # a*b = 9; da = b = 3, db = a = 3
    page.evaluate("view => window.answer(view)", json.loads(json.dumps(after)))
    assert "9" in page.locator(".zh-svg").text_content() and "a = 3" in page.locator(".zh-svg").text_content()
    assert page.evaluate("document.activeElement.getAttribute('data-handle')") == "a"  # the focus is kept


def test_what_the_expression_raises_is_said_above_the_last_picture(drawn):
    def expression(a):
        if a.data > 5:
            raise ValueError("math domain error")
        return a * a

    explorer = Explorer(expression, Value, {"a": (2.0, 0.0, 10.0)})
    page = drawn(explorer.move("a", 8.0))
    assert "At a = 8 the expression raised ValueError: math domain error" in page.locator(".zh-summary").inner_text()
    assert "a = 8" in page.locator(".zh-svg").text_content()  # the handle is where it was dragged


@pytest.mark.parametrize("handles", ["x", [1], [{"name": "a", "value": 5, "from": 0, "to": 1}], [{"name": 1, "value": 0, "from": 0, "to": 1}]])
def test_handles_that_are_none_are_refused_in_words(drawn, handles):
    made = Explorer(lambda a: a * a, Value, {"a": 1.0}).view
    page = drawn({**made, "handles": handles})
    assert "handles" in page.locator(".zh-problem").inner_text()


def test_without_a_kernel_the_picture_is_printed(capsys):
    graph_explorer(lambda a, b: a * b, Value, a=2.0, b=3.0)
    explored = capsys.readouterr().out
    show_graph(Explorer(lambda a, b: a * b, Value, {"a": 2.0, "b": 3.0}).result)
    assert explored == capsys.readouterr().out and "6" in explored


def test_its_json_is_that_of_the_schema():
    from pathlib import Path

    import zerohero

    schema = json.loads((Path(zerohero.__file__).parent / "schema" / "view-1.json").read_text(encoding="utf-8"))
    validate(Explorer(lambda a, b: a * b, Value, {"a": 2.0, "b": 3.0}).view, schema)

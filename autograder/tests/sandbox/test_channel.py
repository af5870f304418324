"""Reading untrusted bytes: any bytes, in any chunks."""

import json
import time

from hypothesis import given, settings
from hypothesis import strategies as st

from zerohero_autograder.sandbox.channel import KEPT, LONGEST, MOST_LINES, MOST_PRINTED, Lines, Printed, plain

LIMIT = 2**26


def lines(cells=3, exercises=("m99-a",), limit=LIMIT):
    return Lines(cells, frozenset(exercises), limit)


def event(**fields):
    return (json.dumps(fields) + "\n").encode()


@settings(deadline=None)  # the machine may be busy
@given(st.lists(st.binary()), st.booleans())
def test_no_bytes_raise(chunks, with_newlines):
    reader = lines()
    for chunk in chunks:
        reader.feed(chunk + b"\n" * with_newlines)
    assert reader.outputs == {} and not reader.ended


@settings(deadline=None)  # the machine may be busy
@given(
    st.recursive(st.none() | st.booleans() | st.floats() | st.text() | st.integers(), lambda x: st.lists(x) | st.dictionaries(st.text(), x)),
    st.sampled_from(["cell", "begin", "end", "outputs", "calls", 3]),
)
def test_no_event_raises(value, kind):
    reader = lines()
    for field in ("index", "status", "error", "exercise", "outputs", "name", "calls", "numbers"):
        reader.feed(event(**{"event": kind, "index": 1, "status": "ok", "exercise": "m99-a", "name": "f", "calls": 4, "numbers": 4, field: value}))


@settings(deadline=None)  # the machine may be busy
@given(st.lists(st.integers(1, 40), max_size=60))
def test_chunks_make_no_difference(sizes):
    data = (
        event(event="begin", index=0)
        + event(event="outputs", exercise="m99-a", outputs='[{"a": "\\""}]')
        + event(event="cell", index=0, status="ok", error="")
        + event(event="end")
    )
    reader, at = lines(), 0
    for size in sizes:
        reader.feed(data[at : at + size])
        at += size
    reader.feed(data[at:])
    assert reader.outputs == {"m99-a": ['[{"a": "\\""}]']}
    assert reader.statuses == {0: ("ok", "")} and reader.ended and reader.ignored == 0


def test_counted_calls_are_kept_when_they_are_of_our_form_and_what_is_said_first_stands():
    reader = lines()
    for odd in (
        {"calls": True},
        {"calls": 3},
        {"calls": 10**12},
        {"numbers": 0},
        {"numbers": -5},
        {"name": ["f"]},
        {"exercise": "m99-other"},
        {"exercise": ["m99-a"]},
    ):
        assert not reader.feed(event(**{"event": "calls", "exercise": "m99-a", "name": "f", "calls": 8, "numbers": 4, **odd})) and reader.calls == {}
    reader.feed(event(event="calls", exercise="m99-a", name="\x1b[31mf", calls=8, numbers=4))
    reader.feed(event(event="calls", exercise="m99-a", name="g", calls=4, numbers=4))
    assert reader.calls == {"m99-a": ("f", 8, 4)}


def test_outputs_of_exercises_that_are_not_graded_are_ignored():
    reader = lines()
    reader.feed(event(event="outputs", exercise="m99-b", outputs="[]"))
    assert reader.outputs == {} and reader.ignored == 1


def test_only_a_string_is_taken_as_outputs():
    reader = lines()
    reader.feed(event(event="outputs", exercise="m99-a", outputs=[[[]]]))
    reader.feed(b'{"event": "outputs", "exercise": "m99-a", "outputs": "[]", "more": "x"}\n')
    assert reader.outputs == {}


def test_the_newest_outputs_are_kept():
    reader = lines()
    for i in range(KEPT + 3):
        reader.feed(event(event="outputs", exercise="m99-a", outputs=f"[{i}]"))
    assert reader.outputs["m99-a"] == [f"[{i}]" for i in range(3, KEPT + 3)]


def test_a_line_longer_than_any_event_is_dropped_and_the_next_one_read():
    reader = lines()
    for _ in range(LONGEST // 2**20 + 2):
        reader.feed(b"x" * 2**20)
    assert len(reader._rest) == 0
    reader.feed(b"\n" + event(event="end"))
    assert reader.ended and reader.ignored == 1


def test_a_flood_of_empty_lines_costs_little():
    reader = lines()
    start = time.process_time()
    for _ in range(8):
        reader.feed(b"\n" * 2**20)
    assert reader.too_much and reader.read <= MOST_LINES + 8 * reader.cells + 1
    assert time.process_time() - start < 5


def test_nested_json_and_huge_integers_are_ignored():
    reader = lines()
    reader.feed(b"[" * 4000 + b"\n" + b"9" * 4090 + b"\n" + b'{"event": "begin", "index": 1e999}\n' + b'{"event": "begin", "index": true}\n')
    assert reader.begun == -1 and reader.ignored == 4


def test_an_error_text_can_always_be_written_to_a_file():
    reader = lines()
    reader.feed(b'{"event": "cell", "index": 0, "status": "error", "error": "\\ud800\\u001b[31m"}\n')
    assert reader.statuses[0] == ("error", "?")


def test_printed_output_is_divided_at_markers_in_any_chunks():
    data = b"start\n\x1eabc 0\nzero\n\x1eabc 1\n\n\x1eabc 2\ntwo"
    for size in range(1, 12):
        printed = Printed(3, b"\n\x1eabc ", 100)
        for at in range(0, len(data), size):
            printed.feed(data[at : at + size])
        printed.close()
        assert [printed.text(i) for i in (-1, 0, 1, 2)] == ["start", "zero", "", "two"], size


def test_what_is_beyond_the_limit_is_counted():
    printed = Printed(1, b"\n\x1eabc ", 5)
    printed.feed(b"\n\x1eabc 0\n" + b"x" * 1005)
    printed.close()
    assert printed.text(0) == "xxxxx\n[1,000 more bytes were printed and are not kept]"


@settings(deadline=None)  # the machine may be busy
@given(st.lists(st.binary()))
def test_no_printed_bytes_raise(chunks):
    printed = Printed(2, b"\n\x1eabc ", 50)
    for chunk in chunks:
        printed.feed(chunk + b"\n\x1eabc ")
    printed.close()
    [printed.text(i).encode("utf-8") for i in range(-1, 3)]


@settings(deadline=None)  # the machine may be busy
@given(st.text())
def test_plain_text_has_no_escape_left(text):
    assert "\x1b" not in plain(text)


def test_a_notebook_of_ten_thousand_cells_is_no_flood():
    reader = lines(cells=10_000)
    printed = Printed(10_000, b"\n\x1emark ", 100)
    for index in range(10_000):
        reader.feed(b"\n" + event(event="begin", index=index) + b"\n" + event(event="cell", index=index, status="ok", error=""))
        printed.feed(f"\n\x1emark {index}\ntext {index}".encode())
    assert not reader.too_much and len(reader.statuses) == 10_000
    printed.close()
    assert printed.text(9_999) == "text 9999" and printed.text(7_000) == "text 7000"


def test_what_all_cells_print_together_is_limited():
    """A thousand cells may each print what one may: all of it kept would be gigabytes in the grader and in the graded notebook."""
    printed = Printed(1000, b"\n\x1eabc ", 2**20)
    for cell in range(40):
        printed.feed(b"\n\x1eabc %d\n" % cell + b"x" * 2**20)
    printed.close()
    texts = [printed.text(cell) for cell in range(40)]
    assert sum(text.count("x") for text in texts) == MOST_PRINTED
    assert texts[0] == "x" * 2**20 and texts[-1].strip() == f"[{2**20:,} more bytes were printed and are not kept]"

"""Bytes to cells: notebooks of every age are read, and everything else is refused in words, never with another exception."""

import json

import pytest
import toy_course
from hypothesis import given, settings
from hypothesis import strategies as st

from zerohero_autograder.errors import SubmissionUnreadable
from zerohero_autograder.intake import Cell, Submission, parse

GOOD = json.dumps(toy_course.source_notebook(toy_course.LESSON.replace("predict=", "predict="), "start", graded=False)).encode()


def refused(data):
    with pytest.raises(SubmissionUnreadable) as caught:
        parse(data if isinstance(data, bytes) else json.dumps(data).encode())
    return str(caught.value)


def notebook(*cells, **more):
    return json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": list(cells), **more}).encode()


def code(source, **more):
    return {"cell_type": "code", "source": source, "metadata": {}, "outputs": [], **more}


def test_the_order_the_numbers_and_the_names_are_kept():
    read = parse(
        notebook(
            {"cell_type": "markdown", "source": ["# a\n", "b"], "metadata": {}, "id": "t"},
            code("x = 1", id="c", metadata={"nbgrader": {"grade_id": "g"}, "tags": ["raises-exception"]}),
            {"cell_type": "raw", "source": "r", "metadata": {}},
        )
    )
    assert read == Submission((Cell("text", "# a\nb", 1, None, "t"), Cell("code", "x = 1", 2, "g", "c"), Cell("text", "r", 3)))


def test_format_3_is_read():
    old = {
        "nbformat": 3,
        "worksheets": [
            {
                "cells": [
                    {"cell_type": "heading", "level": 1, "source": "h"},
                    {"cell_type": "code", "input": ["a\n", "b"], "metadata": {"nbgrader": {"grade_id": "g"}}, "outputs": [1]},
                ]
            },
            {"cells": [{"cell_type": "code", "input": "c"}]},
        ],
    }
    assert parse(json.dumps(old).encode()).cells == (Cell("text", "h", 1), Cell("code", "a\nb", 2, "g"), Cell("code", "c", 3))


def test_names_are_found_where_other_programs_keep_them():
    cells = parse(
        notebook(
            code("a", metadata={"id": "from-colab"}),
            code("b", metadata={"zerohero": {"exercise": "m99-square"}}),
            code("c", metadata={"zerohero": {"check": "m99-square"}}),
            code("d", metadata={"nbgrader": {"grade_id": ["x"]}, "id": 5}, id={"a": 1}),
            code("e", metadata="none", id="i" * 300),
        )
    ).cells
    assert [(c.grade_id, c.id) for c in cells] == [(None, "from-colab"), ("m99-square-answer", None), ("m99-square", None), (None, None), (None, None)]


def test_byte_order_marks_and_line_ends_of_windows():
    data = b"\xef\xbb\xbf" + notebook(code("x = 1\r\ny = 2")).replace(b", ", b",\r\n")
    assert parse(data).cells[0].source == "x = 1\r\ny = 2"


def test_half_a_surrogate_pair_becomes_a_question_mark():
    cell = parse(b'{"nbformat": 4, "cells": [{"cell_type": "code", "source": "s = \'\\ud800\'", "id": "\\udfff"}]}').cells[0]
    assert cell.source == "s = '?'" and cell.id == "?"


def test_old_outputs_of_any_kind_are_not_looked_at():
    assert parse(notebook(code("x", outputs="nonsense", execution_count=[1]))).cells[0].source == "x"


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "the file is empty"),
        (b" \n\t", "the file is empty"),
        (GOOD[: len(GOOD) // 2], "cut off while it was saved or sent"),
        (GOOD[:-1], "cut off while it was saved or sent"),
        (b"PK\x03\x04\xff\xfe", "not text in UTF-8"),
        ("{}".encode("utf-16"), "not text in UTF-8"),
        ('{"nbformat": 4, "cells": [], "a": "é"}'.encode("latin-1"), "not text in UTF-8"),
        (b"hello", "line 1: Expecting value"),
        (b"<html>\n</html>", "line 1"),
        (b"[" * 200_000, "nested too deeply"),
        (b'{"nbformat": 4, "cells": ' + b"1" * 5000 + b"}", "thousands of digits"),
        (b"[]", "JSON, but not a notebook"),
        (b"{}", "does not say which notebook format"),
        ({"nbformat": True, "cells": []}, "does not say which notebook format"),
        ({"nbformat": 2, "cells": []}, "format 2; formats 3 and 4 are read"),
        ({"nbformat": 5, "cells": []}, "save it in notebook format 4"),
        ({"nbformat": 10**9, "cells": []}, "of a large number"),
        ({"nbformat": 4}, "no list of cells"),
        ({"nbformat": 3}, "no list of worksheets"),
        ({"nbformat": 3, "worksheets": [1]}, "a worksheet is not one"),
        ({"nbformat": 4, "cells": {"0": 1}}, "no list of cells"),
        ({"nbformat": 4, "cells": [code("a"), None]}, "damaged at cell 2"),
        ({"nbformat": 4, "cells": [{"source": "a"}]}, "damaged at cell 1"),
        ({"nbformat": 4, "cells": [code(["a", 1])]}, "its source is not text"),
        ({"nbformat": 4, "cells": [code("")] * 10_001}, "10,001 cells; at most 10,000"),
        ({"nbformat": 4, "cells": [code("x" * 1_000_001)]}, "cell 1 holds 1,000,001 characters"),
        ({"nbformat": 4, "cells": [code("x" * 1_000_000)] * 21}, "21,000,000 characters"),
    ],
    ids=range(27),
)
def test_a_broken_file_is_refused_in_words(data, words):
    assert words in refused(data)


def only_unreadable(data):
    try:
        read = parse(data)
    except SubmissionUnreadable as error:
        assert str(error)
    else:
        for cell in read.cells:
            cell.source.encode("utf-8")


@given(st.binary(max_size=300))
def test_any_bytes(data):
    only_unreadable(data)


plain = st.recursive(st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5), lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["cells", "worksheets", "nbformat", "cell_type", "source", "input", "metadata", "nbgrader", "grade_id", "zerohero", "exercise", "id"]), inner, max_size=5), max_leaves=20)  # fmt: skip
cells = st.lists(
    st.fixed_dictionaries({}, optional={"cell_type": st.just("code") | plain, "source": plain, "input": plain, "metadata": plain, "id": plain}) | plain,
    max_size=4,
)


@settings(max_examples=200, deadline=None)
@given(
    st.fixed_dictionaries(
        {"nbformat": st.sampled_from([3, 4]) | plain},
        optional={"cells": cells | plain, "worksheets": st.lists(st.fixed_dictionaries({"cells": cells}) | plain, max_size=2)},
    )
)
def test_any_json(value):
    only_unreadable(json.dumps(value).encode())


@settings(max_examples=200, deadline=None)
@given(st.integers(0, len(GOOD)), st.integers(0, len(GOOD)), st.binary(max_size=4))
def test_any_damage_to_a_good_notebook(start, length, instead):
    only_unreadable(GOOD[:start] + instead + GOOD[start + length :])

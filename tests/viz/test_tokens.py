"""Tokens and merges: ids against the worked example of byte-pair encoding, texts against their bytes."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from zerohero.errors import WrongObject
from zerohero.viz import tokens
from zerohero.viz.still import bundle
from zerohero.viz.tokens import BYTES, MERGES, MOST, tokens_view

TEXT, IDS = "aaabdaaabac", [258, 100, 258, 97, 99]  # the worked example of byte-pair encoding: three merges
MERGED = [((97, 97), 256), ((256, 97), 257), ((257, 98), 258)]
BYTE = {byte: bytes([byte]) for byte in range(256)}
VOCAB = {**BYTE, 256: b"aa", 257: b"aaa", 258: b"aaab"}


def labels(view):
    return [label for mark in view.marks if mark["mark"] == "rects" for label in mark.get("labels", [])]


def texts(view):
    return [mark["text"] for mark in view.marks if mark["mark"] == "text"]


def of_bytes(text):
    data = text.encode("utf-8", "surrogatepass")
    return list(data), [bytes([byte]) for byte in data]


def test_merges_are_replayed_one_by_one_to_the_ids_of_the_example():
    view = tokens_view(TEXT, IDS, VOCAB, MERGED)
    merge = next(steps for steps in view.steps if steps.name == "merge")
    assert [frame.says for frame in merge.frames] == [
        "Before any merge: 11 bytes in 11 tokens, 1.00 bytes per token.",
        "Merge 1 of 3: 97 'a' and 97 'a' become 256 'aa', 2 times: 11 bytes in 9 tokens, 1.22 bytes per token.",
        "Merge 2 of 3: 256 'aa' and 97 'a' become 257 'aaa', 2 times: 11 bytes in 7 tokens, 1.57 bytes per token.",
        "Merge 3 of 3: 257 'aaa' and 98 'b' become 258 'aaab', 2 times: 11 bytes in 5 tokens, 2.20 bytes per token.",
    ]
    boxes = [sorted(box for mark in frame.marks if mark["mark"] == "rects" for box in zip(*[iter(mark["boxes"])] * 4, strict=True)) for frame in merge.frames]
    assert [len(some) for some in boxes] == [11, 9, 7, 5]
    assert [round((width + 3) / 26) for _, _, width, _ in boxes[-1]] == [4, 1, 4, 1, 1]  # bytes of each token
    assert "other ids" not in view.summary


def test_merges_that_do_not_give_the_ids_are_pointed_out():
    assert "The merges alone give other ids, from token 2 on" in tokens_view(TEXT, [258, 100, 257, 98, 97, 99], VOCAB, MERGED).summary


@settings(max_examples=60, deadline=None)
@given(st.text("abc", max_size=40), st.lists(st.tuples(st.integers(97, 99), st.integers(97, 99)), max_size=6, unique=True))
def test_the_replay_ends_as_the_textbook_loop_does(text, pairs):
    """The oracle: replace pair after pair in a list, from the left, as minbpe and the course do."""
    merges = [(pair, 256 + n) for n, pair in enumerate(pairs)]
    ids = list(text.encode())
    for pair, new in merges:
        n = 0
        while n < len(ids) - 1:
            if (ids[n], ids[n + 1]) == pair:
                ids[n : n + 2] = [new]
            n += 1
    vocab = {**BYTE, **{new: bytes(pair) for pair, new in merges}}
    view = tokens_view(text, ids, vocab, merges)
    assert "other ids" not in view.summary
    last = view.steps[0].frames[-1]
    assert not text or f"in {len(ids)} token" in last.says


def test_each_token_says_its_text_id_and_bytes():
    view = tokens_view("the the", [97, 262], [b"the", b" the"])
    assert labels(view) == ["token 0: 'the' id 97, bytes 74 68 65", "token 1: ' the' id 262, bytes 20 74 68 65"]
    assert [frame.says for frame in view.steps[0].frames] == ["2 tokens of 7 bytes.", "Token 0: 'the' id 97, bytes 74 68 65.", "Token 1: ' the' id 262, bytes 20 74 68 65."]  # fmt: skip
    assert view.table.rows == (("0", "the", "97", "74 68 65"), ("1", "␣the", "262", "20 74 68 65"))
    assert {"the", "␣the", "97", "262"} <= set(texts(view))  # the id stands below: no colour is needed to tell them


@pytest.mark.parametrize(
    "piece, seen, said",
    [
        ("é".encode()[:1], "\\xc3", "token 0: not whole characters, id 7, bytes c3"),
        ("é".encode(), "é", "token 0: 'é' id 7, bytes c3 a9"),
        (b"\n", "\\n", "token 0: '\\n' id 7, bytes 0a"),
        (b"\x00\x1b", "\\x00\\x1b", "token 0: '\\x00\\x1b' id 7, bytes 00 1b"),
        ("\u0301".encode(), "◌\u0301", "token 0: '\u0301' id 7, bytes cc 81"),
        ("\u202e".encode(), "\\u202e", "token 0: '\\u202e' id 7, bytes e2 80 ae"),
        ("שלום".encode(), "שלום", "token 0: 'שלום' id 7, bytes d7 a9 d7 9c d7 95 d7 9d"),
        ("👍".encode(), "👍", "token 0: '👍' id 7, bytes f0 9f 91 8d"),
        (b"<b>&\"'", "<b>&\"'", "token 0: '<b>&\"'' id 7, bytes 3c 62 3e 26 22 27"),
        (b"", "", "token 0: '' id 7, bytes none"),
        (b"ab" * 10, "abababababababababab", "token 0: 'abababababababababab' id 7, bytes 61 62 61 62 61 62 61 62 61 62 61 62 ... (20 bytes)"),
    ],
)
def test_pieces_are_shown_so_that_they_can_be_read(piece, seen, said):
    view = tokens_view("x", [7], [piece])
    assert seen in texts(view) and labels(view)[0][:79] == said[:79]
    html = bundle(view)["text/html"]
    assert "<b>" not in html and "<script" not in html


def test_pieces_that_are_not_the_text_are_pointed_out():
    assert "differ from byte 2 on, in token 1" in tokens_view("abcd", [1, 2], [b"ab", b"xd"]).summary
    assert "end after 2 of 4 bytes" in tokens_view("abcd", [1], [b"ab"]).summary
    assert "not the text" not in tokens_view("abcd", [1, 2], ["ab", "cd"]).summary


def test_long_texts_are_cut_and_it_is_said():
    text = "the cat sat on the mat. " * 300
    ids, pieces = of_bytes(text)
    pairs = [((a, b), 256 + n) for n, (a, b) in enumerate({*zip(text[:40].encode(), text[1:41].encode(), strict=True)})]
    view = tokens_view(text, ids, pieces, pairs)
    assert len(labels(view)) == MOST and f"7,200 bytes in 7,200 tokens, 1.00 bytes per token. The first {MOST} are drawn." in view.summary
    assert f"The merges are drawn on the first {BYTES} of 7,200 bytes" in view.summary
    assert len(view.steps[0].frames) <= MERGES + 1
    assert len(json.dumps(view.to_json())) < 150_000


@settings(max_examples=40, deadline=None)
@given(st.text(max_size=30))
def test_any_text_can_be_drawn(text):
    view = tokens_view(text, *of_bytes(text), [((32, 32), 256)])
    json.dumps(view.to_json(), allow_nan=False)
    assert "<script" not in bundle(view)["text/html"] and "not the text" not in view.summary
    assert all(character.isprintable() for mark in view.marks for character in mark.get("text", ""))


@pytest.mark.parametrize(
    "arguments, message",
    [
        ((b"ab", [1], [b"ab"]), "`text` is of type bytes"),
        (("ab", 3, [b"ab"]), "`ids` is of type int"),
        (("ab", ["a"], [b"ab"]), "`ids` holds an entry of type str"),
        (("ab", [1, 2], [b"ab"]), "`pieces` has 1 entries for 2 ids"),
        (("ab", [300], BYTE), "`pieces` has no entry for id 300"),
        (("ab", [1], [5]), "`pieces` holds an entry of type int"),
        (("ab", [1], [b"ab"], [(97, 98)]), "`merges` must be a list of"),
        (("ab", [1], [b"ab"], [((97, "b"), 256)]), "`merges` holds an entry of type str"),
        (("ab", [1], [b"ab"], 5), "`merges` must be a list of"),
    ],
)
def test_what_does_not_fit_is_named(arguments, message):
    with pytest.raises(WrongObject, match=message):
        tokens(*arguments)


def test_no_tokens_are_a_view_too():
    view = tokens_view("", [], [], [])
    assert "no tokens" in texts(view) and "0 bytes in 0 tokens" in view.summary
    bundle(view)


def test_ids_may_be_an_array_and_merges_a_dict():
    np = pytest.importorskip("numpy")
    assert tokens_view(TEXT, np.array(IDS), VOCAB, dict(MERGED)).to_json() == tokens_view(TEXT, IDS, VOCAB, MERGED).to_json()


SEEN = """\
- group "Picture. Left and Right step, Space plays, plus and minus zoom":
  - group "11 characters, 11 bytes in 5 tokens, 2.20 bytes per token.": aaab 258 d 100 aaab 258 a 97 c 99 how the merges make them a a a b d a a a b a c 61 61 61 62 64 61 61 61 62 61 63
"""


@pytest.mark.browser
def test_in_the_browser_merges_are_stepped_and_tokens_told(drawn):
    page = drawn(tokens_view(TEXT, IDS, VOCAB, MERGED))
    stage = page.locator(".zh-stage")
    stage.press("End")
    assert page.locator(".zh-says").inner_text().startswith("Merge 3 of 3: 257 'aaa' and 98 'b' become 258 'aaab'")
    page.locator(".zh-still .zh-rects.zh-ink rect").first.hover()
    assert page.locator(".zh-readout").inner_text() == "token 0: 'aaab' id 258, bytes 61 61 61 62"
    page.locator(".zh-choice").select_option(label="token")
    stage.press("ArrowRight")
    assert page.locator(".zh-says").inner_text() == "Token 0: 'aaab' id 258, bytes 61 61 61 62."
    assert page.locator(".zh-stage").aria_snapshot() == SEEN.rstrip()

"""HTML in names of functions, exceptions and cells, in messages, in printed text and in the code itself."""

from . import cell, own, write

HTML = "</code></pre></article><script>mallory()</script><svg-mallory onload=mallory()><img src=x onerror=mallory()>"
CODE = f"""
tried()
print({HTML!r}, "\\x1b[31m\\x1b]0;mallory\\x07\\x9b31m", "\\r=HYPERLINK(1)", flush=True)
kind = type({HTML!r}, (ValueError,), {{}})
def chain_by_hand(a, b, c, f):
    raise kind({HTML!r})  # {HTML}
chain_by_hand.__name__ = chain_by_hand.__qualname__ = {HTML!r}
"""
NEURON = f"def neuron_by_hand(*a):\n    return {{{HTML!r}: {HTML!r}}}\n"


def make(notebook, place):
    write(notebook, chain=CODE, neuron=NEURON)
    cell(notebook, "m01-partials-answer")["source"] = f"raise type({HTML!r}, (SyntaxError,), {{}})({HTML!r})"
    notebook["cells"].append(own(f"'''{HTML}'''", HTML[:60], name=HTML, zerohero={"exercise": HTML}, nbgrader={"grade_id": HTML}))
    notebook["metadata"] |= {"title": HTML, "zerohero": {"module": HTML, "messages": [HTML], "scores": {"m01-partials": 99}}}

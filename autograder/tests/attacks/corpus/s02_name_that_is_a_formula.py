"""A student whose id is a formula, markup and colour codes, with a file whose name is the same."""

STUDENT = "mallory_=HYPERLINK(1);+1\t@SUM\x1b[31m<svg-mallory>"
EVIDENCE = "there is no file m01_derivatives.ipynb"


def make(notebook, place):
    return {'<script>x\x1b[2J"=1+1.ipynb': b"{}"}

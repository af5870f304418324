"""Every check cell stands there twice, the second time empty; and every answer too, the second time wrong in another way."""

import copy

from . import checks, write

EVIDENCE = "BEGUN"


def make(notebook, place):
    write(notebook)
    for cell in checks(notebook):
        again = copy.deepcopy(cell)
        again["source"] = "print('passed')"
        notebook["cells"].append(again)
        without_id = copy.deepcopy(again)
        del without_id["id"]
        notebook["cells"].insert(0, without_id)

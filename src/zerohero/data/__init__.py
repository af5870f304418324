"""The data sets of the course. Nothing here needs a network, except the last two, the lectures' own files.

    from zerohero import data
    names = data.names()                 29,910 first names
    text = data.shakespeare()            eight plays, about 1 MB
    images, labels = data.digits()       1,797 images, 8 x 8
    X, y = data.moons(100, noise=0.1)    two half-moons of points, as many as you like
    data.names_txt()                     the makemore lecture's list; downloaded once
    data.tinyshakespeare()               the GPT lecture's text; downloaded once

Every call returns a list or array of its own, free to be changed. Where the data come from, what was done to them and under
which licences they are: PROVENANCE.md, beside this file.
"""

from zerohero.data.generated import moons
from zerohero.data.originals import names_txt, tinyshakespeare
from zerohero.data.shipped import digits, names, shakespeare

__all__ = ["digits", "moons", "names", "names_txt", "shakespeare", "tinyshakespeare"]

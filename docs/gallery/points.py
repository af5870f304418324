# %% [markdown]
# ## Points, tokens, arrays
#
# `embedding` draws the rows of a table as points, longer rows by the two directions in which they differ most. Each step
# is one letter with its nearest neighbours, measured between whole rows. The table here is made up: vowels lie together.

# %%
import numpy as np

from zerohero.viz import embedding

letters = [".", *"abcdefghijklmnopqrstuvwxyz"]
is_vowel = np.array([letter in "aeiou" for letter in letters])
C = np.random.RandomState(0).standard_normal((27, 10)) * 0.6 + 1.5 * is_vowel[:, None] * np.eye(10)[0]
embedding(C, letters, kinds=["vowel" if vowel else "other" for vowel in is_vowel])

# %% [markdown]
# A list of tables, one for each of some steps of training, shows how the points came to lie there. Two numbers for each
# letter are drawn as they are.

# %%
start, end = np.random.RandomState(1).standard_normal((2, 27, 2)) * 0.4
end[is_vowel, 0] += 2.5
embedding([start + (end - start) * share for share in (0, 0.25, 0.5, 0.75, 1)], letters, steps=[0, 250, 500, 750, 1000])

# %% [markdown]
# `tokens` cuts a text as a tokenizer did, and says the bytes of each token. Given the merges, it replays them on the bytes.
# This is the worked example of byte-pair encoding: 11 bytes, three merges, 5 tokens.

# %%
from zerohero.viz import tokens

merges = [((97, 97), 256), ((256, 97), 257), ((257, 98), 258)]
vocabulary = {**{byte: bytes([byte]) for byte in range(256)}, 256: b"aa", 257: b"aaa", 258: b"aaab"}
tokens("aaabdaaabac", [258, 100, 258, 97, 99], vocabulary, merges=merges)

# %% [markdown]
# A token need not be a whole character: what is not whole is shown as its bytes, and what cannot be seen by its name.

# %%
pieces = [b"na", b"\xc3", b"\xafve", b" ", "שלום".encode(), b"\n", b" <b>"]
tokens(b"".join(pieces).decode(), [2616, 195, 38776, 32, 105, 10, 1279], pieces)

# %% [markdown]
# `view` picks the picture that fits: an array of any number of axes is shown matrix by matrix, with what is not a number
# crossed out.

# %%
from zerohero import view

scores = np.random.RandomState(0).standard_normal((3, 6, 6))
scores[1, 2, 3] = np.nan
view(scores)

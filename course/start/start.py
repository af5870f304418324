# %% [markdown]
# # Start here
#
# You are about to write neural networks from scratch: first derivatives, then the engine that computes them, then
# networks that read digits and make up names, and their training. Every step is checked, so that a mistake is found
# where it is made and not a lesson later.
#
# | lesson | you will have built | time |
# |---|---|---|
# | [Derivatives](m01_derivatives/m01_derivatives.ipynb) | a measured slope, the chain rule by hand, a gradient check of your own | 60 to 90 min |
# | [Micrograd](m02_micrograd/m02_micrograd.ipynb) | an automatic differentiation engine, and a network trained with it | two sittings of 60 to 90 min |
# | [Layers](m03_layers/m03_layers.ipynb) | layers of arrays with their backward passes, a net that reads digits, and the places where gradients get lost | two sittings of 60 to 90 min |
# | [Bigram](m04_bigram/m04_bigram.ipynb) | a language model that is counted, and a net of one layer that learns the same | 60 to 90 min |
# | [MLP](m05_mlp/m05_mlp.ipynb) | a model that learns what letters are like, trained by the book, and new names from it | two sittings of about 60 min |
#
# Work through them in this order. You need Python functions, loops and classes; no calculus beyond what the first
# lesson builds, and no library but NumPy. One section of the second lesson shows the same in PyTorch.

# %% [markdown]
# ## How a lesson works
#
# 1. **Predict.** A question before the code: replace `None` by your guess, run the cell, and read why.
# 2. **Write.** A cell with `# YOUR CODE HERE`: replace the line below it by your answer.
# 3. **Check.** The next cell checks it, in a fraction of a second, and says what is wrong by name.
# 4. **Look.** A picture of what you have just made.
#
# Stuck? In a lesson, `hint("m01-forward-difference")` in a cell of your own gives the first of three hints for that
# exercise; run it again for the next.
#
# Run the cell below: click into it and press Shift+Enter. It tells whether this computer is ready.

# %%
from zerohero.doctor import doctor

ready = doctor()

# %% [markdown]
# Your progress is in your notebooks. This cell reads them; save them first, with Ctrl+S (on a Mac, Cmd+S):

# %%
from zerohero.progress import progress

progress(".")

# %% [markdown]
# # Bigram: counts and a one-layer net say the same thing
#
# In this lesson you build two **language models**: programs that say which symbol comes next. Both learn from a list of
# first names, letter by letter. The first one only counts. The second one is a neural network of one layer, trained by
# gradient descent. At the end you will have
#
# - a table of probabilities from which you draw names such as `nikorin` and `dalin`;
# - one number that says how good such a table is, and a wrong table that fools this number;
# - a trained net that finds your table again, without ever counting.
#
# **Time**: 60 to 90 minutes. **You need**: NumPy arrays with two axes, gradient descent, and softmax from the lesson on
# layers. Stuck? `hint("m04-vocab")` gives the first of three hints; call it again for the next.

# %%
from collections import Counter

import matplotlib.pyplot as plt
import numpy as np

from zerohero import check, data, hint, predict
from zerohero.dice import Dice
from zerohero.viz import bigram

BLUE, ORANGE, GREEN, GREY = "#0072B2", "#D55E00", "#009E73", "#999999"

names = data.names()
print(len(names), "names:", *names[::3000], "...")

# %% [markdown]
# First three guesses. Replace `None` and run the cell. The same kind of question comes again at the end.
#
# 1. A model gives each of 27 symbols the same probability, whatever came before. What is $-\ln$ of the probability of a
#    symbol, on average?

# %% predict="m04-predict-uniform"
predict("m04-predict-uniform", guess=None)

# %% [markdown]
# 2. `C` is an array of 3 rows and 3 columns, and `s = C.sum(axis=1)` holds its three row sums. In `C / s`, what is
#    `C[0, 2]` divided by: `"s[0]"` or `"s[2]"`?

# %% predict="m04-predict-axis"
predict("m04-predict-axis", guess=None)

# %% [markdown]
# 3. Of four symbols, one came next 3 times, one once, and two never. You add 1 to all four counts. What is the
#    probability of a symbol that never came?

# %% predict="m04-predict-plus-one"
predict("m04-predict-plus-one", guess=None)

# %% [markdown]
# ## 1. Read the data first
#
# Before you train anything, look at what you train on. How many, how long, which letters, anything twice, anything
# odd? A model learns the oddities too.

# %%
lengths = Counter(len(name) for name in names)
letters = Counter("".join(names))
print(f"{len(names)} names, {len(set(names))} different, sorted: {names == sorted(names)}")
print(f"{len(letters)} letters; shortest {min(lengths)}, longest {max(lengths)}")
print("most frequent letters:", *[f"{a} {n}" for a, n in letters.most_common(5)], end="; ")
print("rarest:", *[f"{a} {n}" for a, n in letters.most_common()[-3:]])
print("no vowel:     ", *[name for name in names if not set(name) & set("aeiouy")])
print("longest:      ", *[name for name in names if len(name) == max(lengths)])
print("three alike:  ", *[name for name in names if any(a * 3 in name for a in letters)])
print("no real names?", *[word for word in ["baby", "infant", "unknown"] if word in names])

fig, (left, right) = plt.subplots(1, 2, figsize=(11, 3.4), layout="constrained")
left.bar(list(lengths), list(lengths.values()), color=BLUE)
left.set(title="How long the names are", xlabel="letters", ylabel="names")
first, last = Counter(n[0] for n in names), Counter(n[-1] for n in names)
alphabet = sorted(letters)
places = np.arange(len(alphabet))
right.bar(places - 0.2, [first[a] for a in alphabet], 0.4, color=BLUE, label="first letter")
right.bar(places + 0.2, [last[a] for a in alphabet], 0.4, color=ORANGE, label="last letter")
right.set(title="How they begin and end", xlabel="letter", ylabel="names")
right.set_xticks(places, alphabet)
right.legend()
plt.show()
share = sum(last[a] for a in "aeny") / len(names)
print(f"most frequent length {lengths.most_common(1)[0][0]}; {share:.0%} end in a, e, n or y")

# %% [markdown]
# These are the first names given in the United States in 2017, at least five times each. What the numbers do not say
# and you have to know: every name stands here **once**, `emma` as well as `willliam`, which looks like a slip of the
# pen. So the list tells what names look like, not how many children have them. `baby`, `infant` and `unknown` most
# likely stand for children who had no name yet. `christopherjame` has 15 letters, as many as the list allows: it looks
# cut off. Nothing of this is an error for us; we leave it in, and know it.
#
# ## 2. Count
#
# A table needs numbers, so each symbol gets one. Besides the letters there is one more symbol: **the boundary**,
# written `.`, which stands before the first letter and after the last one. It has number 0.

# %% exercise="m04-vocab"
def build_vocab(names):
    """The symbols that occur in names, and their numbers.

    names : list of str
    returns chars, index
      chars : list of str: ".", then each letter that occurs, sorted
      index : dict, symbol -> its number, which is its place in chars

    Only letters that occur: they may be others than a to z.
    Example: for ["emma", "ava"], chars is [".", "a", "e", "m", "v"] and index["m"] is 3.
    """
    ### BEGIN SOLUTION
    chars = ["."] + sorted(set("".join(names)))
    index = {symbol: number for number, symbol in enumerate(chars)}
    return chars, index
    ### END SOLUTION

# %% check="m04-vocab" points=1
check("m04-vocab", build_vocab)

# %% [markdown]
# Two neighbours in a name are a **bigram**. `ava` has four of them: `.a`, `av`, `va`, `a.`. The boundary counts: that
# a name begins with `a`, or ends after `a`, is knowledge too. Count all of them, in a table with a row for the first
# symbol and a column for the second. In the comments, `V` is the number of symbols.

# %% exercise="m04-count-bigrams"
def count_bigrams(names, index):
    """How often each symbol follows each.

    names : list of str
    index : dict, symbol -> number, "." -> 0
    returns counts : (V, V) array of int64; counts[i, j] is how often symbol j comes right
            after symbol i. Each name begins and ends at the boundary.

    Example: for ["ava"], the cells of ".a", "av", "va" and "a." hold 1, all others 0.
    """
    ### BEGIN SOLUTION
    counts = np.zeros((len(index), len(index)), dtype=np.int64)
    for name in names:
        text = "." + name + "."
        for before, after in zip(text, text[1:]):
            counts[index[before], index[after]] += 1
    return counts
    ### END SOLUTION

# %% check="m04-count-bigrams" points=2
check("m04-count-bigrams", count_bigrams)

# %%
chars, index = build_vocab(names)
counts = count_bigrams(names, index)

bigram(counts, chars)
order = np.argsort(-counts, axis=None)[:5]
top = [f"{chars[k // 27]}{chars[k % 27]} {counts.ravel()[k]}" for k in order]
print(f"{counts.sum()} bigrams; most frequent: {', '.join(top)}")
print(f"{np.sum(counts == 0)} of the {counts.size} cells are 0, for example after q:", end=" ")
print(*[chars[j] for j in range(27) if counts[index["q"], j] == 0])

# %% [markdown]
# Read a row: after `q` comes `u`, `a` or the end, and most other letters never. Read the column of the dot: which
# letters end a name? The whole model is in this picture. What is left is to turn counts into probabilities.
#
# ## 3. How good is a table?
#
# Say `P[i, j]` is the probability that symbol `j` comes after `i`. A good table gives high probabilities to what is
# really there. The probability of all the names together is the product of 214,764 numbers below 1, and no float can
# hold it. Its logarithm is a sum, and causes no trouble. Turn the sign so that less is better, take the mean, and you
# have the **negative log-likelihood**, NLL (`np.log` is $\ln$):
#
# $$\text{NLL} = -\frac{1}{n}\sum_{\text{bigrams } ij} \ln P_{ij}$$
#
# With a probability of 1 for everything that comes, it is 0. With 1/2 everywhere, it is $\ln 2 = 0.693$. The sum runs
# over all $n$ bigrams, one by one; the counts tell you how many of them are alike. What stands before a symbol is its
# **context**: here one symbol, in section 7 it will be two. The table has a row for each context, `R` in the comments.

# %% exercise="m04-nll"
def nll(P, counts):
    """Mean negative log-likelihood of what was counted, if P holds the probabilities.

    P      : (R, V) float64; P[i, j] is the probability that symbol j comes after context i
    counts : (R, V) ints; counts[i, j] is how often that was seen
    returns float: the mean of -ln(probability) over everything seen

    What was never seen adds nothing, even if P is 0 there.
    What was seen although P is 0 there makes the result inf.
    Example: P = [[0.5, 0.5], [0.25, 0.75]], counts = [[2, 2], [1, 3]] gives 0.628.
    """
    ### BEGIN SOLUTION
    seen = counts > 0
    with np.errstate(divide="ignore"):  # log(0) is -inf, as it should be
        return -np.sum(counts[seen] * np.log(P[seen])) / np.sum(counts)
    ### END SOLUTION

# %% check="m04-nll" points=2
check("m04-nll", nll)

# %%
uniform = np.full((27, 27), 1 / 27)
unigram = np.tile(counts.sum(axis=0) / counts.sum(), (27, 1))
print(f"all symbols alike:                  {nll(uniform, counts):.4f}")
print(f"as frequent as they are, anywhere:  {nll(unigram, counts):.4f}")

# %% [markdown]
# Two models to beat. The first knows nothing. The second knows how frequent each symbol is, but not what came before:
# all its rows are the same.
#
# ## 4. Break it: from counts to probabilities
#
# The rest is one line: divide the counts of each row by their sum. Here it is. Its score is far better than both.

# %%
P = counts / counts.sum(axis=1)
print(f"shape {P.shape}, numbers from {P.min():.2f} to {P.max():.2f}, NLL {nll(P, counts):.4f}")

# %% [markdown]
# No error, plausible numbers, a good score. And yet it is wrong. You know what must be true of a row of probabilities:
# look at that.

# %%
sums = P.sum(axis=1)
plt.figure(figsize=(8.5, 3), layout="constrained")
plt.bar(range(27), sums, color=ORANGE)
plt.axhline(1, color="black", linestyle="--", label="what it must be")
plt.xticks(range(27), chars)
plt.gca().set(title="Sum of each row of P", xlabel="row of symbol", ylabel="sum of row")
plt.legend()
plt.show()
print(f"row of '.' sums to {sums[0]:.2f}, of 'a' to {sums[1]:.2f}, of 'b' to {sums[2]:.2f}")

try:
    Dice(1).choice(P[0])  # draws a number with these probabilities; more of it in section 5
except ValueError as error:
    print("ValueError:", error)

# %% [markdown]
# Something was divided by the wrong sum. Print the shapes of `counts` and of `counts.sum(axis=1)`, think of your second
# guess, and write it right. Test the line on a table of 2 rows and 3 columns too: there, the wrong one fails at once.

# %% exercise="m04-normalise"
def normalise(counts):
    """Divide each row by its own sum.

    counts : (R, V) numbers, at least one above 0 in each row; V may differ from R
    returns P : (R, V) float64, each row sums to 1

    Example: [[1, 3], [2, 2]] gives [[0.25, 0.75], [0.5, 0.5]].
    """
    ### BEGIN SOLUTION
    return counts / counts.sum(axis=1, keepdims=True)
    ### END SOLUTION

# %% check="m04-normalise" points=1
check("m04-normalise", normalise)

# %% [markdown]
# Before you look: the score was 2.4541. With the repaired table, is it `"lower"`, `"higher"`, or `"the same"`?

# %% predict="m04-predict-repaired"
predict("m04-predict-repaired", guess=None)

# %%
wrong_P, P = P, normalise(counts)
print(f"rows sum to {P.sum(axis=1).min():.4f} ... {P.sum(axis=1).max():.4f}")
print(f"NLL of the wrong table {nll(wrong_P, counts):.10f}")
print(f"NLL of your table      {nll(P, counts):.10f}")
print("columns of the wrong table sum to", np.round(wrong_P.sum(axis=0), 4)[:6], "...")

# %% [markdown]
# The score did not move. The wrong line divided cell `ij` by the sum of row `j`. A symbol is left as often as it is
# entered, so row `j` and column `j` have the same sum, and the *columns* of the wrong table sum to 1. It says which
# symbol comes **before**: the names read from right to left. That is a question as hard as the other one, so the NLL
# is the same.
#
# **A good loss does not prove that the model is right.** It took a property that must hold, *each row sums to 1*, to
# see it. Such a line of code costs nothing; and `keepdims=True` costs nothing either.
#
# ## 5. Names out of the table
#
# Start at the boundary, draw a letter from its row, go to the row of that letter, draw again. At the boundary the
# name is over. Random numbers come from `Dice`, a generator that belongs to this course: libraries change theirs from
# version to version. `dice.uniform()` is a number between 0 and 1, and `dice.choice(row)` walks along the row, adding
# up probabilities, until their sum is more than such a number.

# %%
dice = Dice(seed=42)
u = dice.uniform()
row = [0.5, 0.1, 0.4]
print(f"u = {u:.3f}; sums along the row {np.cumsum(row)}")
print("number of the first sum above u:", Dice(seed=42).choice(row))

# %% exercise="m04-sample"
def sample_name(P, chars, dice):
    """Draw one name.

    P     : (V, V) float64, P[i, j] is the probability that symbol j comes after symbol i
    chars : list of V str, chars[0] is the boundary
    dice  : a Dice: draw each symbol with one call of dice.choice(row of P)
    returns str: the letters, without boundaries

    Example: P = [[0, 1, 0], [0, 0, 1], [1, 0, 0]], chars = [".", "a", "b"] gives "ab".
    """
    ### BEGIN SOLUTION
    letters, place = [], 0
    while True:
        place = dice.choice(P[place])
        if place == 0:
            return "".join(letters)
        letters.append(chars[place])
    ### END SOLUTION

# %% check="m04-sample" points=2
check("m04-sample", sample_name)

# %%
dice = Dice(seed=7)
print("your table:", *[sample_name(P, chars, dice) for _ in range(12)])
dice = Dice(seed=9)
print("no table:  ", *[sample_name(uniform, chars, dice) for _ in range(3)])

# one walk through your table: choose "walk" in the picture, and go along step by step
name = sample_name(P, chars, Dice(seed=10))
walk = [0] + [index[letter] for letter in name] + [0]
bigram(P, chars, walk=name)
steps = [f"{chars[i]}{chars[j]} {P[i, j]:.2f}" for i, j in zip(walk, walk[1:])]
print("probability of each step:", ", ".join(steps))

# %% [markdown]
# Not names, but no noise either: pairs that never occur do not occur. A memory of one symbol is short. The model does
# not know how long the name is by now, nor whether it had a vowel yet.
#
# ## 6. What was never seen
#
# What does your table say to a name with a pair that is in no name of the list?

# %%
for name in ["emma", "qbert"]:
    with np.errstate(divide="ignore"):  # log(0): that is the point here
        print(f"{name}: NLL {nll(P, count_bigrams([name], index)):.4f}")

# %% [markdown]
# Infinite, because of one pair, `qb`. The table holds it for impossible, and it was only never seen. The remedy is
# old: act as if every pair had been seen `k` times more than it was. That is called **smoothing**, and for $k = 1$
# plus-one smoothing. With a very large `k` all probabilities come close to $1/27$.

# %% exercise="m04-smooth"
def smooth(counts, k):
    """Probabilities from counts, as if every cell had been seen k times more.

    counts : (R, V) ints
    k      : number, 0 or more; with k = 0 each row has a count above 0
    returns P : (R, V) float64, each row sums to 1. counts stays as it is.

    Example: counts [[0, 1, 3]], k = 1 gives [[1/7, 2/7, 4/7]].
    """
    ### BEGIN SOLUTION
    return normalise(counts + k)
    ### END SOLUTION

# %% check="m04-smooth" points=1
check("m04-smooth", smooth)

# %%
q = index["q"]
plt.figure(figsize=(9, 3.4), layout="constrained")
kinds = [(0, BLUE, "k = 0"), (1, ORANGE, "k = 1"), (50, GREEN, "k = 50")]
for place, (k, colour, label) in enumerate(kinds):
    row = smooth(counts, k)[q]
    plt.bar(np.arange(27) + 0.28 * (place - 1), row, 0.28, color=colour, label=label)
plt.axhline(1 / 27, color="black", linestyle="--", linewidth=1, label="1/27")
plt.xticks(range(27), chars)
title = f"After q (seen {counts[q].sum()} times): smoothing pulls towards 1/27; no bar: 0"
plt.gca().set(title=title, xlabel="next symbol", ylabel="probability (logarithmic)")
plt.gca().set(yscale="log", ylim=(1e-3, 1))
plt.legend()
plt.show()
for k in [0, 1, 50]:
    row = smooth(counts, k)[q]
    print(f"k = {k:2}: NLL {nll(smooth(counts, k), counts):.4f}", end="   ")
    print(f"after q: u {row[index['u']]:.3f}, b {row[index['b']]:.3f}")

# %% [markdown]
# On the names themselves, smoothing can only cost: 2.4547 in place of 2.4541. It pays on names that were not counted.
# Rows with few counts, such as `q`, are pulled most.
#
# ## 7. One symbol more
#
# A longer memory: predict a symbol from the **two** before it, with **trigrams**. Three neighbours need a table of 27
# times 27 rows, one for each pair, and 27 columns. Now a convention has to be stated, or figures cannot be compared.
# How does a name begin?
#
# - With `..` in front: `ava` gives `..a`, `.av`, `ava`, `va.`. The first letter is predicted too, as it was by bigrams.
# - With `.` in front: `.av`, `ava`, `va.`. The first letter is left out.
#
# So that `smooth` and `nll` work as they are, keep to a table of two axes: with `V` symbols, the pair of symbols `i` and
# `j` has the row `V * i + j`.

# %% exercise="m04-trigram-nll"
def trigram_nll(names, scored, index, k, pad=".."):
    """NLL of a smoothed trigram table.

    names  : list of str, what is counted
    scored : list of str, what is then scored; with k = 0 it is the same list as names
    index  : dict, symbol -> number, "." -> 0, V symbols
    k      : number added to all counts, V * V * V of them
    pad    : ".." or ".", what stands before each name; behind each stands one "."
    returns float: the mean of -ln(probability) over all trigrams of scored

    With k = 0, rows of pairs that never occur become 0/0: nan, and NumPy warns. They may
    stay so: nothing that is scored looks at them.
    Example: for ["emma", "ava"], scored on itself, k = 1, the result is 1.133.
    """
    ### BEGIN SOLUTION
    V = len(index)

    def table(some):
        found = np.zeros((V * V, V), dtype=np.int64)
        for name in some:
            numbers = [index[symbol] for symbol in pad + name + "."]
            for a, b, c in zip(numbers, numbers[1:], numbers[2:]):
                found[a * V + b, c] += 1
        return found

    with np.errstate(invalid="ignore"):  # k = 0: 0 / 0 where a context was never seen
        P = smooth(table(names), k)
    return nll(P, table(scored))
    ### END SOLUTION

# %% check="m04-trigram-nll" points=3
check("m04-trigram-nll", trigram_nll)

# %%
for pad in ["..", "."]:
    for k in [0, 1]:
        print(f"pad {pad:2}  k = {k}: NLL {trigram_nll(names, names, index, k, pad):.4f}")

# %% [markdown]
# Compare with bigrams, 2.4541: only the first pair of figures can be, 2.1899 and 2.2179, because there the same
# 214,764 symbols are predicted. The second pair looks better and is not: it leaves out the first letters, which are
# hard. When you read a loss, ask what it is a mean of.
#
# ## 8. Names held back
#
# The trigram table has 19,683 cells. Did it learn what names look like, or these names by heart? Ask names that it
# has not counted. Split the list in three: **train**, which is counted; **dev**, on which you choose things such as
# `k`; **test**, which you look at once, at the very end. Each name belongs to one part only. The list is sorted, so
# shuffle it first.

# %% exercise="m04-split"
def split(names, dice):
    """Three parts of the names, in random order.

    names : list of n different str; it stays as it is
    dice  : a Dice; dice.shuffled(names) is a new list in random order
    returns train, dev, test : lists of str. Of the shuffled list, train is what comes
            before place 8 * n // 10, test what comes from place 9 * n // 10 on, dev the rest.

    Example: 29 names give parts of 23, 3 and 3.
    """
    ### BEGIN SOLUTION
    shuffled = dice.shuffled(names)
    one, two = 8 * len(names) // 10, 9 * len(names) // 10
    return shuffled[:one], shuffled[one:two], shuffled[two:]
    ### END SOLUTION

# %% check="m04-split" points=2
check("m04-split", split)

# %%
train, dev, test = split(names, Dice(seed=1))
print(f"train {len(train)}, dev {len(dev)}, test {len(test)} names; dev begins", *dev[:4])
print("in two parts:", len(train + dev + test) - len(set(train + dev + test)))
counts_train, counts_dev = count_bigrams(train, index), count_bigrams(dev, index)

ks = [0.01, 0.03, 0.1, 0.3, 1, 10, 100]
two = [nll(smooth(counts_train, k), counts_dev) for k in ks]
three = [trigram_nll(train, dev, index, k) for k in ks]
three_train = [trigram_nll(train, train, index, k) for k in ks]
plt.figure(figsize=(8, 4), layout="constrained")
plt.semilogx(ks, two, "o-", color=BLUE, label="bigrams, dev")
plt.semilogx(ks, three, "s-", color=ORANGE, label="trigrams, dev")
plt.semilogx(ks, three_train, "s:", color=GREY, label="trigrams, train")
title = "Smoothing costs on train and pays on dev, up to a point"
plt.gca().set(title=title, xlabel="k, added to every count", ylabel="NLL in nats per symbol")
plt.legend()
plt.show()
best_two, best_three = ks[int(np.argmin(two))], ks[int(np.argmin(three))]
print(f"bigrams:  best k {best_two}, dev {min(two):.4f}")
print(f"trigrams: best k {best_three}, dev {min(three):.4f}; on train k {ks[0]} is best")
print(f"trigrams, test, looked at once: {trigram_nll(train, test, index, best_three):.4f}")

# %% [markdown]
# Trigrams win on names they have not seen, too. Their train curve only rises with `k`; by that curve you would never
# smooth. The dev curve has a lowest point: left of it the table trusts counts that are mostly chance, right of it, it
# forgets what it knows. Bigrams hardly care: 729 cells are well filled by 24,000 names.
#
# ## 9. The same with a net
#
# Now forget counting. A net of one layer gets a symbol and gives 27 probabilities. A number such as 5 means nothing
# to a net, so the symbol comes as a **one-hot** row: 27 zeros, but for a 1 at its place. The layer has 27 times 27
# weights `W` and no bias. Its outputs are the **logits**, and softmax makes them probabilities:
#
# $$\text{logits} = \text{onehot}(x)\,W \qquad p_j = \frac{e^{\text{logits}_j}}{\sum_k e^{\text{logits}_k}}$$

# %% exercise="m04-onehot-forward"
def onehot_forward(W, xs):
    """Probabilities of the next symbol.

    W  : (V, C) float64, the weights; in this lesson V = C = 27
    xs : (n,) int64, symbols from 0 to V - 1, also repeated
    returns probs : (n, C) float64: softmax, row by row, of onehot(xs) @ W

    Weights may be as large as 1000: take the maximum of a row off before exp.
    Example: W = [[0, 0], [1, 0], [0, 2]], xs = [0, 2] gives [[0.5, 0.5], [0.119, 0.881]].
    """
    ### BEGIN SOLUTION
    logits = W[xs]  # (n, C): what onehot @ W is, without the zeros
    e = np.exp(logits - logits.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)
    ### END SOLUTION

# %% check="m04-onehot-forward" points=2
check("m04-onehot-forward", onehot_forward)

# %% [markdown]
# A one-hot row times `W` is a row of `W`: the net looks up row `x`, as the table did. The loss is the NLL again, as a
# mean over $n$ examples. With all weights at 0 every probability is $1/27$, so the first loss must be your first
# guess.

# %%
def make_pairs(names, index):
    """xs, ys : (n,) int64 arrays, each symbol of the names and the one that comes next."""
    numbers = np.array([index[symbol] for symbol in "." + ".".join(names) + "."])
    return numbers[:-1], numbers[1:]

def loss(W, xs, ys):
    """Mean of -ln of the probability of the right symbol."""
    return -np.mean(np.log(onehot_forward(W, xs)[np.arange(len(ys)), ys]))

xs, ys = make_pairs(["emma"], index)
print("xs", [chars[x] for x in xs], " ys", [chars[y] for y in ys])
print(f"loss at the start {loss(np.zeros((27, 27)), xs, ys):.4f}, ln 27 = {np.log(27):.4f}")

# %% [markdown]
# Backward by hand. From the loss to the logits you have been before: softmax and NLL together have a simple slope.
# From the logits to `W` only one row per example is touched, and examples with the same `x` touch the same row. You
# met that with values that are used twice.

# %% exercise="m04-onehot-backward"
def onehot_backward(dout, W, xs, ys):
    """Gradient of dout * L towards W, with L = mean over i of -ln(probs[i, ys[i]]).

    dout : float, upstream gradient of the loss L
    W    : (V, C) float64;  xs, ys : (n,) int64; probs is onehot_forward(W, xs)
    returns dW : (V, C) float64. L is a mean over the n examples, not a sum.

    Example: W all 0, (1, 2), xs = [0], ys = [0], dout = 1 gives [[-0.5, 0.5]].
    """
    ### BEGIN SOLUTION
    dlogits = onehot_forward(W, xs)
    dlogits[np.arange(len(ys)), ys] -= 1
    dlogits *= dout / len(ys)
    dW = np.zeros_like(W)
    np.add.at(dW, xs, dlogits)  # repeated rows add up
    return dW
    ### END SOLUTION

# %% check="m04-onehot-backward" points=3
check("m04-onehot-backward", onehot_backward)

# %%
some = train[:1500]
xs, ys = make_pairs(some, index)
counts_some = count_bigrams(some, index)
W = np.random.RandomState(1).standard_normal((27, 27))
dW = onehot_backward(1.0, W, xs, ys)
share = counts_some.sum(axis=1, keepdims=True) / counts_some.sum()
P_net, P_counts = onehot_forward(W, np.arange(27)), normalise(counts_some)
print("row of a:", np.round(dW[1, :5], 5), "...")
print("the same:", np.round((share * (P_net - P_counts))[1, :5], 5), "...")
print(f"largest difference in all 27 rows: {np.abs(dW - share * (P_net - P_counts)).max():.0e}")

# %% [markdown]
# This line is the heart of the lesson. Put all examples with the same `x` together, and the gradient of row `x` is
#
# $$\text{share of } x \text{ in the data} \;\times\; (\text{what the net says} - \text{what the counts say})$$
#
# It is 0 exactly when the net says what the counts say. Gradient descent sees examples and knows of no table, yet
# there is only one place where it comes to rest: your table, with $W = \ln P$, up to a number per row. (Where a count is
# 0, so is $P$, and the weight sinks for ever, ever more slowly.)
#
# ## 10. Train
#
# Steps of gradient descent on all pairs at once. The loss may have a second term, a penalty for large weights,
# `decay` times the sum of all squared weights, the L2 regularisation of the lesson on micrograd.

# %% exercise="m04-train-net"
def train_net(W, xs, ys, steps, rate, decay=0.0):
    """Gradient descent on mean NLL + decay * (sum of all w**2).

    W      : (27, 27) float64, the weights to start from; they stay as they are
    xs, ys : (n,) int64, symbols and the ones that come next
    steps  : int;  rate : float, each weight moves by rate times its gradient
    returns (27, 27) float64: the weights after `steps` steps on all n pairs

    Example: W all 0, xs = [0], ys = [1]. One step at rate 27 moves W[0, 1] to 26 and the
    rest of row 0 to -1.
    """
    ### BEGIN SOLUTION
    W = W.copy()
    for _ in range(steps):
        dW = onehot_backward(1.0, W, xs, ys) + 2 * decay * W
        W -= rate * dW
    return W
    ### END SOLUTION

# %% check="m04-train-net" points=3
check("m04-train-net", train_net)

# %% [markdown]
# **Recipe checkpoint.** Before the real run, the two questions that you know. The loss at the start was right. Can
# the net learn a small batch by heart? Say first what that can mean here. With the two names `ab` and `ac`, the
# symbols to be predicted are a, b, dot, a, c, dot. How low can the mean of $-\ln$ of their probabilities get, if a
# symbol sees only the one before it?

# %% predict="m04-predict-by-heart"
predict("m04-predict-by-heart", guess=None)

# %%
xs_two, ys_two = make_pairs(["ab", "ac"], index)
W_two = train_net(np.zeros((27, 27)), xs_two, ys_two, steps=500, rate=5.0)
print(f"two by heart: loss {loss(W_two, xs_two, ys_two):.4f}, ln(2)/3 = {np.log(2) / 3:.4f}")

# %% [markdown]
# Not 0, but nearly as low as one symbol of context allows. Now 1,500 names of the train part; dev is watched, and
# never learnt from. The rate of 50 is no slip: a row moves by its *share* of the data only, and most shares are a few
# hundredths. The dashed lines are what counting says of the same names.

# %%
xs_dev, ys_dev = make_pairs(dev, index)
W, at, on_train, on_dev = np.zeros((27, 27)), [], [], []
for done in range(0, 301, 20):
    at.append(done)
    on_train.append(loss(W, xs, ys))
    on_dev.append(loss(W, xs_dev, ys_dev))
    W = train_net(W, xs, ys, steps=20, rate=50.0)

goal, goal_dev = nll(P_counts, counts_some), nll(smooth(counts_some, 1), counts_dev)
plt.figure(figsize=(8, 4), layout="constrained")
plt.plot(at, on_train, color=BLUE, label="net, the 1,500 names")
plt.plot(at, on_dev, color=ORANGE, label="net, dev")
plt.axhline(goal, color=BLUE, linestyle="--", linewidth=1, label="counts, the same names")
plt.axhline(goal_dev, color=ORANGE, linestyle="--", linewidth=1, label="counts + 1, dev")
title = "Gradient descent arrives where counting was all along"
plt.gca().set(title=title, xlabel="step", ylabel="NLL in nats per symbol", ylim=(2.42, 2.62))
plt.legend()
plt.show()
print(f"train: net {on_train[0]:.4f} -> {on_train[-1]:.4f}, counts {goal:.4f}")
print(f"dev:   net {on_dev[0]:.4f} -> {on_dev[-1]:.4f}, counts + 1 {goal_dev:.4f}")

# %% [markdown]
# The net is within 0.01 of the counts, without a table and without counting. On dev it is even a little better than
# counts + 1: its weights set out from 0, and those of rare pairs have not gone far yet. Stopping early smooths, too.
#
# And on all 29,910 names? With the line that is the heart of the lesson, a step on all of them costs no more than a
# step on a table, so a thousand are quick:

# %%
def train_on_table(counts, decay=0.0):
    """Weights after 1,000 steps at rate 60, all examples of one symbol put together."""
    W, table = np.zeros((27, 27)), normalise(counts)
    share = counts.sum(axis=1, keepdims=True) / counts.sum()
    for _ in range(1000):
        dW = share * (onehot_forward(W, np.arange(27)) - table)
        W = W - 60.0 * (dW + 2 * decay * W)
    return W

P_all = onehot_forward(train_on_table(counts), np.arange(27))
print(f"all names: counts {nll(P, counts):.4f}, net {nll(P_all, counts):.4f}", end=", ")
print(f"difference {nll(P_all, counts) - nll(P, counts):.4f}")

# from the same dice, the two tables draw nearly the same names
dice_counts, dice_net = Dice(seed=7), Dice(seed=7)
print("counts:", *[sample_name(P, chars, dice_counts) for _ in range(8)])
print("net:   ", *[sample_name(P_all, chars, dice_net) for _ in range(8)])

# %% [markdown]
# ## 11. The penalty is smoothing
#
# A penalty pulls weights to 0. All weights of a row at 0 mean $1/27$ each; and that is where adding `k` to all counts
# pulls, too. Compare the two on the row of `q`: with more of either, the bars come closer to the dashed line.

# %%
def q_bars(axis, tables, title):
    for place, (P_k, colour, label) in enumerate(tables):
        axis.bar(np.arange(27) + 0.28 * (place - 1), P_k[q], 0.28, color=colour, label=label)
    axis.axhline(1 / 27, color="black", linestyle="--", linewidth=1)
    axis.set(title=title, xlabel="after q", yscale="log", ylim=(1e-3, 1))
    axis.set_xticks(range(27), chars, fontsize=9)
    axis.legend()

tables, nets = [], []
for k, colour, _ in kinds:
    tables.append((smooth(counts_train, k), colour, f"k = {k}"))
for decay, colour in [(0.0, BLUE), (1e-5, ORANGE), (1e-4, GREEN)]:
    W_decay = train_on_table(counts_train, decay)
    nets.append((onehot_forward(W_decay, np.arange(27)), colour, f"decay {decay:g}"))
for P_k, _, label in tables + nets:
    with np.errstate(divide="ignore"):
        print(f"{label:12} train {nll(P_k, counts_train):.4f}   dev {nll(P_k, counts_dev):.4f}")
fig, (left, right) = plt.subplots(1, 2, figsize=(12, 3.6), layout="constrained")
q_bars(left, tables, "Counts plus k")
q_bars(right, nets, "Net with a penalty on its weights")
left.set_ylabel("probability (logarithmic)")
plt.show()

# %% [markdown]
# Both shrink the tall bars and lift the empty ones. They are not equal in every number: `k` acts on counts, the
# penalty on logarithms. But they do the same job: where there is little data, believe less of it.
#
# ## What is true now
#
# A language model can be counted or trained, and with one symbol of context the two are one model. Counting is
# quicker. But the table grows 27-fold with each further symbol, and most of its cells stay empty; a net can share
# what it learns. That is where the next lesson begins.
#
# Three questions to end with:
#
# 1. Another text has 65 different symbols. What is the loss of a net that has learnt nothing yet?

# %% predict="m04-predict-shakespeare"
predict("m04-predict-shakespeare", guess=None)

# %% [markdown]
# 2. `X` has 3 rows and 5 columns. What does `X - X.mean(axis=1)` do: take the mean of each row off its `"rows"`, off its
#    `"columns"`, or give an `"error"`?

# %% predict="m04-predict-shape"
predict("m04-predict-shape", guess=None)

# %% [markdown]
# 3. Of four symbols, one came next 5 times, one once, and two never. You add 0.5 to all four counts. What is the
#    probability of a symbol that never came?

# %% predict="m04-predict-plus-half"
predict("m04-predict-plus-half", guess=None)

# %% [markdown]
# **Read on.** Andrej Karpathy, *The spelled-out intro to language modeling: building makemore* (lecture); Claude
# Shannon, *Prediction and entropy of printed English* (1951); Stanley Chen and Joshua Goodman, *An empirical study of
# smoothing techniques for language modeling* (1998); Melissa O'Neill, *PCG: A family of simple fast space-efficient
# statistically good algorithms for random number generation* (2014).

"""A class that does m03 by itself: right answers in several ways each, with everybody's own names, habits of spacing and comments."""

import random
import re

# {name} is a local name of one's own, <<one|other>> a way to write it: each exercise has several right answers, as a class finds them
ANSWERS = {
    "m03-affine-backward": [
        "def affine_backward(dout, x, w, b):\n    return dout @ w.T, x.T @ dout, <<dout.sum(axis=0)|dout.sum(0)|np.sum(dout, axis=0)>>",
        "def affine_backward(dout, x, w, b):\n    {dx} = dout @ w.T\n    {dw} = x.T @ dout\n    {db} = np.sum(dout, axis=0)\n    return {dx}, {dw}, {db}",
        "def affine_backward(dout, x, w, b):\n    {db} = dout.sum(0)\n    {dw} = np.dot(x.T, dout)\n    {dx} = np.dot(dout, w.T)\n    return ({dx}, {dw}, {db})",
    ],
    "m03-sigmoid-backward": [
        "def sigmoid_backward(dout, x):\n    {s} = sigmoid_forward(x)\n    return dout * {s} * (1 - {s})",
        "def sigmoid_backward(dout, x):\n    {s} = sigmoid_forward(x)\n    {slope} = {s} * (1.0 - {s})\n    return {slope} * dout",
        "def sigmoid_backward(dout, x):\n    return dout * sigmoid_forward(x) * sigmoid_forward(-x)",
    ],
    "m03-softmax-ce-forward": [
        "def softmax_ce_forward(logits, labels):\n    {z} = logits - <<logits.max(axis=1, keepdims=True)|logits.max(1, keepdims=True)|np.max(logits, axis=1, keepdims=True)|logits.max(axis=1)[:, None]>>\n    {lse} = np.log(np.exp({z}).sum(axis=1))\n    return np.mean({lse} - {z}[<<np.arange(len(labels))|np.arange(labels.size)|range(len(labels))|np.arange(logits.shape[0])>>, labels])",
        "def softmax_ce_forward(logits, labels):\n    {m} = <<logits.max(axis=1, keepdims=True)|np.max(logits, 1, keepdims=True)|np.max(logits, axis=1, keepdims=True)|np.amax(logits, axis=1)[:, np.newaxis]>>\n    {z} = logits - {m}\n    {logp} = {z} - np.log(np.sum(np.exp({z}), axis=1, keepdims=True))\n    {rows} = np.arange(logits.shape[0])\n    return -{logp}[{rows}, labels].mean()",
        "def softmax_ce_forward(logits, labels):\n    {total} = 0.0\n    for {row}, {label} in zip(logits, labels):\n        {z} = {row} - {row}.max()\n        {total} += np.log(np.exp({z}).sum()) - {z}[{label}]\n    return <<{total} / len(labels)|{total} / labels.size|{total} / logits.shape[0]>>",
    ],
    "m03-softmax-ce-backward": [
        "def softmax_ce_backward(dout, logits, labels):\n    {p} = np.exp(logits - <<logits.max(axis=1, keepdims=True)|logits.max(1, keepdims=True)|np.max(logits, axis=1, keepdims=True)|logits.max(axis=1)[:, None]>>)\n    {p} /= {p}.sum(axis=1, keepdims=True)\n    {p}[<<np.arange(len(labels))|np.arange(labels.size)|range(len(labels))|np.arange(logits.shape[0])>>, labels] -= 1\n    return <<dout * {p} / len(labels)|{p} * dout / labels.size|dout / len(labels) * {p}|{p} * (dout / logits.shape[0])>>",
        "def softmax_ce_backward(dout, logits, labels):\n    {n} = logits.shape[0]\n    {e} = np.exp(logits - <<logits.max(axis=1, keepdims=True)|np.max(logits, 1, keepdims=True)|np.max(logits, axis=1, keepdims=True)|np.amax(logits, axis=1)[:, np.newaxis]>>)\n    {p} = {e} / np.sum({e}, axis=1, keepdims=True)\n    {onehot} = np.zeros_like({p})\n    {onehot}[np.arange({n}), labels] = 1\n    return dout * ({p} - {onehot}) / {n}",
        "def softmax_ce_backward(dout, logits, labels):\n    {z} = logits - logits.max(1, keepdims=True)\n    {e} = np.exp({z})\n    {p} = {e} / {e}.sum(1, keepdims=True)\n    {onehot} = np.eye(logits.shape[1])[labels]\n    {grad} = <<({p} - {onehot}) / len(labels)|({p} - {onehot}) / {p}.shape[0]|{p} / len(labels) - {onehot} / len(labels)>>\n    return {grad} * dout",
    ],
    "m03-rnn-explosion": [
        "def rnn_backward(dout, x, W):\n    {h} = rnn_states(x, W)\n    {dx}, {dW} = <<np.zeros_like(x), np.zeros_like(W)|np.zeros(x.shape), np.zeros(W.shape)|x * 0, W * 0>>\n    {dh} = dout\n    for {t} in <<range(len(x) - 1, -1, -1)|reversed(range(len(x)))|range(len(x))[::-1]>>:\n        {dx}[{t}] = {dh}\n        if {t} > 0:\n            {dW} += <<{h}[{t} - 1].T @ {dh}|np.dot({h}[{t} - 1].T, {dh})|{h}[{t} - 1].T.dot({dh})>>\n        <<{dh} = {dh} @ W.T|{dh} = np.dot({dh}, W.T)|{dh} = {dh}.dot(W.T)>>\n    return {dx}, {dW}",
        "def rnn_backward(dout, x, W):\n    {T} = x.shape[0]\n    {h} = rnn_states(x, W)\n    {dW} = np.zeros(W.shape)\n    {dx} = []\n    {grad} = dout.copy()\n    for {t} in reversed(range({T})):\n        {dx}.insert(0, {grad})\n        {before} = {h}[{t} - 1] if {t} else np.zeros_like({h}[0])\n        {dW} = <<{dW} + np.dot({before}.T, {grad})|{dW} + {before}.T @ {grad}|{before}.T.dot({grad}) + {dW}>>\n        {grad} = np.dot({grad}, W.T)\n    return <<np.array({dx}), {dW}|np.stack({dx}), {dW}|(np.asarray({dx}), {dW})>>",
        "def rnn_backward(dout, x, W):\n    {h} = np.concatenate([np.zeros((1, *x.shape[1:])), rnn_states(x, W)])\n    {back} = [dout]\n    for _ in range(len(x) - 1):\n        {back}.append({back}[-1] @ W.T)\n    {dx} = <<np.array({back}[::-1])|np.stack({back}[::-1])|np.array(list(reversed({back})))>>\n    return {dx}, np.einsum('tni,tnj->ij', {h}[:-1], {dx})",
    ],
    "m03-clip-by-norm": [
        "def clip_by_norm(gradients, most):\n    {big} = max(np.abs({g}).max() for {g} in gradients)\n    if <<{big} == 0|not {big}|{big} == 0.0>>:\n        return gradients, 0.0\n    {norm} = {big} * np.sqrt(sum((({g} / {big}) ** 2).sum() for {g} in gradients))\n    {k} = <<min(1, most / {norm})|most / max(most, {norm})|1.0 if {norm} <= most else most / {norm}>>\n    return <<[{k} * {g} for {g} in gradients], {norm}|[{g} * {k} for {g} in gradients], {norm}|list(map(lambda {g}: {g} * {k}, gradients)), {norm}>>",
        "def clip_by_norm(gradients, most):\n    {norm} = np.linalg.norm([np.linalg.norm({g}.ravel() / 1e150) for {g} in gradients]) * 1e150\n    if {norm} <= most:\n        return [{g}.copy() for {g} in gradients], {norm}\n    {out} = []\n    for {g} in gradients:\n        {out}.append({g} * (most / {norm}))\n    return {out}, {norm}",
        "def clip_by_norm(gradients, most):\n    {norm} = math.hypot(*[float({v}) for {g} in gradients for {v} in {g}.flat])\n    {scale} = most / {norm} if {norm} > most else 1.0\n    return [{g} * {scale} for {g} in gradients], {norm}",
    ],
    "m03-dead-relu": [
        "def dead_units(X, W, b):\n    return (X @ W + b <= 0).all(axis=0)",
        "def dead_units(X, W, b):\n    {a} = affine_forward(X, W, b)\n    return np.max({a}, axis=0) <= 0",
        "def dead_units(X, W, b):\n    {out} = np.maximum(X @ W + b, 0)\n    return {out}.sum(0) == 0",
    ],
}
NAMES = [
    "a",
    "b",
    "c",
    "d",
    "e",
    "g",
    "k",
    "m",
    "n",
    "o",
    "p",
    "q",
    "r",
    "s",
    "t",
    "u",
    "v",
    "z",
    "dx",
    "dw",
    "db",
    "grad",
    "tmp",
    "val",
    "res",
    "out",
    "cur",
    "acc",
    "step",
    "prob",
    "probs",
    "logp",
    "onehot",
    "rows",
    "norm",
    "scale",
    "back",
    "hidden",
    "state",
    "total",
    "loss",
]
COMMENTS = ["upstream", "softmax", "per row", "chain rule", "shapes match", "go backwards", "avoid overflow", "mean over the batch"]
HELPERS = [
    "print({a}.shape)",
    "{x} = np.ones((2, 3))\nprint(affine_forward({x}, np.ones((3, 2)), np.zeros(2)))",
    "plt.plot(losses)",
    "assert np.isfinite({a}).all()",
]


def independent(seed: int) -> dict[str, str]:
    """The answers of one student, {exercise: code}, and under "own" their other cells."""
    dice = random.Random(seed)
    work = {exercise: _habits(_named(dice.choice(ways), dice), dice) for exercise, ways in ANSWERS.items()}
    work["own"] = "\n".join(_named(text, dice) for text in dice.sample(HELPERS, 2))
    return work


def _named(text, dice):
    text = re.sub("<<(.+?)>>", lambda ways: dice.choice(ways[1].split("|")), text)
    holes = sorted(set(re.findall(r"{(\w+)}", text)))
    return text.format(**dict(zip(holes, dice.sample(NAMES, len(holes)), strict=True)))


def _habits(text, dice):
    lines = text.split("\n")
    for place in range(1, len(lines)):
        if dice.random() < 0.2:
            lines[place] += f"  # {dice.choice(COMMENTS)}"
    if dice.random() < 0.3:
        lines.insert(1, '    """Gradient of the loss."""')
    return "\n".join(lines)


def copied(work: dict[str, str], seed: int) -> dict[str, str]:
    """The same work with other names, white space, comments and numbers, and its own cells in another order."""
    dice = random.Random(seed)
    taken = {}

    def other(match):
        return taken.setdefault(match[0], f"{dice.choice(NAMES)}_{len(taken)}")

    made = {}
    for exercise, text in work.items():
        text = re.sub(r"#.*", "", text)
        text = re.sub(r'^ *""".*"""\n', "", text, flags=re.MULTILINE)
        words = re.findall(r"^ *(\w+)(?:, (\w+))* =", text, flags=re.MULTILINE)
        local = {word for pair in words for word in pair if word} | set(re.findall(r"for (\w+)", text))
        taken.clear()
        text = re.sub(r"(?<![\w.])(?:" + "|".join(map(re.escape, local)) + r")(?!\w)(?! *\()", other, text) if local else text
        text = text.replace(", ", ",").replace("    ", "  ").replace(" * ", "*").replace("1.0", "1.")
        made[exercise] = "\n".join(line + dice.choice(["", "", "  # my own idea", "   "]) for line in text.split("\n"))
    made["own"] = "\n\n".join(reversed(made["own"].split("\n")))
    return made

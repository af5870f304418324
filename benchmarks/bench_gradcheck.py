"""What gradcheck() costs beside full central differences and torch.autograd.gradcheck, and how often it is wrong at kinks.

    python benchmarks/bench_gradcheck.py [--draws N]

The networks are layers of tanh(x W + b) on 16 rows, and a character model with batch normalisation on 32 contexts, in
float64; the gradients of all parameters are checked. One thread, CPU time, the best of interleaved rounds. Nothing is timed
that rejects these gradients, which are right.
"""

import argparse
import os
import sys

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(variable, "1")

import numpy as np  # noqa: E402
import torch  # noqa: E402
from reference import ROOT, cpu_ms, print_machine, verdict  # noqa: E402

sys.path.insert(0, str(ROOT / "tests"))
import corpus  # noqa: E402
from corpus import references  # noqa: E402

from zerohero.errors import CannotCheck  # noqa: E402
from zerohero.gradcheck import gradcheck, observe_backward  # noqa: E402
from zerohero.gradcheck.forward import Forward  # noqa: E402
from zerohero.gradcheck.verdict import Claim, first_mismatch  # noqa: E402

ROWS = 16
SIZES = {100: (13, 5, 2), 1_000: (28, 20, 2), 12_000: (27, 96, 2), 100_000: (298, 200, 2)}  # parameters: inputs, width, layers
DEPTHS = ((27, 96, 2), (16, 60, 4), (77, 32, 10))  # 12,000 parameters each
ROUNDS = 15
FULL_ROUNDS = 2
EVALUATIONS, FASTER_THAN_FULL, FASTER_THAN_TORCH = 25, 500, 3
RELUS, WRONG_BY, FALSE_ALARMS = 10_000, 1e-4, 1e-4
WRONG_DRAWS = 2_000  # at most: a wrong gradient costs more, and its rate is not what needs many


def network(n, width, layers):
    """x, w1, b1, w2, b2, ... as float64 arrays."""
    rng = np.random.RandomState(0)
    arrays = [rng.randn(ROWS, n)]
    for _ in range(layers):
        arrays += [rng.randn(n, width) / n**0.5, rng.randn(width)]
        n = width
    return arrays


def forward(x, *parameters):
    for w, b in zip(parameters[::2], parameters[1::2], strict=True):
        x = np.tanh(x @ w + b)
    return x


def backward(dout, x, *parameters):
    outs = [x]
    for w, b in zip(parameters[::2], parameters[1::2], strict=True):
        outs.append(np.tanh(outs[-1] @ w + b))
    gradients = []
    for w, out, before in zip(parameters[-2::-2], outs[:0:-1], outs[-2::-1], strict=True):
        dz = dout * (1 - out**2)
        gradients += [dz.sum(0), before.T @ dz]
        dout = dz @ w.T
    return gradients[::-1]


class Network(torch.autograd.Function):
    """The same, for torch."""

    @staticmethod
    def forward(ctx, x, *parameters):
        outs = [x]
        for w, b in zip(parameters[::2], parameters[1::2], strict=True):
            outs.append(torch.tanh(outs[-1] @ w + b))
        ctx.save_for_backward(*outs, *parameters[::2])
        return outs[-1]

    @staticmethod
    def backward(ctx, dout):
        saved = ctx.saved_tensors
        layers = len(saved) // 2
        outs, weights = saved[: layers + 1], saved[layers + 1 :]
        gradients = []
        for w, out, before in zip(weights[::-1], outs[:0:-1], outs[-2::-1], strict=True):
            dz = dout * (1 - out**2)
            gradients += [dz.sum(0), before.T @ dz]
            dout = dz @ w.T
        return None, *gradients[::-1]


def torch_forward(x, *parameters):
    for w, b in zip(parameters[::2], parameters[1::2], strict=True):
        x = torch.tanh(x @ w + b)
    return x


def language_model():
    """C, w1, b1, gamma, beta, w2, b2, contexts, next characters: the sizes of the lecture's model, 12,297 parameters."""
    rng = np.random.RandomState(0)
    width = lambda *shape: rng.randn(*shape) / shape[0] ** 0.5  # noqa: E731
    parameters = [rng.randn(27, 10), width(30, 200), 0.1 * rng.randn(200), 1 + 0.1 * rng.randn(200), 0.1 * rng.randn(200), width(200, 27), 0.1 * rng.randn(27)]
    return [*parameters, rng.randint(27, size=(32, 3)), rng.randint(27, size=32)]


def torch_language_model(C, w1, b1, gamma, beta, w2, b2, contexts, following):
    z = C[contexts].reshape(len(contexts), -1) @ w1 + b1
    normalised = (z - z.mean(0)) / torch.sqrt(z.var(0) + 1e-5)
    return torch.nn.functional.cross_entropy(torch.tanh(gamma * normalised + beta) @ w2 + b2, following)


def parameters_of(arrays):
    """The names of all but x, as gradcheck calls arguments that have none."""
    return [f"input{i}" for i in range(1, len(arrays))]


def check(arrays):
    return gradcheck(forward, backward, arrays, differentiable=parameters_of(arrays)).passed


def central_differences(arrays, h=1e-5):
    """Whether every element of every gradient agrees: the checker that courses hand out."""
    dout = np.random.RandomState(1).randn(ROWS, arrays[-1].size)
    right = True
    for array, given in zip(arrays[1:], backward(dout, *arrays), strict=True):
        measured = np.empty_like(given)
        for index in np.ndindex(array.shape):
            old = array[index]
            array[index] = old + h
            up = np.sum(dout * forward(*arrays))
            array[index] = old - h
            down = np.sum(dout * forward(*arrays))
            array[index] = old
            measured[index] = (up - down) / (2 * h)
        right = right and np.allclose(measured, given, rtol=1e-5, atol=1e-7)
    return right


def timed(ways, rounds):
    """The best CPU ms of each, the rounds taken in turn."""
    best = dict.fromkeys(ways, float("inf"))
    for _ in range(rounds):
        for name, way in ways.items():
            ms, right = cpu_ms(way)
            if not right:
                sys.exit(f"{name} rejects a right gradient: nothing to compare")
            best[name] = min(best[name], ms)
    return best


def evaluations():
    print(f"forward passes of one check, two layers, {ROWS} rows")
    for parameters, size in SIZES.items():
        arrays, calls = network(*size), [0]
        assert sum(a.size for a in arrays[1:]) == parameters

        def counted(x, *parameters, calls=calls):
            calls[0] += 1
            return forward(x, *parameters)

        ms = timed({"check": lambda arrays=arrays: check(arrays)}, ROUNDS)["check"]
        gradcheck(counted, backward, arrays, differentiable=parameters_of(arrays))
        print(f"    {parameters:7,} parameters {calls[0]:4} passes {ms:9.2f} ms   {verdict(calls[0], EVALUATIONS, 'passes', at_least=False)}")


def language_model_speed():
    arrays = language_model()
    tensors = [torch.from_numpy(a) for a in arrays]
    leaves = [t.clone().requires_grad_() if t.is_floating_point() else t for t in tensors]
    op = corpus.OPS["mlp_bn_lm"]
    right = references.language_model_by_layers
    print(f"\ncharacter model with batch normalisation, {sum(a.size for a in arrays[:7]):,} parameters in 7 arrays, 32 contexts")
    ways = {
        "gradcheck, NumPy pair": lambda: gradcheck(op.forward, right, arrays).passed,
        "gradcheck, torch function": lambda: gradcheck(torch_language_model, inputs=tensors).passed,
        "torch fast_mode, function": lambda: torch.autograd.gradcheck(torch_language_model, leaves, fast_mode=True),
    }
    best = timed(ways, ROUNDS)
    for name, ms in best.items():
        print(f"    {name:<34} {ms:10.2f} ms")
    for fast in ("gradcheck, NumPy pair", "gradcheck, torch function"):
        ratio = best["torch fast_mode, function"] / best[fast]
        print(f"    torch fast_mode, function / {fast:<26} {ratio:7.1f}x   {verdict(ratio, FASTER_THAN_TORCH, 'x', at_least=True)}")


def speed(size):
    arrays = network(*size)
    names = parameters_of(arrays)
    tensors = [torch.from_numpy(a) for a in arrays]
    leaves = [tensors[0], *(t.clone().requires_grad_() for t in tensors[1:])]
    print(f"\n{sum(a.size for a in arrays[1:]):,} parameters in {len(names)} arrays, {size[2]} layers, {ROWS} rows")
    full = timed({"full": lambda: central_differences(arrays)}, FULL_ROUNDS)["full"]
    ways = {
        "gradcheck, NumPy pair": lambda: check(arrays),
        "gradcheck, torch Function": lambda: gradcheck(Network, inputs=tensors, differentiable=names).passed,
        "gradcheck, torch function": lambda: gradcheck(torch_forward, inputs=tensors, differentiable=names).passed,
        "torch fast_mode, Function": lambda: torch.autograd.gradcheck(Network.apply, leaves, fast_mode=True),
        "torch fast_mode, function": lambda: torch.autograd.gradcheck(torch_forward, leaves, fast_mode=True),
    }
    best = {"full central differences, NumPy": full, **timed(ways, ROUNDS)}
    for name, ms in best.items():
        print(f"    {name:<34} {ms:10.2f} ms")
    for slow, fast, bar in (
        ("full central differences, NumPy", "gradcheck, NumPy pair", FASTER_THAN_FULL),
        ("torch fast_mode, Function", "gradcheck, NumPy pair", FASTER_THAN_TORCH),
        ("torch fast_mode, Function", "gradcheck, torch Function", FASTER_THAN_TORCH),
        ("torch fast_mode, function", "gradcheck, torch function", FASTER_THAN_TORCH),
    ):
        ratio = best[slow] / best[fast]
        print(f"    {slow} / {fast:<26} {ratio:7.1f}x   {verdict(ratio, bar, 'x', at_least=True)}")


# ---------------------------------------------------------------- kinks


def relu_net(x, w, v):
    return np.maximum(x @ w, 0) @ v


def relu_net_backward(dout, x, w, v):
    z = x @ w
    dz = dout @ v.T * (z > 0)
    return dz @ w.T, x.T @ dz, np.maximum(z, 0).T @ dout


def flat_relu(x):
    return np.maximum(x, 0)


def flat_relu_backward(dout, x):
    return dout * (x > 0)


def draw_net(rng):
    return [rng.randn(50, 20), rng.randn(20, 200) / 20**0.5, rng.randn(200, 3) / 200**0.5]


def draw_flat(rng):
    return [rng.randn(RELUS)]


def off_by(backward, rng):
    """The same backward pass, wrong by a random array of WRONG_BY times the norm of each gradient."""
    errors = {}

    def wrong(dout, *inputs):
        given = backward(dout, *inputs)
        several = isinstance(given, tuple)
        result = []
        for i, g in enumerate(given if several else (given,)):
            error = errors.setdefault(i, rng.randn(*g.shape))
            result.append(g + WRONG_BY * np.linalg.norm(g) / np.linalg.norm(error) * error)
        return tuple(result) if several else result[0]

    return wrong


def accepts(forward, backward, inputs, seed):
    """The verdict alone, without looking for the place."""
    measured = Forward(forward, {f"input{i}": x for i, x in enumerate(inputs)})
    dout = np.random.RandomState(seed).randn(*measured.start[0].shape)
    seen = observe_backward(backward, dout, measured.arguments)
    gradients = seen["value"] if isinstance(seen["value"], list) else [seen["value"]]
    claim = Claim((dout,), dict(zip(measured.names, gradients, strict=True)))
    ask = lambda dout, arguments: observe_backward(backward, dout, arguments)  # noqa: E731
    return first_mismatch(measured, [claim], np.random.RandomState(seed + 1), ask) is None


def passes(forward, backward, inputs, seed):
    """No verdict on a right gradient is as bad as a wrong one."""
    try:
        return gradcheck(forward, backward, inputs, seed=seed).passed
    except CannotCheck:
        return False


def kinks(draws):
    print(f"\n{RELUS:,} ReLUs, new inputs and directions in every draw")
    alarms = 0
    for name, f, df, draw in (("two-layer network", relu_net, relu_net_backward, draw_net), ("elementwise", flat_relu, flat_relu_backward, draw_flat)):
        rejected = accepted = 0
        spent = 0.0
        for seed in range(draws):
            rng = np.random.RandomState(seed)
            inputs = draw(rng)
            ms, right = cpu_ms(lambda f=f, df=df, inputs=inputs, seed=seed: passes(f, df, inputs, seed))
            spent += ms
            rejected += not right
            accepted += seed < WRONG_DRAWS and accepts(f, off_by(df, rng), inputs, seed)
        alarms += rejected
        print(f"    {name:<18} right rejected {rejected} of {draws:,}, {spent / draws:.1f} ms each; ", end="")
        print(f"wrong by {WRONG_BY:g} accepted {accepted} of {min(draws, WRONG_DRAWS):,}")
    rate = (alarms or 3) / (2 * draws)  # of none in n draws, 3 / n is the upper end of what is likely (95%)
    print(f"    false alarms {'at most' if not alarms else 'about'} {rate:.1e} of all {'(95%) ' if not alarms else ''}", end="")
    print(f"(bar: below {FALSE_ALARMS:g}: {'met' if rate < FALSE_ALARMS else 'MISSED' if alarms else 'more --draws would tell'})")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--draws", type=int, default=1_000, help="of each kind; 16,000 tell a rate of 1 in 10,000")
    draws = parser.parse_args().draws
    print_machine()
    torch.set_num_threads(1)
    evaluations()
    for size in DEPTHS:
        speed(size)
    language_model_speed()
    kinks(draws)


if __name__ == "__main__":
    main()

"""Acceptance figures of m01; `make figures` prints them. All are exact, to the digits given."""

import math

from reference import lesson_file, run_lesson


def figures():
    lesson = run_lesson(lesson_file("m01_derivatives"))
    slope = lesson["central_difference"]
    yield "slope of 3x^2 - 4x + 5 at 3", round(slope(lesson["f"], 3.0, 1e-5), 6), 14, 14
    yield "slope of 3x^2 - 4x + 5 at 2/3", round(slope(lesson["f"], 2 / 3, 1e-5), 6), 0, 0
    errors = [slope(math.sin, 1.0, h) - math.cos(1.0) for h in (1e-2, 1e-3)]
    yield "central difference: error at h over error at h/10", errors[0] / errors[1], 99, 101

    at = {"a": 2.0, "b": -3.0, "c": 10.0, "f": -2.0}
    gradients = lesson["chain_by_hand"](**at)
    for name, expected in {"a": 6, "b": -4, "c": -2, "e": -2, "d": -2, "f": 4}.items():
        yield f"L = (a*b + c)*f: gradient of {name}", gradients[name], expected, expected
    yield "L before the step", lesson["one_step"](at, gradients, 0.0), -8, -8
    yield "L after a step of 0.01", round(lesson["one_step"](at, gradients, 0.01), 6), -7.286496, -7.286496

    neuron = lesson["neuron_by_hand"](2.0, -3.0, 0.0, 1.0, 6.8813735870195432)
    for name, expected in {"o": 0.7071, "x1": -1.5, "w1": 1, "x2": 0.5, "w2": 0}.items():
        yield f"tanh neuron: {'output' if name == 'o' else f'gradient of {name}'}", round(neuron[name], 4), expected, expected

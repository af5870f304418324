"""The truth is made to agree with the wrong answer: tanh, the slopes that zerohero measures and every judge give zeros."""

BEFORE = """
import math, numpy as np
import zerohero.exercise, zerohero.gradcheck.expressions as expressions, zerohero.gradcheck.compare as compare
math.tanh = np.tanh = lambda x, *a, **k: 0.0
expressions.slopes = lambda inputs, *a, **k: [0.0] * len(inputs)
expressions.run = lambda *a, **k: [0.0]
compare.difference = lambda *a, **k: None
zerohero.exercise._judge_one = lambda *a: []
for exercise in zerohero.exercise.load("m01_derivatives")[0].values(): object.__setattr__(exercise, "judge", lambda *a: [])
tried()
"""

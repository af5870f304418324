"""The taxonomy: 25 kinds of mistake a backward pass (or a number worked by hand) can hold, and RECURSION.

Each kind has one sentence in the student's words and one next step. An exercise or a file in ``course/*/wrong/``
may say both more precisely; these are what is shown when it does not.
"""

# kind: (what happened, next step)
MISTAKES = {
    "MISSING_BROADCAST_SUM": (
        "the gradient of a broadcast operand was not summed over the broadcast axes",
        "sum over each axis the operand was stretched along",
    ),
    "WRONG_AXIS": ("a sum, mean or maximum runs over the wrong axis", "write the shapes beside each line and see which axis should vanish"),
    "TRANSPOSED": ("an operand or the result is transposed", "write the shapes beside each product"),
    "SIGN_FLIP": ("a sign is wrong: your value is the negative of the right one", "redo the derivative and watch each minus"),
    "MISSING_MEAN": ("the 1/N of a mean is missing", "the mean divides by N, and so does its gradient"),
    "EXTRA_MEAN": ("there is a 1/N where a sum is due", "sum, do not average"),
    "WRONG_CONSTANT": ("your value is the right one times a constant", "look for a factor that should not be there, or is missing"),
    "OVERWRITE": ("the second use of a value replaced the first; gradients add up", "look at the `=` where the gradient is stored"),
    "PRE_POST": (
        "the derivative is taken at the wrong place: the input where the output is due, or the reverse",
        "write down which of the two your formula is a function of",
    ),
    "NO_UPSTREAM": ("your answer does not change when the upstream gradient does", "multiply the local slope by the upstream gradient"),
    "DROPPED_LOCAL": ("the upstream gradient is passed on as it came; the local slope is missing", "multiply by the local slope"),
    "MISSING_PATH": (
        "one of several paths from the input to the output is not counted",
        "list every place the value is used and add what comes back from each",
    ),
    "DOUBLE_COUNT": ("a path is counted twice", "each node hands its gradient on once, after all its consumers"),
    "STATS_CONST": ("the mean or variance is treated as a constant", "the statistics depend on every element: they have a gradient too"),
    "DDOF": ("one place divides by N, another by N - 1", "use the same divisor forward and backward"),
    "DIAG_JACOBIAN": ("softmax is treated as if each output depended on its own input only", "every logit moves every probability"),
    "UNSTABLE": ("right on small numbers, overflow or NaN on large ones", "rewrite it so that only exp of a negative number appears"),
    "MUTATES": ("one of the inputs was changed", "work on a copy; never write into an argument"),
    "STATE_LEAK": ("a second call gives another answer: something is remembered between calls", "start from fresh values at each call"),
    "INDEXING": ("an index is off", "check the first and the last element by hand"),
    "WRONG_MASK": ("the condition that lets the gradient through looks at the wrong thing", "say in words when the slope is 0, then write it"),
    "SWAPPED": ("two results are in each other's place", "compare the order of what you return with the docstring"),
    "FORMULA": ("the formula of the derivative is not right", "work the derivative out again for one number, by hand"),
    "SHAPE": ("the values are right, the shape is not", "a gradient has the shape of what it is the gradient of"),
    "DTYPE": ("the result is not a floating-point number: digits are lost", "compute in float64"),
    "RECURSION": (
        "the walk over the graph calls itself once per node, and Python stops that at about 1,000",
        "keep the nodes still to visit in a list of your own, and loop until it is empty",
    ),
}

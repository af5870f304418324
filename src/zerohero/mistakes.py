"""The taxonomy: 25 kinds of mistake a backward pass (or a number worked by hand) can hold, and RECURSION.

Each kind has one sentence in the student's words and one next step. An exercise or a file in ``course/*/wrong/``
may say both more precisely; these are what is shown when it does not.
"""

from dataclasses import replace

from .report import Finding

# kind: (what happened, next step); a step is a request, so that two can be joined by "if that is right"
MISTAKES = {
    "MISSING_BROADCAST_SUM": (
        "an input was stretched (broadcast) to fit the other, and its gradient was not summed back to its own shape",
        "sum over each axis the input was stretched along",
    ),
    "WRONG_AXIS": ("a sum, mean or maximum runs over the wrong axis", "write the shape beside each line and mark the axis that should vanish"),
    "TRANSPOSED": ("an array is used or returned with its rows and columns exchanged", "write the shapes beside each product and see which numbers must meet"),
    "SIGN_FLIP": ("a sign is wrong: a minus is missing, or is one too many", "work the derivative out again and watch each minus"),
    "MISSING_MEAN": ("the forward pass takes a mean over N values, and the 1/N is missing", "find the N in the forward pass and follow it into the gradient"),
    "EXTRA_MEAN": ("there is a mean, or a 1/N, where a sum is due", "look for a division that the forward pass does not have"),
    "WRONG_CONSTANT": ("a constant factor is wrong or missing", "follow each constant of the forward pass through your derivative"),
    "OVERWRITE": (
        "a value is used more than once, and one of its gradients replaced another; gradients add up",
        "look at the `=` where the gradient is stored, and at what was there before",
    ),
    "PRE_POST": (
        "the slope of a step is taken at what comes out of it where what goes in is due, or the reverse",
        "write beside each slope which of the two it is a function of",
    ),
    "NO_UPSTREAM": ("your answer stays the same when the upstream gradient changes", "double the upstream gradient and find the line that should notice"),
    "DROPPED_LOCAL": (
        "the upstream gradient is passed through a step without the slope of that step",
        "name the slope of each step, and find it in your code",
    ),
    "MISSING_PATH": (
        "an input reaches the output along several paths, and one of them is not counted",
        "list every place the input is used and add what comes back from each",
    ),
    "DOUBLE_COUNT": ("one path from the input to the output is counted twice", "list every place the input is used and count what comes back from each once"),
    "STATS_CONST": (
        "the mean or the variance is treated as a constant, but it is made of the inputs",
        "change one input by a little and see which outputs move",
    ),
    "DDOF": ("one place divides by N, another by N - 1", "use the same divisor in the forward and the backward pass"),
    "DIAG_JACOBIAN": (
        "softmax is treated as if each probability depended on its own logit only",
        "change one logit by a little and see which probabilities move",
    ),
    "UNSTABLE": ("right on small numbers, but large ones end in inf or nan", "run it on 1000 and on -1000 and find the first line that gives inf or nan"),
    "MUTATES": ("your code writes into one of its arguments", "look for `+=` or `[...] =` on an argument, and work on a copy"),
    "STATE_LEAK": (
        "a second call with the same input gives another answer",
        "look for what is kept from one call to the next, or drawn at random",
    ),
    "INDEXING": ("an index is off: a number is taken from the wrong place, or put there", "follow the first and the last element by hand"),
    "WRONG_MASK": ("the condition that lets the gradient through is not the right one", "say in words when the slope is 0, then compare your condition"),
    "SWAPPED": ("two results are in each other's place", "compare the order of what you return with the docstring"),
    "FORMULA": ("a formula of the derivative is not right", "work the derivative out again for one number, by hand"),
    "SHAPE": ("the values are right, the shape is not", "print the shape of what you return beside the shape that is asked for"),
    "DTYPE": ("digits are lost, because a result is kept in a type that cannot hold them", "print the dtype of each array you make: float64 is what you want"),
    "RECURSION": (
        "the walk over the graph calls itself once per node, and Python stops that at about 1,000",
        "keep the nodes still to visit in a list of your own, and loop until it is empty",
    ),
}


def with_texts(finding: Finding) -> Finding:
    """The finding with the sentence and the next step of its mistake, where it has none of its own; of several kinds, the step of each in turn."""
    because, _ = MISTAKES.get(finding.mistake, ("", ""))
    steps = [MISTAKES[kind][1] for kind in finding.kinds if kind in MISTAKES]
    return replace(finding, because=finding.because or because, next=finding.next or "; if that is right, ".join(steps))

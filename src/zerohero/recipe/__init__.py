"""The Recipe: questions to put to a training run before it costs an hour, each a plain function.

    from zerohero.recipe import lr_range_test
    found = lr_range_test(step)
    print(found)

They know nothing of exercises, notebooks or libraries: a step of training is a function that is handed in.
"""

from .range_test import RangeTest, lr_range_test

__all__ = ["RangeTest", "lr_range_test"]

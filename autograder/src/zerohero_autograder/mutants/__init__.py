"""Wrong answers made from right ones: each with a single mistake, and the name a teacher would give it.

    mutate         Mutant, mutants(source): every rule at every place
    bank           the mutants run, and kept as entries of the atlas
    answer         what the rules know of a source: which names are gradients, counts, masks
    rule           Change, and @rule, which adds a rule
    products_and_sums, reductions, saved_tensors, masks, accumulation, indexing, order, engine, contract
                   the rules, by what they change

A new rule is one function with @rule in the file it belongs to, and one line in autograder/tests/test_mutants.py.
"""

from .bank import bank
from .mutate import Mutant, mutants

__all__ = ["Mutant", "bank", "mutants"]

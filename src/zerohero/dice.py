"""Dice: random numbers that are the same on every machine, for ever.

Libraries change their generators from one version to the next, and with them every name a lesson samples. This one is
written out here, in plain Python, and never changes:

    from zerohero.dice import Dice
    dice = Dice(seed=1)
    dice.uniform()               # a float, 0 <= u < 1
    dice.below(6)                # 0, 1, 2, 3, 4 or 5, each as likely as the others
    dice.choice([0.2, 0.5, 0.3]) # 0, 1 or 2, with these probabilities
    dice.shuffled(names)         # a new list, the same names in random order

It is PCG32 (variant XSH-RR) of M. E. O'Neill, "PCG: A Family of Simple Fast Space-Efficient Statistically Good Algorithms
for Random Number Generation", 2014; https://www.pcg-random.org. Not for secrets: who sees its numbers can work out the next.
"""

_64_BITS, _32_BITS = 2**64 - 1, 2**32 - 1


class Dice:
    """A source of random numbers. The same seed gives the same numbers in the same order."""

    def __init__(self, seed, stream=54):
        """seed, stream : ints. Two streams of one seed share no part of their sequence."""
        self._step = (2 * stream + 1) & _64_BITS  # odd, or the period would be shorter than 2^64
        self._state = 0
        self.bits()
        self._state = (self._state + seed) & _64_BITS
        self.bits()

    def bits(self):
        """The next 32 random bits: an int, 0 <= n < 2**32."""
        old = self._state
        self._state = (old * 6364136223846793005 + self._step) & _64_BITS
        # the low bits of such a state are poor: fold the high ones onto them, keep 32, and turn these by the topmost five
        folded = (((old >> 18) ^ old) >> 27) & _32_BITS
        turn = old >> 59
        return (folded >> turn | folded << (32 - turn)) & _32_BITS

    def uniform(self):
        """A float u, 0 <= u < 1: one of 2**32 equally spaced numbers."""
        return self.bits() / 2**32

    def below(self, n):
        """An int, 0 <= k < n, all equally likely. n : int, 1 to 2**32; anything else raises ValueError."""
        if not 1 <= n <= 2**32:
            raise ValueError(f"below(n) needs 1 <= n <= 2**32, not {n}")
        # 2**32 numbers do not divide evenly among n results: draw again while the number is one of the 2**32 % n left over
        left_over = 2**32 % n
        while (number := self.bits()) < left_over:
            pass
        return number % n

    def choice(self, probabilities):
        """An index i, drawn with probability probabilities[i].

        probabilities : numbers >= 0 that sum to 1 (within 1e-6), as a list or a 1-D array; else ValueError
        Draws one u = uniform() and adds the probabilities up from the left: the first index at which the sum is more than u.
        """
        ladder, total, last = [], 0.0, None
        for index, probability in enumerate(probabilities):
            if not probability >= 0:  # so that nan is refused too
                raise ValueError(f"probabilities[{index}] is {probability}; a probability is 0 or more")
            total += probability
            ladder.append(total)
            last = index if probability > 0 else last
        if not abs(total - 1) <= 1e-6:
            raise ValueError(f"the probabilities sum to {total:.6g}; they must sum to 1")
        u = self.uniform()
        for index, step in enumerate(ladder):
            if step > u:
                return index
        return last  # the sum was rounded to a little less than 1, and u lies above it

    def shuffled(self, items):
        """A new list of the same items in random order, every order equally likely (Fisher and Yates). items stays as it is."""
        order = list(items)
        for last in range(len(order) - 1, 0, -1):
            other = self.below(last + 1)
            order[last], order[other] = order[other], order[last]
        return order

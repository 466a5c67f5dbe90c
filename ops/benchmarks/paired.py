# SPDX-License-Identifier: Apache-2.0
"""What two variants differ by, told from pairs of runs: an estimate and an interval that holds in 95 of 100 cases,
whatever the distribution of the noise (Hodges and Lehmann's estimate, with the interval of Wilcoxon's signed ranks).
Ratios are compared as logarithms. A pair's two runs stand next to each other in time, so what disturbs both hits
neither's side."""

import dataclasses
import math
import statistics

_DOUBT = 0.05
PAIRS_MIN = 6  # of fewer no interval holds in 95 of 100 cases


@dataclasses.dataclass
class Ratio:
    """Of B to A. Without bounds there were too few pairs."""

    value: float
    low: float | None
    high: float | None
    pairs: int

    @property
    def differs(self):
        return self.low is not None and not self.low <= 1 <= self.high

    def text(self):
        bounds = "" if self.low is None else f" ({self.low:.2f}–{self.high:.2f})"
        return f"×{self.value:.2f}{bounds}"

    def pairs_to_tell(self):
        """About how many pairs would tell a difference of this size from none, with the noise of these."""
        if self.low is None or self.value == 1:
            return None
        half = (math.log(self.high) - math.log(self.low)) / 2
        return math.ceil(self.pairs * (half / math.log(self.value)) ** 2)


def _rank_of_bound(count):
    """Which of the sorted means bounds the interval, from 1; 0 if none does. By the number of sign patterns with each
    sum of ranks."""
    patterns = [1]
    for rank in range(1, count + 1):
        longer = [0] * (len(patterns) + rank)
        for total, ways in enumerate(patterns):
            longer[total] += ways
            longer[total + rank] += ways
        patterns = longer
    bound = below = 0
    while (below + patterns[bound]) / 2 ** count < _DOUBT / 2:
        below += patterns[bound]
        bound += 1
    return bound


def ratio_of(pairs):
    """`pairs` of (A, B), positive figures."""
    if not pairs:
        raise ValueError("no pairs")
    logs = [math.log(b / a) for a, b in pairs]
    means = sorted((one + other) / 2 for i, one in enumerate(logs) for other in logs[i:])
    rank = _rank_of_bound(len(logs))
    low, high = (math.exp(means[rank - 1]), math.exp(means[-rank])) if rank else (None, None)
    return Ratio(math.exp(statistics.median(means)), low, high, len(pairs))


def verdict(what, ratio, first="A", second="B"):
    """A sentence. `what` is better the less of it there is."""
    shown = f"{what} {ratio.text()}, {ratio.pairs} pairs"
    if ratio.differs:
        return f"{second} is {'faster' if ratio.value < 1 else 'slower'} than {first}: {shown}."
    if ratio.low is None:
        return f"No difference can be told: {shown}; it takes {PAIRS_MIN} pairs or more."
    wanted = ratio.pairs_to_tell()
    needed = f"about {wanted} pairs" if wanted and wanted < 1000 else "very many pairs"
    return f"No difference can be told: {shown}; one of this size takes {needed}."

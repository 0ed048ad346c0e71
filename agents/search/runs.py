"""Runs of neighbouring ranks in sets of ranks, for the default policies of climbing games."""

from envs.core.bits import lowest, popcount
from envs.core.jit import kernel


@kernel
def find_run(ranks: int, whole: int, shortest: int) -> tuple[int, int]:
    """The lowest long run of a set of ranks: its lowest rank and its length, 0 if none pays.

    whole: those of the ranks that the run would use up. It is cut short at ends where it would only
    break groups, down to the `shortest`, and pays if it uses two ranks up.
    """
    starts = ranks
    for i in range(1, shortest):
        starts &= ranks >> i
    if not starts:
        return 0, 0
    start = lowest(starts)
    length = lowest(~(ranks >> start))
    while length > shortest and not (whole >> (start + length - 1)) & 1:
        length -= 1
    while length > shortest and not (whole >> start) & 1:
        start, length = start + 1, length - 1
    if popcount((whole >> start) & ((1 << length) - 1)) < 2:
        return 0, 0
    return start, length

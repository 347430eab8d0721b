"""The rule of foldcover, compiled: the same operations as the Python core, from C.

    IMPL      the four operations on immutable views, as a foldcover.Impl: a drop-in for foldcover.CORE
    wanted    the fifth, beside it
    Cover     one view held in C, changed in place: for hosts that want the speed

Answers are those of the core for every view whose Merged blocks have positive sizes, up to 2^48 units and 64-bit
weights; what is beyond raises OverflowError or ValueError and changes nothing.

Read in this order: nodes, cover, impl.
"""

from foldcover_native.cover import Cover
from foldcover_native.impl import IMPL, wanted

__all__ = ["IMPL", "Cover", "wanted"]

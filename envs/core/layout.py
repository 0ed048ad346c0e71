"""`Layout`: the named pieces of a flat vector, from which encoder, decoder and docs are made."""

import hashlib
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

FLAGS, NUMBER, DIGITS = "flags", "number", "digits"
"""What the places of a piece hold: 0 or 1; numbers as they are; numbers that are its last axis, as
signed digits to base 100, the lowest first."""


class Piece(NamedTuple):
    """One named part of a vector: its `shape`, what it says, and what its places hold."""

    shape: tuple[int, ...]
    meaning: str
    kind: str = FLAGS


@dataclass(frozen=True)
class Layout:
    """Named pieces laid one after the other in a flat vector.

    >>> layout = Layout.of(hand=Piece((4, 15), "own cards"), to_act=Piece((3,), "who acts"))
    >>> layout.size, layout["to_act"]
    (63, slice(60, 63, None))
    """

    pieces: dict[str, Piece]

    @classmethod
    def of(cls, **pieces: Piece) -> "Layout":
        """Lay out `pieces` in the order given."""
        return cls(dict(pieces))

    @property
    def size(self) -> int:
        """Length of the vector."""
        return sum(math.prod(piece.shape) for piece in self.pieces.values())

    @property
    def digest(self) -> str:
        """Short fingerprint of the pieces: equal digests mean exchangeable vectors."""
        text = ";".join(f"{name}{piece.shape}{piece.kind}" for name, piece in self.pieces.items())
        return hashlib.sha256(text.encode()).hexdigest()[:12]

    def slices(self) -> Iterator[tuple[str, slice]]:
        """Every piece's name and place, in order."""
        start = 0
        for name, piece in self.pieces.items():
            stop = start + math.prod(piece.shape)
            yield name, slice(start, stop)
            start = stop

    def __getitem__(self, name: str) -> slice:
        """The place of a piece; KeyError for a name that does not exist."""
        for piece, place in self.slices():
            if piece == name:
                return place
        raise KeyError(f"no piece {name!r}; there are {', '.join(self.pieces)}")

    def split(self, vectors: npt.NDArray[Any]) -> dict[str, npt.NDArray[Any]]:
        """Views of `vectors` ([..., size]) by name, each [..., *shape of the piece]."""
        if vectors.shape[-1] != self.size:
            raise ValueError(f"expected a last axis of {self.size}, got shape {vectors.shape}")
        return {
            name: vectors[..., place].reshape(*vectors.shape[:-1], *self.pieces[name].shape)
            for name, place in self.slices()
        }

    def table(self) -> str:
        """The pieces as a Markdown table."""
        rows = ["| piece | place | shape | meaning |", "| --- | --- | --- | --- |"]
        for name, place in self.slices():
            shape = "×".join(map(str, self.pieces[name].shape))
            rows.append(
                f"| `{name}` | {place.start}–{place.stop - 1} | {shape} "
                f"| {self.pieces[name].meaning} |"
            )
        return "\n".join(rows)


def empty_vectors(num: int, layout: Layout) -> npt.NDArray[np.int8]:
    """A zeroed batch of observations: [num, layout.size] int8.

    int8 and not float32: a rollout of them is stored in a thirtieth of the time.
    """
    return np.zeros((num, layout.size), np.int8)

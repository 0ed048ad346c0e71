"""`EventInfo`: what happened last, in words that are made only when somebody reads them."""

import functools
from collections.abc import Callable
from typing import Any

import numpy as np


class EventInfo(dict[str, Any]):
    """The dictionary `{"event": text}`, made as `EventInfo({"event": (game, state.tobytes())})`.

    Making the text takes longer than the step that it tells of, and few look at it: so the position
    stands in its place until the dictionary is used, in whatever way, for the first time.
    """

    __slots__ = ()

    def __reduce__(self) -> tuple[type, tuple[dict[str, Any]]]:
        """Copied and pickled as a plain dictionary."""
        return dict, (dict(self),)


def _write_event(info: EventInfo) -> None:
    event = dict.get(info, "event")
    if isinstance(event, tuple):
        game, state = event
        states = np.frombuffer(bytearray(state), game.state)
        dict.__setitem__(info, "event", game.last_event(states[0]))


def _written_first(method: Callable[..., Any]) -> Callable[..., Any]:
    """`method` of `dict`, with the text in place beforehand."""

    @functools.wraps(method)
    def with_event(self: EventInfo, *args: Any, **kwargs: Any) -> Any:
        for info in (self, *args):
            if isinstance(info, EventInfo):
                _write_event(info)
        return method(self, *args, **kwargs)

    return with_event


_KEPT = {"__new__", "__init__", "__getattribute__", "__doc__", "__hash__", "__class_getitem__"}
for _name in vars(dict).keys() - _KEPT - {"fromkeys"}:
    setattr(EventInfo, _name, _written_first(getattr(dict, _name)))

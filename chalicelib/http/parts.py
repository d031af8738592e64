"""Limits the answer of every GET to the size that a Lambda function may return.

Lambda accepts at most 6,291,556 bytes, and encodes the body as JSON text again. In this encoding a quotation mark takes
two bytes, and a character beyond ASCII takes six or twelve. The declaration of a GET names the lists of its answer that
may grow large (``parts``). If an answer is too large, these lists are cut, and the answer says so::

    @group.get("/sites", ..., parts=(listed("websites"),))

Each list gets an equal share of the available bytes. Bytes that short lists do not need go to longer lists. So each
list that has items shows at least one, and a caller who requests each next offset reaches the end. An error is raised
if one item is larger than its list's share, or if an answer is too large and has no list to cut.
"""

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from chalicelib.http import answers

MARGIN: Final = 50_000  # bytes left for commas and for the members that say what was cut
LARGEST_ITEM: Final = 500_000  # limit in bytes on an item with inner lists, in an answer that is too large

Cut = Callable[[Any, int, Any], None]  # parameters: the answer, how many items stay, and the call


@dataclass(frozen=True, slots=True)
class Part:
    """A list of an answer that may be cut.

    - ``items``: a function that returns the list.
    - ``cut``: a function that shortens the list to a number of items, and marks in the answer that more follow.
    - ``inner``: lists inside each item, which are cut first.
    """

    items: Callable[[Any], Sequence[Any]]
    cut: Cut
    inner: tuple["Part", ...] = ()


def listed(name: str, prefix: str = "", inner: tuple[Part, ...] = ()) -> Part:
    """Declare the list ``name`` of an answer that also has ``offset``, ``next_offset`` and ``truncated``.

    ``prefix``: for an answer with several lists, the text before each of these three names. For example, ``pages_``
    means ``pages_offset``, ``pages_next_offset`` and ``pages_truncated``.
    """

    def cut(answer: Any, count: int, call: Any) -> None:
        _check_progress(name, count)
        setattr(answer, name, getattr(answer, name)[:count])
        setattr(answer, f"{prefix}next_offset", getattr(answer, f"{prefix}offset") + count)
        setattr(answer, f"{prefix}truncated", True)

    return Part(lambda answer: getattr(answer, name), cut, inner)


def with_cursor(name: str, inner: tuple[Part, ...] = ()) -> Part:
    """Declare the list ``name`` of an answer that also has ``next_cursor``. If the list is cut, ``Call.cursor_after``
    makes the cursor."""

    def cut(answer: Any, count: int, call: Any) -> None:
        _check_progress(name, count)
        setattr(answer, name, getattr(answer, name)[:count])
        answer.next_cursor = call.cursor_after(count)
        if hasattr(answer, "next_offset"):
            answer.next_offset = answer.offset + count

    return Part(lambda answer: getattr(answer, name), cut, inner)


def shortened(name: str, truncated: str, of: Callable[[Any], Any] = lambda answer: answer) -> Part:
    """Declare the list ``name`` of an answer or item that has the member ``truncated`` and no offset.

    ``of``: a function that returns the object with the list; None if the answer has no such object.
    """

    def cut(answer: Any, count: int, call: Any) -> None:
        owner = of(answer)
        setattr(owner, name, getattr(owner, name)[:count])
        setattr(owner, truncated, True)

    return Part(lambda answer: getattr(of(answer), name, ()), cut)


def _check_progress(name: str, count: int) -> None:
    """Check that a part of a list has at least one item. Otherwise a caller who follows the next offset would request
    the same part forever. Raises ``RuntimeError``."""
    if not count:
        raise RuntimeError(f"one item of the list {name} is too large for an answer")


def encoded(answer: Any, parts: Sequence[Part], call: Any = None) -> str:
    """Return the answer as JSON. Its lists are cut if it would be too large. Raises ``RuntimeError`` if a single item
    is too large."""
    text = answers.encode(answer)
    if answers.fits(text):
        return text
    for part in parts:
        for item in part.items(answer) if part.inner else ():
            _fit(item, part.inner, LARGEST_ITEM, call)
    _fit(answer, parts, answers.LARGEST_BYTES - MARGIN, call)
    return answers.encode(answer)


def _fit(answer: Any, parts: Sequence[Part], room: int, call: Any) -> None:
    """Cut the lists of an answer so that the whole takes at most ``room`` bytes."""
    whole = _Size.of(answer)
    if whole.weight <= room:
        return
    sizes = [[_Size.of(item) for item in part.items(answer)] for part in parts]
    around = whole.without(size for of_part in sizes for size in of_part)
    weights = [[size.weight for size in of_part] for of_part in sizes]
    totals = [sum(found) for found in weights]
    shares = _shares(totals, max(0, room - around.weight))
    for part, found, total, share in zip(parts, weights, totals, shares, strict=True):
        if total > share:
            part.cut(answer, _count(found, share), call)


class _Size(NamedTuple):
    """The size of a value as JSON, and the size of that JSON as text inside another JSON text (bytes)."""

    plain: int
    carried: int

    @classmethod
    def of(cls, value: object) -> "_Size":
        text = answers.encode(value)
        return cls(len(text.encode()) + 1, len(json.dumps(text)) - 1)

    def without(self, others: Iterable["_Size"]) -> "_Size":
        """Return the size of an answer without these lists."""
        plain, carried = self
        for other in others:
            plain, carried = plain - other.plain, carried - other.carried
        return _Size(plain, carried)

    @property
    def weight(self) -> int:
        """How many bytes of an answer this text takes up.

        An answer has two limits: one for its text, and one for the same text encoded as JSON. The result is the size
        that uses more of its limit, in bytes of the first limit.
        """
        return max(self.plain, self.carried * answers.LARGEST_BYTES // answers.LARGEST_CARRIED)


def _shares(wanted: Sequence[int], room: int) -> list[int]:
    """Divide the room into equal shares. What a list does not need goes to lists that need more."""
    shares, left = [0] * len(wanted), room
    by_size = sorted(range(len(wanted)), key=wanted.__getitem__)
    for waiting, number in zip(range(len(wanted), 0, -1), by_size, strict=True):
        shares[number] = min(wanted[number], left // waiting)
        left -= shares[number]
    return shares


def _count(weights: Sequence[int], room: int) -> int:
    """Return how many of the items, from the first on, fit into the room."""
    for number, one in enumerate(weights):
        room -= one
        if room < 0:
            return number
    return len(weights)

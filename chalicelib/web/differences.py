"""The line-by-line difference of two texts.

A person reviews the difference before approving. The approval names the difference's digest, so that the approval
applies only to this difference.
"""

from collections.abc import Iterable
from difflib import SequenceMatcher
from hashlib import sha256
from typing import Final, Literal, NamedTuple

CONTEXT: Final = 3  # unchanged lines shown around a change
MOST_LINES: Final = 1_000
MOST_CHARACTERS: Final = 40_000
MOST_COMPARED: Final = 2_000  # compared lines of both texts, without the equal lines with which both begin and end
Kind = Literal["same", "gone", "new", "skipped"]


class Line(NamedTuple):
    """A line of a difference. For the kind ``skipped``, ``text`` is the number of omitted lines, which are equal in
    both texts."""

    kind: Kind
    text: str


class Difference(NamedTuple):
    """The lines of a difference. ``gone`` and ``new``: how many lines were removed and added. ``left_out``: how many
    changed lines are not shown because there are too many."""

    lines: list[Line]
    gone: int
    new: int
    left_out: int

    @property
    def nothing(self) -> bool:
        return not self.gone and not self.new


def between(old: str, new: str) -> Difference:
    """Return the changes from one text to another. A different line ending counts as a change.

    Lines with which both texts begin or end are skipped. Comparing the remaining lines takes quadratic time. If too
    many lines remain, all of them count as removed and added.
    """
    before, after = _lines(old), _lines(new)
    start = _same(zip(before, after, strict=False))
    end = _same(zip(reversed(before[start:]), reversed(after[start:]), strict=False))
    middle = before[start : len(before) - end], after[start : len(after) - end]
    found = [Line("same", line) for line in before[:start]]
    found += _compared(*middle)
    found += [Line("same", line) for line in before[len(before) - end :]]
    gone = sum(line.kind == "gone" for line in found)
    new_ones = sum(line.kind == "new" for line in found)
    shown, left_out = _bounded(_around(found))
    return Difference(shown, gone, new_ones, left_out)


def digest(*parts: bytes | str | None) -> str:
    """Return a hash of the shown difference. It changes if any part of the difference changes."""
    found = sha256()
    for part in parts:
        data = b"-" if part is None else b"+" + (part.encode() if isinstance(part, str) else part)
        found.update(len(data).to_bytes(8, "big") + data)
    return found.hexdigest()


def _lines(text: str) -> list[str]:
    """Return the lines, with carriage returns at their ends made visible."""
    return [line.replace("\r", "␍") for line in text.split("\n")]


def _same(pairs: Iterable[tuple[str, str]]) -> int:
    count = 0
    for one, other in pairs:
        if one != other:
            break
        count += 1
    return count


def _compared(before: list[str], after: list[str]) -> list[Line]:
    if len(before) + len(after) > MOST_COMPARED:
        return [*(Line("gone", line) for line in before), *(Line("new", line) for line in after)]
    found: list[Line] = []
    for step, a, b, c, d in SequenceMatcher(None, before, after, autojunk=True).get_opcodes():
        if step == "equal":
            found += [Line("same", line) for line in before[a:b]]
        else:
            found += [Line("gone", line) for line in before[a:b]]
            found += [Line("new", line) for line in after[c:d]]
    return found


def _around(found: list[Line]) -> list[Line]:
    """Return the changed lines with some lines of context."""
    kept = [False] * len(found)
    for at, line in enumerate(found):
        if line.kind != "same":
            first, last = max(0, at - CONTEXT), min(len(found), at + CONTEXT + 1)
            kept[first:last] = [True] * (last - first)
    shown: list[Line] = []
    skipped = 0
    for line, keep in zip(found, kept, strict=True):
        if keep and skipped:
            shown.append(Line("skipped", str(skipped)))
        skipped = 0 if keep else skipped + 1
        if keep:
            shown.append(line)
    return shown


def _bounded(found: list[Line]) -> tuple[list[Line], int]:
    shown: list[Line] = []
    characters = 0
    for at, line in enumerate(found):
        characters += len(line.text)
        if at >= MOST_LINES or characters > MOST_CHARACTERS:
            return shown, sum(one.kind in ("gone", "new") for one in found[at:])
        shown.append(line)
    return shown, 0

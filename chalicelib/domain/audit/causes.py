"""The causes that several issues share, so that one change fixes them all: a template, a header, a robots.txt line."""

from collections.abc import Iterable
from typing import Literal, NamedTuple

import msgspec

FirstKind = Literal["template", "layout", "header", "robots_tag", "robots_line", "address", "file"]
LaterKind = Literal["scripts", "slash"]
CauseKind = Literal[FirstKind, LaterKind]


class Cause(msgspec.Struct, array_like=True, frozen=True):
    """The place where one change would fix an issue. ``key`` says which one of its kind.

    ``template``: by its name; ``layout``: what every page has, whatever its template; ``header`` and ``robots_tag``: as
    sent; ``robots_line``: with its number; ``address``: an address of the website; ``file``: by its name; ``scripts``:
    content that scripts add and the server should send (``content``); ``slash``: the slash that the host adds to the
    end of addresses, or removes (``added``, ``removed``).

    A release refuses to read a kind that it does not know. So ``later`` ones, unknown to the last release, are stored
    beside ``layout``, which is the widest that it knows.
    """

    first: FirstKind = msgspec.field(name="kind")
    key: str
    later: LaterKind | None = None

    @classmethod
    def of(cls, kind: CauseKind, key: str) -> "Cause":
        return cls("layout", key, kind) if kind == "scripts" or kind == "slash" else cls(kind, key)

    @property
    def kind(self) -> CauseKind:
        return self.later or self.first


class Shared(NamedTuple):
    """A cause and the issues that share it, at least two, in the order of their list. ``gain``: the score's rise once
    all of them are fixed, in integer tenths; None if the website has no score."""

    kind: CauseKind
    key: str
    issue_ids: list[str]
    gain: int | None = None


def shared(causes: Iterable[tuple[str, Cause | None]]) -> dict[str, Shared]:
    """The causes that at least two issues have in common, by issue id. ``causes``: of each issue, with its id."""
    groups: dict[Cause, list[str]] = {}
    for issue_id, cause in causes:
        if cause is not None:
            groups.setdefault(cause, []).append(issue_id)
    return {
        issue_id: Shared(cause.kind, cause.key, together)
        for cause, together in groups.items()
        if len(together) > 1
        for issue_id in together
    }

"""Causes that several issues share. One change at the cause, such as a template, a header or a robots.txt line, fixes
them all."""

from collections.abc import Iterable
from typing import Literal, NamedTuple

import msgspec

FirstKind = Literal["template", "layout", "header", "robots_tag", "robots_line", "address", "file"]
LaterKind = Literal["scripts", "slash"]
CauseKind = Literal[FirstKind, LaterKind]


class Cause(msgspec.Struct, array_like=True, frozen=True):
    """The place where one change would fix an issue. ``key`` identifies the place within its kind:

    - ``template``: its name.
    - ``layout``: what every page has, whatever its template.
    - ``header`` and ``robots_tag``: the value as sent.
    - ``robots_line``: the line with its number.
    - ``address``: an address of the website.
    - ``file``: its name.
    - ``scripts``: ``content``, which scripts add and the server should send.
    - ``slash``: whether the host adds a slash to the end of addresses or removes it (``added``, ``removed``).

    A release refuses to read a kind that it does not know. Kinds that the last release does not know are therefore
    stored in ``later``, with ``layout`` (the widest known kind) in ``first``.
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
    """A cause and the issues that share it: at least two, in the order of the list of issues. ``gain``: the score's
    rise once all of them are fixed, in integer tenths; None if the website has no score."""

    kind: CauseKind
    key: str
    issue_ids: list[str]
    gain: int | None = None


def shared(causes: Iterable[tuple[str, Cause | None]]) -> dict[str, Shared]:
    """Find the causes that at least two issues share, by issue id. ``causes``: (issue id, its cause) for each issue."""
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

"""Causes that several issues share. A cause is a place, such as a template, a header or a robots.txt line, where one
change fixes all of them."""

from collections.abc import Iterable
from typing import Literal, NamedTuple

import msgspec

FirstKind = Literal["template", "layout", "header", "robots_tag", "robots_line", "address", "file"]
LaterKind = Literal["scripts", "slash"]
CauseKind = Literal[FirstKind, LaterKind]


class Cause(msgspec.Struct, array_like=True, frozen=True):
    """The place where one change would fix an issue. ``key`` identifies the place within its kind:

    - ``template``: the name of the page template.
    - ``layout``: a part that is on pages of every template, such as the footer.
    - ``header`` and ``robots_tag``: the header's value as the website sends it.
    - ``robots_line``: the line of robots.txt, with its number.
    - ``address``: an address of the website.
    - ``file``: the name of a file.
    - ``scripts``: always ``content``: scripts add content that the server should send.
    - ``slash``: ``added`` or ``removed``, for a host that adds a slash to the end of addresses or removes it.

    A release refuses to read a kind that it does not know. A kind that the previous release does not know is therefore
    stored in ``later``. ``first`` then has the value ``layout``, the most general kind that the previous release knows.
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
    """A cause and the issues that share it. There are at least two issues, in the order of the list of issues.

    ``gain``: by how much the score rises once all of these issues are fixed, in tenths of a point; None if the website
    has no score.
    """

    kind: CauseKind
    key: str
    issue_ids: list[str]
    gain: int | None = None


def shared(causes: Iterable[tuple[str, Cause | None]]) -> dict[str, Shared]:
    """Return the shared cause of each issue, by issue id. Only issues that share a cause with another issue are
    included. ``causes``: pairs of an issue id and the issue's cause."""
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

"""The timeline of one page: the audits at which the page changed."""

from collections.abc import Iterable
from typing import Final, Literal, NamedTuple, get_args

from chalicelib.domain.audit.kept import AuditScore, KeptPage

PageMember = Literal["title", "canonical", "status", "pageScore"]
MEMBERS: Final[tuple[PageMember, ...]] = get_args(PageMember)
Value = str | int | None


class Version(NamedTuple):
    """The page as it was at the end of an audit.

    - ``page``: None if this audit did not read the page although an earlier one had.
    - ``changed``: the fields whose value differs from the last known one.
    """

    audit: AuditScore
    page: KeptPage | None
    changed: tuple[PageMember, ...]


def timeline(found: Iterable[tuple[AuditScore, KeptPage | None]]) -> list[Version]:
    """Return the audits at which the page appeared, changed, disappeared or came back, oldest first.

    ``found``: the page in each audit, oldest first. A value that an audit does not know does not count as changed.
    """
    versions: list[Version] = []
    known: dict[PageMember, Value] = {}
    for audit, kept in found:
        page = kept if kept is not None and kept.read else None
        if page is None:
            if versions and versions[-1].page is not None:
                versions.append(Version(audit, None, ()))
            continue
        told = _told(page)
        changed = tuple(name for name in MEMBERS if name in told and name in known and told[name] != known[name])
        known.update(told)
        if changed or not versions or versions[-1].page is None:
            versions.append(Version(audit, page, changed))
    return versions


def _told(page: KeptPage) -> dict[PageMember, Value]:
    """Return the audit's facts about the page. The title of a page that did not answer is unknown."""
    told: dict[PageMember, Value] = {"status": page.status}
    if page.status is not None:
        told |= {"title": page.title, "canonical": page.canonical}
    if page.page_score is not None:
        told["pageScore"] = page.page_score
    return told

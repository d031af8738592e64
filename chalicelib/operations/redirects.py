"""Lists addresses that no longer exist, each with the page that it should redirect to, and approves redirects.

Before redirects are approved, the service requests every address and its target. If one of the addresses may not be
redirected, none is approved. The worker requests the addresses again before it writes (``workers.writing.sending``).
"""

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from chalicelib.domain import ids
from chalicelib.domain.accounts.rights import Actor
from chalicelib.domain.audit.issues import Issue, IssueBook
from chalicelib.domain.audit.records import PageRow
from chalicelib.domain.changes import redirecting
from chalicelib.domain.changes.batch import WAITING, WRITTEN, Batch, Change
from chalicelib.domain.changes.missing_addresses import Offered
from chalicelib.domain.changes.proposal import Proposal, Wish
from chalicelib.domain.changes.values import BadValue
from chalicelib.domain.connections import Writer
from chalicelib.domain.crawl import shop_addresses
from chalicelib.operations import missing_addresses
from chalicelib.operations.approvals import Approval, Approver, Decided, current_place
from chalicelib.operations.approvals import approve as approved
from chalicelib.operations.changes import gain_of, put_approved
from chalicelib.operations.errors import Refused
from chalicelib.operations.readiness import home_of
from chalicelib.operations.websites import existing
from chalicelib.rules.missing_addresses import LISTED_BY
from chalicelib.store import changes, issues, items, pages
from chalicelib.store.transactions import Write
from chalicelib.store.websites import Website

MOST: Final = 20  # redirects of one approval: a person waits while each address is requested
MOST_BATCHES: Final = 100  # how many of the latest batches of redirects are compared with new ones
NO_CMS: Final = "No CMS connection: connect the website's CMS or shop to write redirects from here."
NO_SCOPE: Final = (
    "The shop's app may not write redirects. The shop's owner has to grant the scope write_online_store_navigation; "
    "the service notices it within six hours."
)
TOO_OLD: Final = "The connector in the CMS cannot redirect. Update its plugin; the service notices it within six hours."


class Listed(NamedTuple):
    """A part of the addresses that no longer exist, those with most search clicks first.

    - ``total``: the number of all such addresses, except addresses that the service has redirected or is about to
      redirect.
    - ``reason``: why redirects cannot be written for this website, in words; None if they can.
    - ``audited``: whether an audit was published.
    """

    rows: Sequence[Offered]
    total: int
    reason: str | None
    audited: bool


class NotAllowed(Exception):
    """Raised if some redirects may not be written. ``reasons``: for each of their addresses, the reason in words."""

    def __init__(self, reasons: Mapping[str, str]) -> None:
        super().__init__("some addresses cannot be redirected")
        self.reasons = reasons


def listed(website: Website, start: int, count: int) -> Listed:
    """List at most ``count`` addresses from ``start`` on, each with its proposed target.

    The last crawl (audit, recheck or alert) has stored the list, so the cost does not grow with the number of pages. If
    the last audit was run by an earlier release, which stored no list, it is computed here. That may raise ``Moved``.
    """
    if website.summary is None:
        return Listed([], 0, why_not(website), audited=False)
    found = pages.load_missing(website.id, website.summary.generation.crawl_id)
    if found is None:
        found = missing_addresses.compute(website.id, website.host, home_of(website), _rows(website))
    held = _held(website, {redirecting.key_of(one.missing.url): one.missing.read_at for one in found})
    left = [one for one in found if redirecting.key_of(one.missing.url) not in held]
    return Listed(left[start : start + count], len(left), why_not(website), audited=True)


def approve(actor: Actor, site_id: str, wanted: Sequence[Wish]) -> Batch:
    """Approve redirects. Each ``Wish`` has the address to redirect and, as its value, the target. If a waiting batch
    writes the same redirects, return that batch.

    Raises ``NotAllowed`` if some of the redirects may not be written; then none is approved. Refused: ``not_found``,
    ``not_allowed``, ``no_changes``, ``too_many_changes``, ``cms_not_connected``, ``cms_not_writable``,
    ``field_not_supported``, ``too_many_waiting``, ``busy``.
    """
    website = existing(actor, site_id, "work")
    if not wanted:
        raise Refused("no_changes", "No address was chosen.")
    if len(wanted) > MOST:
        raise Refused("too_many_changes", f"At most {MOST} addresses are redirected at once.")
    writer = _writer(website)
    audited = _rows(website)
    gone = {redirecting.key_of(row.url): row.last_crawled for row in audited if row.status in redirecting.GONE}
    targets = _checked(website, writer, audited, wanted)
    _ask(targets)

    def decide(_: int) -> Decided:
        book = issues.load_state(website.id)
        place = current_place(website.id)
        rows = items.batch_get(changes.prints_keys(website.id, place))
        held = _held(website, gone)
        _refuse_conflicts(targets, held)
        new = [
            Change(number=number, url=url, cms_id="", field="redirect", value=value, key=redirecting.key_of(url))
            for number, (url, value) in enumerate(targets.items())
        ]
        in_flight = changes.in_flight_of(rows, website.id, place, new)
        proposal = Proposal(tuple(new)).without_equal(in_flight, lambda change: held.get(change.key or ""))
        # ``held`` may come from a batch that was approved after ``place`` was loaded. If the queue has changed, decide
        # again: the next attempt finds this batch in the queue and returns it.
        if not proposal.changes and proposal.older is None and current_place(website.id) == place:
            raise Refused("no_changes", "All of these redirects are already written.")
        issue = _issue(website, book, proposal.changes)
        issue_id = None if issue is None else issue.id
        gain = None if issue is None else gain_of(book, issue)
        approval = Approval("fields", "redirect", writer.kind, Approver(actor.person_id), issue_id, gain=gain)
        return Decided(place, approval, proposal, lambda batch: _beside(website.id, book, issue, batch))

    return approved(website, decide)


def why_not(website: Website) -> str | None:
    """Return why this website cannot get redirects, in words. Returns None if it can."""
    try:
        _writer(website)
    except Refused as refused:
        return refused.message
    return None


def _writer(website: Website) -> Writer:
    writer = website.connections.writer
    if writer is None:
        raise Refused("cms_not_connected", NO_CMS)
    if not writer.writable:
        raise Refused("cms_not_writable", writer.reason or "Nothing can be written through the CMS now.")
    if not writer.status.redirects:
        raise Refused("field_not_supported", NO_SCOPE if writer.kind == "shop" else TOO_OLD)
    return writer


def _rows(website: Website) -> list[PageRow]:
    return [] if website.summary is None else pages.load_list(website.id, website.summary.generation.crawl_id)


def _checked(website: Website, writer: Writer, audited: Sequence[PageRow], wanted: Sequence[Wish]) -> dict[str, str]:
    """Return the target of each address in the form that is written. Raises ``NotAllowed``."""
    known = {row.url for row in audited if row.status in redirecting.GONE}
    targets: dict[str, str] = {}
    wrong: dict[str, str] = {}
    paths: set[str] = set()
    for wish in wanted:
        if wish.url not in known:
            wrong[wish.url] = "This address is no longer listed here."
            continue
        path = redirecting.key_of(wish.url)
        # A shop does not distinguish small and capital letters of a path.
        same = path.lower() if writer.kind == "shop" else path
        if same in paths:
            wrong[wish.url] = (
                "Another chosen address has the same path, and a redirect is for the path. Choose only one of them."
            )
            continue
        paths.add(same)
        fixed = shop_addresses.fixed(path) if writer.kind == "shop" else None
        if fixed is not None:
            wrong[wish.url] = shop_addresses.FIXED.format(fixed)
            continue
        try:
            targets[wish.url] = redirecting.checked(wish.url, wish.value, website.host)
        except BadValue as bad:
            wrong[wish.url] = f"It cannot be redirected: {bad}."
    if wrong:
        raise NotAllowed(wrong)
    return targets


def _ask(targets: Mapping[str, str]) -> None:
    """Request all addresses and targets, to check that they may be redirected. Raises ``NotAllowed``."""
    # Imported here, since no other answer needs the web client, which is slow to load.
    from chalicelib.connectors import live_addresses

    answers = live_addresses.ask([*targets, *targets.values()])
    reasons = {url: redirecting.why_not(answers[url], answers[target]) for url, target in targets.items()}
    wrong = {url: reason for url, reason in reasons.items() if reason is not None}
    if wrong:
        raise NotAllowed(wrong)


def _refuse_conflicts(targets: Mapping[str, str], held: Mapping[str, str]) -> None:
    """Check that the new redirects make no chain or loop, with existing ones or with each other. Raises
    ``NotAllowed``."""
    both = {**held, **{redirecting.key_of(url): target for url, target in targets.items()}}
    reasons = {url: redirecting.conflict(url, target, both) for url, target in targets.items()}
    wrong = {url: reason for url, reason in reasons.items() if reason is not None}
    if wrong:
        raise NotAllowed(wrong)


def _held(website: Website, gone: Mapping[str, float | None]) -> dict[str, str]:
    """Return the target of each redirect that the service has written or is about to write, by the path of its source.
    Only the latest batches count. A redirect is left out if a later reading of its address found none, for example
    because a plugin was removed. ``gone``: when each address that no longer exists was read, by path."""
    last = None if website.summary is None else website.summary.last_audit
    ended = 0.0 if last is None else last.finished_at
    batches = [one for one in changes.list_all(website.id) if one.field == "redirect" and one.kind == "fields"]
    found: dict[str, str] = {}
    for loaded in changes.load_all(website.id, batches[-MOST_BATCHES:]):
        for change in loaded.changes:
            if change.key is None or change.status not in WAITING | WRITTEN:
                continue
            read_at = (gone[change.key] or ended) if change.key in gone else 0.0
            if change.written_at is None or change.written_at >= read_at:
                found[change.key] = change.value
    return found


def _issue(website: Website, book: IssueBook | None, new: Sequence[Change]) -> Issue | None:
    """Return the open issue that lists one of the addresses. Returns None if none does: then only search shows the
    addresses."""
    issue = None if book is None else book.by_id(ids.issue_id(website.id, LISTED_BY))
    if issue is None or issue.status in ("resolved", "ignored"):
        return None
    affected = {page.url for page in issues.load_affected(website.id, issue)}
    return issue if any(change.url in affected for change in new) else None


def _beside(site_id: str, book: IssueBook | None, issue: Issue | None, batch: Batch) -> Sequence[Write]:
    return [] if issue is None else put_approved(site_id, book, issue, batch, "app")

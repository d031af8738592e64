"""Approves llms.txt and the rules for AI crawlers, which the website's CMS then writes.

Files are approved like values of fields (``operations.approvals``). The same worker writes both, in the order of
approval. The transaction of an approval stores the new content of the file, and the content that the CMS had before.
"""

from collections.abc import Mapping
from typing import Final

from chalicelib.domain import legible
from chalicelib.domain.changes.batch import Batch, Change, FileField
from chalicelib.domain.changes.proposal import Proposal
from chalicelib.domain.connections import Writer
from chalicelib.domain.connector.messages import File
from chalicelib.domain.crawlers import crawler_list, find
from chalicelib.domain.printable import printable
from chalicelib.domain.readiness.llms import is_page
from chalicelib.domain.readiness.robots_notes import NOT_WRITABLE
from chalicelib.domain.readiness.written import (
    MOST_CHARACTERS,
    CrawlerRule,
    approved,
    held_text,
    rules_text,
)
from chalicelib.operations.approvals import Approval, Approver, Decided, approve, current_place
from chalicelib.operations.errors import Refused
from chalicelib.operations.readiness import address
from chalicelib.store import changes, items, readiness
from chalicelib.store.websites import Website

FILES: Final[Mapping[FileField, File]] = {"llms_txt": "llmsTxt", "ai_crawlers": "robotsBlock"}
_NOTHING: Final[Mapping[FileField, str]] = {
    "llms_txt": "The website has no llms.txt from this service, so there is nothing to remove.",
    "ai_crawlers": "The website's robots.txt has no rules from this service, so there is nothing to remove.",
}
_QUOTED: Final = 60  # characters of a name in a message
_LINES: Final = frozenset("\n\r\t")


def write_llms_txt(website: Website, text: str, *, by: Approver) -> Batch:
    """Approve a text of llms.txt. The text "" removes the file that the service wrote.

    Refused, in this order: ``too_long``, ``bad_value``; ``cms_not_connected``, ``cms_not_writable``; ``no_change``,
    ``too_many_waiting``. Also refused: ``busy``. Costs two reads, one transaction and one message.
    """
    text = legible.without_mark(text)
    if len(text) > MOST_CHARACTERS:
        raise Refused("too_long", f"`value` has {len(text)} characters; at most {MOST_CHARACTERS} are published.")
    wrong = _wrong_text(text) if text else None
    if wrong is not None:
        raise Refused("bad_value", f"`value` cannot be published: {wrong}.")
    return _write(website, "llms_txt", text, by)


def write_ai_crawlers(website: Website, rules: Mapping[str, CrawlerRule], *, by: Approver) -> Batch:
    """Approve the full set of rules for AI crawlers. ``rules``: each rule by the crawler's name, in any letter case.
    With {}, the service's rules are removed.

    Refused, in this order: ``unknown_crawler``, ``bad_rules``; then the codes of ``write_llms_txt``.
    """
    known: dict[str, CrawlerRule] = {}
    for name, rule in rules.items():
        crawler = find(name)
        if crawler is None:
            raise Refused("unknown_crawler", _why_unknown(name))
        if crawler.bot in known:
            raise Refused("bad_rules", f"`rules` names {crawler.bot} twice.")
        known[crawler.bot] = rule
    return _write(website, "ai_crawlers", rules_text(known), by)


def writer_of(website: Website, field: FileField) -> Writer:
    """Return the CMS that writes the file. A shop writes no files. Refused: ``cms_not_connected``,
    ``cms_not_writable``."""
    cms = website.connections.cms
    if cms is None:
        raise Refused("cms_not_connected", "The website is connected to no CMS: connect it to write files from here.")
    if not cms.writable:
        raise Refused("cms_not_writable", cms.reason or "Nothing can be written through the CMS now.")
    if FILES[field] not in cms.status.files:
        name = "llms.txt" if field == "llms_txt" else "robots.txt"
        said = NOT_WRITABLE.get(cms.status.robots_file or "") if field == "ai_crawlers" else None
        raise Refused("cms_not_writable", said or f"The CMS cannot write {name} of this website.")
    return cms


def _write(website: Website, field: FileField, value: str, by: Approver) -> Batch:
    cms = writer_of(website, field)
    last_key = readiness.last_key(website.id, field)
    change = Change(number=0, url=address(website, field), cms_id="", field=field, value=value)

    def decide(_: int) -> Decided:
        place = current_place(website.id)  # loaded first, so that everything read later is at least as new
        rows = items.batch_get([last_key, *changes.prints_keys(website.id, place)])
        last = readiness.last_of(rows.get(last_key), field)
        in_flight = changes.in_flight_of(rows, website.id, place, [change])
        # A write that failed may still have reached the CMS.
        present = None if last is not None and last.status == "failed" else held_text(last) or ""
        proposal = Proposal((change,)).without_equal(in_flight, lambda _: present)
        if not proposal.changes and proposal.older is None:
            raise Refused(
                "no_change", "No change needed: the service last wrote exactly this." if value else _NOTHING[field]
            )
        approval = Approval(field, field, cms.kind, by)
        return Decided(
            place, approval, proposal, lambda batch: [readiness.put_last(website.id, approved(batch, value, last))]
        )

    return approve(website, decide)


def _wrong_text(text: str) -> str | None:
    """Return why the text cannot be an llms.txt, in words. Returns None if it can."""
    wrong = legible.fault(text, _LINES)
    if wrong is not None:
        return f"it has {wrong}"
    if not legible.is_visible(text):
        return "it has no visible characters; an empty text removes the file"
    return "it is a web page" if is_page(text, None) else None


def _why_unknown(name: str) -> str:
    shown = f"`{printable(name, _QUOTED)}`"
    if name.casefold() in {token.casefold() for token in crawler_list().retired_tokens.tokens}:
        return f"{shown} is no longer in use: no rule is written for it."
    return f"{shown} is not a crawler in the list of `GET …/geo/ai-crawlers`."

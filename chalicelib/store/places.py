"""The place of a website: the one crawl that may run, queued or running, and what only its holder may write.

The place is an attribute of the website's record (table sites). It is taken in the transaction that starts a crawl,
so that of two starts at once one fails, and freed in the one that ends it. All functions give writes for those
transactions; a write that fails because of the place is called ``PLACE`` in the conflict.
"""

from typing import Any

from chalicelib.domain.audit.summary import SiteSummary
from chalicelib.store import keys, shapes, website_names
from chalicelib.store.transactions import Update, Write
from chalicelib.store.websites import TABLE, Website

PLACE = "place"  # what a conflict calls a write that takes, keeps or frees the website's place


def take(
    website: Website,
    crawl_id: str,
    kind: str,
    *,
    api_starts: list[float] | None = None,
    next_audit_at: float | None = None,
) -> Update:
    """The write by which a new crawl takes the website's place, queued. Fails when another crawl holds it.

    ``api_starts`` replaces the starts through the API and ``next_audit_at`` the time of the next weekly audit: each
    fails too when it changed since the website was read.
    """
    assigned, condition = ["#place = :place"], ["attribute_exists(pk)", "attribute_not_exists(#place)"]
    names = {"#place": "place"}
    values: dict[str, Any] = {":place": {"crawlId": crawl_id, "kind": kind, "status": "queued"}}
    if api_starts is not None:
        assigned.append("#starts = :starts")
        condition.append("(attribute_not_exists(#starts) OR #starts = :seen_starts)")
        names["#starts"] = "apiStarts"
        values |= {":starts": api_starts, ":seen_starts": list(website.api_starts)}
    if next_audit_at is not None:
        assigned.append("#next = :next")
        condition.append("#next = :seen_next")
        names["#next"] = "nextAuditAt"
        values |= {":next": next_audit_at, ":seen_next": website.next_audit_at}
    key = keys.website(website.workspace_id, website.id)
    return Update(TABLE, key, "SET " + ", ".join(assigned), " AND ".join(condition), names, values, PLACE)


def start(workspace_id: str, site_id: str, crawl_id: str) -> Update:
    """The write by which the queued crawl that holds the place runs. Fails when another crawl holds it."""
    return Update(
        TABLE,
        keys.website(workspace_id, site_id),
        "SET #place.#status = :running",
        condition="#place.#holder = :crawl",
        names={"#place": "place", "#status": "status", "#holder": "crawlId"},
        values={":running": "running", ":crawl": crawl_id},
        name=PLACE,
    )


def take_running(workspace_id: str, site_id: str, crawl_id: str, kind: str) -> Update:
    """The write by which a crawl that waited for the place takes it, running. Fails when another crawl holds it."""
    return Update(
        TABLE,
        keys.website(workspace_id, site_id),
        "SET #place = :place",
        condition="attribute_exists(pk) AND (attribute_not_exists(#place) OR #place.#holder = :crawl)",
        names={"#place": "place", "#holder": "crawlId"},
        values={":place": {"crawlId": crawl_id, "kind": kind, "status": "running"}, ":crawl": crawl_id},
        name=PLACE,
    )


def free(workspace_id: str, site_id: str, crawl_id: str) -> Update:
    """The write that frees the place of a crawl that published nothing. Fails when another crawl holds it."""
    return Update(
        TABLE,
        keys.website(workspace_id, site_id),
        "REMOVE #place",
        condition="#place.#holder = :crawl",
        names={"#place": "place", "#holder": "crawlId"},
        values={":crawl": crawl_id},
        name=PLACE,
    )


def free_with_summary(website: Website, crawl_id: str, summary: SiteSummary) -> Update:
    """The write that frees the place of a crawl and renews the website's summary. Fails when another crawl holds it.

    It belongs into the transaction that changes the website's issues, whose version keeps two such writes apart.
    """
    return Update(
        TABLE,
        keys.website(website.workspace_id, website.id),
        "SET #summary = :summary REMOVE #place",
        condition="#place.#holder = :crawl",
        names={"#summary": "summary", "#place": "place", "#holder": "crawlId"},
        values={":summary": shapes.SITE_SUMMARY.pack(summary), ":crawl": crawl_id},
        name=PLACE,
    )


def published(website: Website, crawl_id: str, summary: SiteSummary, host: str, platform: str) -> list[Write]:
    """The writes by which a crawl publishes: its summary and pages become the website's, its place is free.

    The first fails when the crawl no longer holds the place. A second, when host or platform turned out to be
    another, renews the row in the list; it fails when the website was renamed since it was read.
    """
    key = keys.website(website.workspace_id, website.id)
    writes: list[Write] = [
        Update(
            TABLE,
            key,
            "SET #current = :crawl, #summary = :summary, #host = :host, #platform = :platform REMOVE #place",
            condition="#place.#holder = :crawl",
            names={
                "#current": "currentCrawl",
                "#summary": "summary",
                "#host": "host",
                "#platform": "platform",
                "#place": "place",
                "#holder": "crawlId",
            },
            values={
                ":crawl": crawl_id,
                ":summary": shapes.SITE_SUMMARY.pack(summary),
                ":host": host,
                ":platform": platform,
            },
            name=PLACE,
        )
    ]
    if (host, platform) != (website.host, website.platform):
        writes.append(website_names.renew(website.workspace_id, website.name, website.id, host, platform))
    return writes

"""The crawl lock of a website, and the writes that take and free it. At most one crawl, queued or running, holds the
lock.

The lock is an attribute of the website's record (table sites). The transaction that starts a crawl takes the lock, so
of two starts at the same time one fails. The transaction that ends the crawl frees the lock. All functions return
writes for those transactions. If a write fails because of the lock, its name in the ``Conflict`` is ``PLACE``.

Rechecks wait for the lock. Waiting rechecks are not in the index ``running``, by which the sweeper finds crawls. So the
transaction that frees the lock also puts the recheck that has waited longest back into the index (``crawls.put_back``).
A recheck that starts to wait increments a counter on the lock (``wait_for``). If the counter has changed since it was
read, the transaction that frees the lock fails, and is tried again.
"""

from typing import Any, NamedTuple

from chalicelib.domain.audit.records import CrawlHeader
from chalicelib.domain.audit.summary import SiteSummary
from chalicelib.store import crawls, keys, shapes, website_names
from chalicelib.store.errors import Conflict
from chalicelib.store.transactions import Update, Write
from chalicelib.store.websites import TABLE, Website

PLACE = "place"  # in a ``Conflict``, the name of a write that takes, keeps or frees the crawl lock


class Weekly(NamedTuple):
    """A weekly audit that starts.

    - ``day``: the day for which it was scheduled (YYYY-MM-DD).
    - ``next_at``: the time of the next weekly audit (epoch seconds).
    """

    day: str
    next_at: float


def take(
    website: Website,
    crawl_id: str,
    kind: str,
    *,
    api_starts: list[float] | None = None,
    weekly: Weekly | None = None,
) -> Update:
    """Return the write by which a new, queued crawl takes the website's lock. The write fails when another crawl holds
    it.

    - ``api_starts``: the new list of starts through the API. The write also fails when the stored list changed since
      the website was read.
    - ``weekly``: for a weekly audit. The write also fails when the audit of that day was started before, or when the
      time of the next audit changed since the website was read.
    """
    assigned, condition = ["#place = :place"], ["attribute_exists(pk)", "attribute_not_exists(#place)"]
    names = {"#place": "place"}
    values: dict[str, Any] = {":place": {"crawlId": crawl_id, "kind": kind, "status": "queued"}}
    if api_starts is not None:
        assigned.append("#starts = :starts")
        condition.append("(attribute_not_exists(#starts) OR #starts = :seen_starts)")
        names["#starts"] = "apiStarts"
        values |= {":starts": api_starts, ":seen_starts": list(website.api_starts)}
    if weekly is not None:
        assigned += ["#next = :next", "#day = :day"]
        condition += ["#next = :seen_next", "(attribute_not_exists(#day) OR #day <> :day)"]
        names |= {"#next": "nextAuditAt", "#day": "weeklyDay"}
        values |= {":next": weekly.next_at, ":seen_next": website.next_audit_at, ":day": weekly.day}
    key = keys.website(website.workspace_id, website.id)
    return Update(TABLE, key, "SET " + ", ".join(assigned), " AND ".join(condition), names, values, PLACE)


def start(workspace_id: str, site_id: str, crawl_id: str) -> Update:
    """Return the write that sets the crawl that holds the lock from queued to running. The write fails when another
    crawl holds the lock."""
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
    """Return the write by which a waiting crawl takes the lock as a running crawl. The write fails when another crawl
    holds the lock."""
    return Update(
        TABLE,
        keys.website(workspace_id, site_id),
        "SET #place = :place",
        condition="attribute_exists(pk) AND (attribute_not_exists(#place) OR #place.#holder = :crawl)",
        names={"#place": "place", "#holder": "crawlId"},
        # Count one waiting recheck, since others may have waited longer: the next freeing of the lock looks for them.
        values={
            ":place": {"crawlId": crawl_id, "kind": kind, "status": "running", "waiting": 1},
            ":crawl": crawl_id,
        },
        name=PLACE,
    )


def wait_for(workspace_id: str, site_id: str, holder: str) -> Update:
    """Return the write that records that a recheck waits until the crawl ``holder`` frees the website's lock. The write
    fails when that crawl no longer holds the lock."""
    return Update(
        TABLE,
        keys.website(workspace_id, site_id),
        "SET #place.#waiting = if_not_exists(#place.#waiting, :none) + :one",
        condition="#place.#holder = :crawl",
        names={"#place": "place", "#waiting": "waiting", "#holder": "crawlId"},
        values={":none": 0, ":one": 1, ":crawl": holder},
        name=PLACE,
    )


class Freeing(NamedTuple):
    """The data with which the transaction that ends a crawl frees the website's lock.

    ``next_one``: the recheck that has waited longest, which is put back into the index of crawls, so that it starts.
    None if no recheck waits; then the lock is freed only if its counter of waiting rechecks is still ``seen`` (None:
    there is no counter).
    """

    next_one: CrawlHeader | None
    seen: int | None = None

    def condition(self, crawl_id: str) -> tuple[str, dict[str, str], dict[str, Any]]:
        """Return the condition of the write that frees the crawl's lock, with its attribute names and values."""
        held, names = "#place.#holder = :crawl", {"#place": "place", "#holder": "crawlId"}
        values: dict[str, Any] = {":crawl": crawl_id}
        if self.next_one is not None:
            return held, names, values
        names["#waiting"] = "waiting"
        if self.seen is None:
            return f"{held} AND attribute_not_exists(#place.#waiting)", names, values
        return f"{held} AND #place.#waiting = :seen", names, values | {":seen": self.seen}

    def writes(self, now: float) -> list[Write]:
        """Return the further writes of the transaction that frees the lock."""
        return [] if self.next_one is None else [crawls.put_back(self.next_one, now)]


def freeing(website: Website) -> Freeing:
    """Look for the recheck that waits for the lock. Call this before the transaction that ends a crawl. ``website``:
    the website as it was read before this call."""
    seen = website.place.waiting if website.place is not None else None
    return Freeing(crawls.oldest_waiting_recheck(website.id), seen)


def freeing_again(conflict: Conflict, site_id: str, crawl_id: str) -> Freeing | None:
    """Look again for the recheck that waits for the lock, after a transaction failed because the waiting rechecks had
    changed. Returns None if the transaction failed for another reason."""
    old = conflict.failed.get(PLACE)
    place = old.get("place") if old is not None else None
    seen = place.get("waiting") if place is not None and place["crawlId"] == crawl_id else None
    if seen is None and crawls.WAITING not in conflict.failed:
        return None
    return Freeing(crawls.oldest_waiting_recheck(site_id), seen)


def free(workspace_id: str, site_id: str, crawl_id: str, freeing: Freeing) -> Update:
    """Return the write that frees the lock of a crawl that published nothing. The write fails when another crawl holds
    the lock."""
    condition, names, values = freeing.condition(crawl_id)
    return Update(TABLE, keys.website(workspace_id, site_id), "REMOVE #place", condition, names, values, PLACE)


def free_with_summary(website: Website, crawl_id: str, summary: SiteSummary, freeing: Freeing) -> Update:
    """Return the write that frees the lock of a crawl and updates the website's summary. The write fails when another
    crawl holds the lock.

    Commit it in the transaction that changes the website's issues, because the version of the issues detects concurrent
    writes.
    """
    condition, names, values = freeing.condition(crawl_id)
    return Update(
        TABLE,
        keys.website(website.workspace_id, website.id),
        "SET #summary = :summary, #current = :current REMOVE #place",
        condition,
        names={**names, "#summary": "summary", "#current": "currentCrawl"},
        values={
            **values,
            ":summary": shapes.SITE_SUMMARY.pack(summary),
            ":current": summary.generation.crawl_id,
        },
        name=PLACE,
    )


def published(
    website: Website, crawl_id: str, summary: SiteSummary, host: str, platform: str, freeing: Freeing
) -> list[Write]:
    """Return the writes by which a crawl publishes: the crawl's summary and pages become those of the website, and the
    website's lock is freed.

    The first write fails when the crawl no longer holds the lock. If host or platform changed, a second write updates
    the website's entry in the list by name. The second write fails when the website was renamed since it was read.
    """
    condition, names, values = freeing.condition(crawl_id)
    writes: list[Write] = [
        Update(
            TABLE,
            keys.website(website.workspace_id, website.id),
            "SET #current = :crawl, #summary = :summary, #host = :host, #platform = :platform REMOVE #place",
            condition,
            names={
                **names,
                "#current": "currentCrawl",
                "#summary": "summary",
                "#host": "host",
                "#platform": "platform",
            },
            values={
                **values,
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

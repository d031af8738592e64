"""Alerts (table crawls). An alert is a crawl that reads only the addresses that a CMS or another system reported as
changed.

Access patterns
- the alert to which further addresses are added, with its addresses so far: Get SITE#s, GATHERING, then a BatchGet of
  its header and its addresses
- the addresses of an alert: Get CRAWL#c, ASKED

While an alert is queued, addresses are added to it. A transaction that adds addresses checks that the alert is still
queued. So no address is added after the alert's worker has read the list.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

from chalicelib.domain.audit.records import CrawlHeader
from chalicelib.store import crawls, items, keys
from chalicelib.store.transactions import Check, Delete, Put, Write

TABLE: Final = crawls.TABLE


class Gathering(NamedTuple):
    """The latest alert of a website, and its addresses. ``waits``: whether the alert is still queued, so that further
    addresses may be added.
    """

    crawl_id: str
    addresses: list[str]
    waits: bool


def gathering(site_id: str) -> Gathering | None:
    """Return the latest alert of a website. Returns None if the website never had one. One or two round trips."""
    pointer = items.get(TABLE, *keys.gathering_alert(site_id))
    if pointer is None:
        return None
    crawl_id = pointer["crawlId"]
    header_key = (TABLE, *crawls.recheck_key(site_id, crawl_id))
    asked_key = (TABLE, *keys.asked_addresses(crawl_id))
    found = items.batch_get([header_key, asked_key])
    header, asked = found.get(header_key), found.get(asked_key)
    if header is None or asked is None:
        return Gathering(crawl_id, [], waits=False)
    return Gathering(crawl_id, asked["addresses"], waits=header["status"] == "queued")


def asked(crawl_id: str) -> list[str]:
    """Return the addresses that an alert will read, in the order in which they were reported."""
    item = items.get(TABLE, *keys.asked_addresses(crawl_id))
    return [] if item is None else list(item["addresses"])


# -- writes, for the transactions of operations and workers ----------------------------------------------


def joined(site_id: str, before: Gathering, addresses: Sequence[str]) -> list[Write]:
    """Return the writes that add addresses to a waiting alert. ``addresses``: all its addresses, old and new. The
    writes fail when the alert has begun, or when addresses were added to it since ``before`` was read."""
    return [
        Put(
            TABLE,
            _asked_item(before.crawl_id, addresses),
            condition="#count = :seen",
            names={"#count": "count"},
            values={":seen": len(before.addresses)},
        ),
        Check(
            TABLE,
            crawls.recheck_key(site_id, before.crawl_id),
            "#status = :queued",
            names={"#status": "status"},
            values={":queued": "queued"},
        ),
    ]


def created(header: CrawlHeader, addresses: Sequence[str]) -> list[Write]:
    """Return the writes that create an alert."""
    return [
        crawls.put_new(header),
        Put(TABLE, _asked_item(header.id, addresses), condition="attribute_not_exists(pk)"),
    ]


def gathers(header: CrawlHeader, before: Gathering | None) -> Put:
    """Return the write that selects this alert as the alert to which further addresses are added. The write fails when
    another alert was created since ``before`` was read."""
    pk, sk = keys.gathering_alert(header.site_id)
    item = {"pk": pk, "sk": sk, "crawlId": header.id}
    if before is None:
        return Put(TABLE, item, condition="attribute_not_exists(pk)")
    return Put(TABLE, item, condition="#crawl = :seen", names={"#crawl": "crawlId"}, values={":seen": before.crawl_id})


def forgotten(crawl_id: str) -> Delete:
    """Return the write that removes the addresses of an alert that has ended."""
    return Delete(TABLE, keys.asked_addresses(crawl_id))


def _asked_item(crawl_id: str, addresses: Sequence[str]) -> dict[str, object]:
    pk, sk = keys.asked_addresses(crawl_id)
    return {"pk": pk, "sk": sk, "addresses": list(addresses), "count": len(addresses)}

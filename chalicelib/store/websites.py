"""The records of websites (table sites).

Access patterns
- a website of a workspace: Get WS#w, SITE#s. One BatchGet reads it together with its workspace
- some websites of a workspace: BatchGet; all websites of a workspace, by name: see ``website_names``
- the workspace of a website id (operator, workers): Get SITE#s, OWNER
- websites whose next audit is due: index ``due`` (dueShard, nextAuditAt), sparse: a paused website is not in it

A website's rows in other tables are read only after its record. The record is found only by the ids of both workspace
and website, so a person cannot read a website of another workspace. ``places`` handles the crawl lock, ``removals`` the
deletion.
"""

from collections.abc import Iterable, Mapping
from dataclasses import fields
from functools import lru_cache
from typing import Any

import msgspec
from pynamodb.attributes import ListAttribute, MapAttribute, NumberAttribute, UnicodeAttribute

from chalicelib import clock
from chalicelib.domain.audit.summary import SiteSummary
from chalicelib.domain.connections import Connections
from chalicelib.domain.search.recent import RecentDays
from chalicelib.store import accounts, items, keys, shapes, website_names
from chalicelib.store.accounts import Workspace
from chalicelib.store.models import (
    Entity,
    Integer,
    OptionalBinary,
    OptionalInteger,
    OptionalNumber,
    OptionalText,
    OptionalTexts,
)
from chalicelib.store.transactions import Check, Put, Update, Write
from chalicelib.store.website_names import NameRow

TABLE = "sites"
_UNCONNECTED = Connections()
# Decoding the records is half of a list's work, and people sort a list and turn its pages. Decoded values are cached by
# their stored bytes, so a cached value is never stale. The values of 500 websites take about 10 MB.
_LISTED_KEPT = 500


class Place(MapAttribute[str, str]):
    """The crawl that holds the crawl lock: its id, its kind (``audit`` or ``recheck``) and its status (``queued`` or
    ``running``).

    ``waiting``: how many rechecks have begun to wait for the lock since this crawl took it; absent for none.
    """

    crawl_id = UnicodeAttribute(attr_name="crawlId")
    kind = UnicodeAttribute()
    status = UnicodeAttribute()
    waiting = OptionalInteger()


class Listed(msgspec.Struct, frozen=True, gc=False):
    """A website's data for long lists. It is made directly from the stored values, which is faster than creating a
    ``Website``. ``crawl``: kind and status of the crawl that holds the crawl lock."""

    id: str
    name: str
    host: str
    url: str
    platform: str
    status: str
    next_audit_at: float | None
    crawl: tuple[str, str] | None
    summary: SiteSummary | None
    connections: Connections
    search: RecentDays | None


class Website(Entity):
    """A website of a workspace. Times are epoch seconds.

    - ``page_budget``: None means the default.
    - ``current_crawl``: the crawl whose pages are published.
    - ``api_starts``: the times of audits started through the API.
    - ``next_audit_at`` and ``due_shard``: absent while weekly audits are paused.
    - ``weekly_hour``: the hour of the week of the weekly audit (``domain.crawl.weekly``); None means Sundays 02:00 UTC.
    - ``weekly_day``: the day (YYYY-MM-DD) for which the last weekly audit was started; None before the first one.
    - ``version``: grows with each change that a person makes.
    """

    class Meta:
        table_name = keys.table_name(TABLE)

    id = UnicodeAttribute()
    workspace_id = UnicodeAttribute(attr_name="workspaceId")
    name = UnicodeAttribute()
    host = UnicodeAttribute()
    url = UnicodeAttribute()
    platform = UnicodeAttribute()
    status = UnicodeAttribute()
    page_budget = OptionalInteger(attr_name="pageBudget")
    created_at = NumberAttribute(attr_name="createdAt")
    current_crawl = OptionalText(attr_name="currentCrawl")
    place = Place(null=True)  # type: ignore[no-untyped-call]
    api_starts = ListAttribute[float](attr_name="apiStarts", default=list)
    next_audit_at = OptionalNumber(attr_name="nextAuditAt")
    due_shard = OptionalText(attr_name="dueShard")
    weekly_hour = OptionalInteger(attr_name="weeklyHour")
    weekly_day = OptionalText(attr_name="weeklyDay")
    version = Integer(default=0)
    given_aliases = OptionalTexts(attr_name="aliases")
    watched_pages = OptionalTexts(attr_name="watchedPages")
    packed_summary = OptionalBinary(attr_name="summary")
    packed_connections = OptionalBinary(attr_name="connections")
    packed_search = OptionalBinary(attr_name="search")

    @property
    def crawl(self) -> tuple[str, str] | None:
        """Kind and status of the crawl that holds the crawl lock. None if no crawl holds it."""
        return None if self.place is None else (self.place.kind, self.place.status)

    @property
    def aliases(self) -> list[str]:
        """The website's other names, as people entered them."""
        return self.given_aliases or []

    @property
    def summary(self) -> SiteSummary | None:
        """The summary of the last audit. None before the first audit."""
        return _summary(self.packed_summary)

    @property
    def home_url(self) -> str:
        """The address of the home page, after redirects. Before the first audit: the website's address."""
        summary = self.summary
        return (summary.home_url if summary is not None else None) or self.url

    @property
    def connections(self) -> Connections:
        """The status of the website's connections."""
        return _connections(self.packed_connections)

    @property
    def search(self) -> RecentDays | None:
        """The search data of the last days. None before the first import."""
        return _search(self.packed_search)

    @property
    def inputs_had(self) -> frozenset[str]:
        """The inputs of the last audit, such as search data, that are still connected.

        While one of these inputs is unavailable, the findings of the rules that need it do not change.
        """
        summary = self.summary
        had = frozenset(() if summary is None else summary.inputs)
        return had if self.connections.search is not None else had - {"search"}


def _summary(packed: bytes | None) -> SiteSummary | None:
    return None if packed is None else shapes.SITE_SUMMARY.unpack(packed).as_of(clock.now())


def _connections(packed: bytes | None) -> Connections:
    return _UNCONNECTED if packed is None else shapes.CONNECTIONS.unpack(packed)


def _search(packed: bytes | None) -> RecentDays | None:
    return None if packed is None else shapes.RECENT_SEARCH.unpack(packed)


def get(workspace_id: str, site_id: str) -> Website | None:
    """Return the website of this workspace. Returns None if it does not exist or belongs to another workspace."""
    return Website.load(keys.website(workspace_id, site_id))


def get_with_workspace(workspace_id: str, site_id: str) -> tuple[Website | None, Workspace]:
    """Return the website (or None) and its workspace, in one round trip. Raises ``KeyError`` when there is no
    workspace."""
    return pair_of(items.batch_get(places_of_pair(workspace_id, site_id)), workspace_id, site_id)


def places_of_pair(workspace_id: str, site_id: str) -> tuple[items.Key, items.Key]:
    """Return table and key of a website's record and of its workspace's record, for callers that read other items in
    the same BatchGet."""
    return (TABLE, *keys.website(workspace_id, site_id)), (accounts.TABLE, *keys.workspace(workspace_id))


def pair_of(found: Mapping[items.Key, items.Item], workspace_id: str, site_id: str) -> tuple[Website | None, Workspace]:
    """Return the website (or None) and its workspace, taken from items that were read with the keys of
    ``places_of_pair``. Raises ``KeyError`` if the workspace is missing."""
    website_place, workspace_place = places_of_pair(workspace_id, site_id)
    website = found.get(website_place)
    return (None if website is None else Website.from_item(website)), Workspace.from_item(found[workspace_place])


def get_with_workspaces(due: Iterable[tuple[str, str]]) -> list[tuple[Website, Workspace]]:
    """Load websites, each with its workspace, in the given order. ``due``: a pair (workspace id, website id) for each
    website. Websites that do not exist are left out. One round trip per 50 websites, or for more websites if several
    belong to the same workspace."""
    wanted = [(keys.workspace(workspace_id), keys.website(workspace_id, site_id)) for workspace_id, site_id in due]
    records = {(accounts.TABLE, *workspace) for workspace, _ in wanted} | {(TABLE, *website) for _, website in wanted}
    found = items.batch_get(sorted(records))
    return [
        (Website.from_item(found[TABLE, *website]), Workspace.from_item(found[accounts.TABLE, *workspace]))
        for workspace, website in wanted
        if (TABLE, *website) in found and (accounts.TABLE, *workspace) in found
    ]


def get_many(workspace_id: str, site_ids: Iterable[str]) -> dict[str, Website]:
    """Load these websites of the workspace, by id. Websites that do not exist are left out. One round trip per 100
    websites."""
    found = items.batch_get((TABLE, *keys.website(workspace_id, site_id)) for site_id in site_ids)
    websites = map(Website.from_item, found.values())
    return {website.id: website for website in websites}


_SHOWN = (
    *("id", "name", "host", "url", "platform", "status"),
    *("nextAuditAt", "place", "summary", "connections", "search"),
)


def list_many(workspace_id: str, site_ids: Iterable[str]) -> dict[str, Listed]:
    """Return the data for lists (``Listed``) of these websites of the workspace, by id. Websites that do not exist are
    left out. One round trip per 100 websites."""
    wanted = ((TABLE, *keys.website(workspace_id, site_id)) for site_id in site_ids)
    found = items.batch_get(wanted, attributes=_SHOWN)
    return {item["id"]: _shown(item) for item in found.values()}


def _shown(item: Mapping[str, Any]) -> Listed:
    place = item.get("place")
    summary, connections, search = item.get("summary"), item.get("connections"), item.get("search")
    return Listed(
        id=item["id"],
        name=item["name"],
        host=item["host"],
        url=item["url"],
        platform=item["platform"],
        status=item["status"],
        next_audit_at=item.get("nextAuditAt"),
        crawl=None if place is None else (place["kind"], place["status"]),
        summary=None if summary is None else _kept_summary(summary).as_of(clock.now()),
        connections=_UNCONNECTED if connections is None else _kept_connections(connections),
        search=None if search is None else _kept_search(search),
    )


# Shared by all lists: nothing may change these values.
_kept_summary = lru_cache(maxsize=_LISTED_KEPT)(shapes.SITE_SUMMARY.unpack)
_kept_connections = lru_cache(maxsize=_LISTED_KEPT)(shapes.CONNECTIONS.unpack)
_kept_search = lru_cache(maxsize=_LISTED_KEPT)(shapes.RECENT_SEARCH.unpack)


def workspace_of(site_id: str) -> str | None:
    """Return the workspace that a website belongs to. Returns None when there is no such website, or it was removed."""
    row = items.get(TABLE, *keys.website_owner(site_id))
    return None if row is None or "removedAt" in row else row["workspaceId"]


def list_due(
    shard: str, now: float, *, limit: int = 100, start: Mapping[str, Any] | None = None
) -> tuple[list[tuple[str, str]], dict[str, Any] | None]:
    """Return the websites of a shard whose next audit is due, each as (workspace id, site id), earliest first. Also
    returns the position at which to continue. The index may lag behind the rows for a moment."""
    found, position = items.query(
        TABLE, shard, index="due", before=("nextAuditAt", now), limit=limit, start=start, keys_only=True
    )
    return [(keys.after_prefix(row["pk"]), keys.after_prefix(row["sk"])) for row in found], position


# -- writes, for the transactions of operations ---------------------------------------------------------


def new(website: Website) -> list[Write]:
    """Return the writes that create a website, for one transaction."""
    pk, sk = keys.website_owner(website.id)
    return [
        Put(TABLE, website.as_item(), condition="attribute_not_exists(pk)"),
        website_names.put(website.workspace_id, _listed(website, {})),
        Put(
            TABLE,
            {"pk": pk, "sk": sk, "workspaceId": website.workspace_id},
            condition="attribute_not_exists(pk)",
        ),
    ]


def still_there(website: Website) -> Check:
    """Return a check to add to a transaction: the transaction fails if the website was removed. The check writes
    nothing."""
    return Check(TABLE, keys.website(website.workspace_id, website.id), "attribute_exists(pk)")


def touched(website: Website) -> Update:
    """Return the write that marks the website's record as changed. Add it to a transaction that creates something for
    the website, such as a key: a deletion of the website at the same moment then fails, and is tried again. The write
    fails when the website is gone or changed since it was read."""
    return _change(website, {})


def changed(website: Website, changes: Mapping[str, Any]) -> list[Write]:
    """Return the writes that change attributes of a website and of its entry in the list by name. Attributes are given
    by their stored names; None removes an attribute. The first write fails when the website changed since it was read.
    """
    row = _listed(website, changes)
    writes: list[Write] = [_change(website, changes), website_names.put(website.workspace_id, row)]
    if not website_names.same(row.name, website.name):
        writes.append(website_names.delete(website.workspace_id, website.name, website.id))
    return writes


def _listed(website: Website, changes: Mapping[str, Any]) -> NameRow:
    row = {item.name: changes.get(item.name, getattr(website, item.name)) for item in fields(NameRow)}
    return NameRow(**row)


def _change(website: Website, changes: Mapping[str, Any]) -> Update:
    names = {"#version": "version", "#host": "host", "#platform": "platform"}
    values: dict[str, Any] = {
        ":seen": website.version,
        ":one": 1,
        ":host": website.host,
        ":platform": website.platform,
    }
    assigned, removed = ["#version = #version + :one"], []
    for number, (attribute, value) in enumerate(changes.items()):
        names[f"#a{number}"] = attribute
        if value is None:
            removed.append(f"#a{number}")
        else:
            values[f":a{number}"] = value
            assigned.append(f"#a{number} = :a{number}")
    expression = "SET " + ", ".join(assigned) + (" REMOVE " + ", ".join(removed) if removed else "")
    key = keys.website(website.workspace_id, website.id)
    # An audit updates host and platform but not the version, so the list's row must not restore old values.
    condition = "#version = :seen AND #host = :host AND #platform = :platform"
    return Update(TABLE, key, expression, condition, names, values)


def next_audit_moved(website: Website, next_audit_at: float) -> Update:
    """Return the write that changes the time of the next weekly audit. The write fails when that time changed since the
    website was read."""
    return Update(
        TABLE,
        keys.website(website.workspace_id, website.id),
        "SET #next = :next",
        condition="#next = :seen",
        names={"#next": "nextAuditAt"},
        values={":next": next_audit_at, ":seen": website.next_audit_at},
    )


def summarised(website: Website, summary: SiteSummary) -> Update:
    """Return the write that updates a website's summary. Commit it in the transaction that changes the website's
    issues: the version of the issues detects concurrent writes."""
    return Update(
        TABLE,
        keys.website(website.workspace_id, website.id),
        "SET #summary = :summary",
        condition="attribute_exists(pk)",
        names={"#summary": "summary"},
        values={":summary": shapes.SITE_SUMMARY.pack(summary)},
    )

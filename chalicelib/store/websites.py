"""Websites (table sites).

Access patterns
- a website of a workspace: Get WS#w, SITE#s; with its workspace: one BatchGet
- the websites of a workspace by name: Query WS#w, NAME# (small rows); the records of some of them: BatchGet
- the workspace of a website id (operator, workers): Get SITE#s, OWNER
- websites whose next audit is due: index ``due`` (dueShard, nextAuditAt), sparse: a paused website is not in it
A website's rows in other tables are reached only with its record, and that only by (workspace, website).
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from pynamodb.attributes import ListAttribute, MapAttribute, NumberAttribute, UnicodeAttribute

from chalicelib.domain.audit.summary import SiteSummary
from chalicelib.domain.names import sort_key
from chalicelib.store import accounts, items, keys
from chalicelib.store.accounts import Workspace
from chalicelib.store.models import (
    Entity,
    Integer,
    OptionalBinary,
    OptionalInteger,
    OptionalNumber,
    OptionalText,
)
from chalicelib.store.packing import pack, unpack
from chalicelib.store.transactions import Delete, Put, Update, Write

TABLE = "sites"
PLACE = "place"  # what a conflict calls a write that takes, keeps or frees the website's place


class Place(MapAttribute[str, str]):
    """The one crawl that may run: its id, ``audit`` or ``recheck``, ``queued`` or ``running``."""

    crawl_id = UnicodeAttribute(attr_name="crawlId")
    kind = UnicodeAttribute()
    status = UnicodeAttribute()


class Website(Entity):
    """A website of a workspace. Times are epoch seconds.

    ``page_budget`` None: the default. ``current_crawl``: the crawl whose pages are published. ``api_starts``: when
    audits were started through the API. ``next_audit_at`` and ``due_shard`` are absent while it is paused.
    ``version`` grows with each change that a person makes.
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
    version = Integer(default=0)
    packed_summary = OptionalBinary(attr_name="summary")

    @property
    def summary(self) -> SiteSummary | None:
        """What lists show of the last audit; None before the first."""
        return None if self.packed_summary is None else unpack(self.packed_summary, SiteSummary)


@dataclass(frozen=True, slots=True)
class NameRow:
    """A website as lists name it."""

    id: str
    name: str
    host: str
    url: str
    platform: str
    status: str


_LISTED = ("id", "name", "host", "url", "platform", "status")


def get(workspace_id: str, site_id: str) -> Website | None:
    """The website of this workspace, or None: one of another workspace is as one that does not exist."""
    return Website.load(keys.website(workspace_id, site_id))


def get_with_workspace(workspace_id: str, site_id: str) -> tuple[Website | None, Workspace]:
    """The website (or None) and its workspace, in one round trip. Raises ``KeyError`` when there is no workspace."""
    website_key, workspace_key = keys.website(workspace_id, site_id), keys.workspace(workspace_id)
    found = items.batch_get([(TABLE, *website_key), (accounts.TABLE, *workspace_key)])
    website = found.get((TABLE, *website_key))
    workspace = Workspace.from_item(found[accounts.TABLE, *workspace_key])
    return (None if website is None else Website.from_item(website)), workspace


def get_with_workspaces(due: Iterable[tuple[str, str]]) -> list[tuple[Website, Workspace]]:
    """The websites, each with its workspace, of (workspace id, website id), in the given order; those that do not exist
    are left out. One round trip for each 50, or fewer where workspaces repeat."""
    wanted = [(keys.workspace(workspace_id), keys.website(workspace_id, site_id)) for workspace_id, site_id in due]
    places = {(accounts.TABLE, *workspace) for workspace, _ in wanted} | {(TABLE, *website) for _, website in wanted}
    found = items.batch_get(sorted(places))
    return [
        (Website.from_item(found[TABLE, *website]), Workspace.from_item(found[accounts.TABLE, *workspace]))
        for workspace, website in wanted
        if (TABLE, *website) in found and (accounts.TABLE, *workspace) in found
    ]


def get_many(workspace_id: str, site_ids: Iterable[str]) -> dict[str, Website]:
    """Those of the websites that the workspace has, by id: one round trip for each 100."""
    found = items.batch_get((TABLE, *keys.website(workspace_id, site_id)) for site_id in site_ids)
    websites = map(Website.from_item, found.values())
    return {website.id: website for website in websites}


def list_names(workspace_id: str) -> list[NameRow]:
    """All websites of a workspace, by name as people expect it (``domain.names``)."""
    found = items.query_all(TABLE, keys.workspace_partition(workspace_id), keys.NAME_PREFIX)
    rows = [NameRow(**{name: item[name] for name in _LISTED}) for item in found]
    return sorted(rows, key=lambda row: (*sort_key(row.name), row.id))


def workspace_of(site_id: str) -> str | None:
    """The workspace that a website belongs to; None when there is no such website, or it was removed."""
    row = items.get(TABLE, *keys.website_owner(site_id))
    return None if row is None or "removedAt" in row else row["workspaceId"]


def list_due(
    shard: str, now: float, *, limit: int = 100, start: Mapping[str, Any] | None = None
) -> tuple[list[tuple[str, str]], dict[str, Any] | None]:
    """(workspace id, site id) of websites of a due shard whose next audit's time has come, earliest first, and where
    to go on. Reads an index: may be a moment old."""
    found, position = items.query(
        TABLE, shard, index="due", before=("nextAuditAt", now), limit=limit, start=start, keys_only=True
    )
    return [(_after(row["pk"]), _after(row["sk"])) for row in found], position


def _after(key: str) -> str:
    return key.partition("#")[2]


# -- writes, for the transactions of operations ---------------------------------------------------------


def new(website: Website) -> list[Write]:
    """The writes that create a website."""
    pk, sk = keys.website_owner(website.id)
    return [
        Put(TABLE, website.as_item(), condition="attribute_not_exists(pk)"),
        _listing(website, {}),
        Put(
            TABLE,
            {"pk": pk, "sk": sk, "workspaceId": website.workspace_id},
            condition="attribute_not_exists(pk)",
        ),
    ]


def touched(website: Website) -> Update:
    """The write that only says that something of a website (its keys) changed, so that a removal at the same moment
    sees it. Fails when the website is gone or changed since it was read."""
    return _change(website, {})


def changed(website: Website, changes: Mapping[str, Any]) -> list[Write]:
    """The writes that change attributes (by their stored names; None removes one) of a website and of its row in the
    list. The first fails when the website changed since it was read."""
    name_key = keys.website_name(website.workspace_id, website.name, website.id)
    listing = _listing(website, changes)
    writes: list[Write] = [_change(website, changes), listing]
    if (listing.item["pk"], listing.item["sk"]) != name_key:
        writes.append(Delete(TABLE, name_key))
    return writes


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
    # An audit renews host and platform without being a person: the row in the list must not bring the old ones back.
    condition = "#version = :seen AND #host = :host AND #platform = :platform"
    return Update(TABLE, key, expression, condition, names, values)


def _listing(website: Website, changes: Mapping[str, Any]) -> Put:
    row = {name: changes.get(name, getattr(website, name)) for name in _LISTED}
    pk, sk = keys.website_name(website.workspace_id, row["name"], website.id)
    return Put(TABLE, {"pk": pk, "sk": sk, **row})


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
            values={":crawl": crawl_id, ":summary": pack(summary), ":host": host, ":platform": platform},
            name=PLACE,
        )
    ]
    if (host, platform) != (website.host, website.platform):
        writes.append(
            Update(
                TABLE,
                keys.website_name(website.workspace_id, website.name, website.id),
                "SET #host = :host, #platform = :platform",
                condition="attribute_exists(pk)",
                names={"#host": "host", "#platform": "platform"},
                values={":host": host, ":platform": platform},
            )
        )
    return writes


def take_place(
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


def next_audit_moved(website: Website, next_audit_at: float) -> Update:
    """The write that moves the time of the next weekly audit. Fails when it changed since the website was read."""
    return Update(
        TABLE,
        keys.website(website.workspace_id, website.id),
        "SET #next = :next",
        condition="#next = :seen",
        names={"#next": "nextAuditAt"},
        values={":next": next_audit_at, ":seen": website.next_audit_at},
    )


def place_running(workspace_id: str, site_id: str, crawl_id: str) -> Update:
    """The write that moves the place of a queued crawl to running. Fails when another crawl holds it."""
    return Update(
        TABLE,
        keys.website(workspace_id, site_id),
        "SET #place.#status = :running",
        condition="#place.#holder = :crawl",
        names={"#place": "place", "#status": "status", "#holder": "crawlId"},
        values={":running": "running", ":crawl": crawl_id},
        name=PLACE,
    )


def place_taken_by(workspace_id: str, site_id: str, crawl_id: str, kind: str) -> Update:
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


def summarised(website: Website, summary: SiteSummary, *, frees: str | None = None) -> Update:
    """The write that renews a website's summary. It belongs into the transaction that changes its issues, whose
    version keeps two such writes apart. With ``frees`` it also frees the place of that crawl, which must hold it."""
    expression, condition = "SET #summary = :summary", "attribute_exists(pk)"
    names = {"#summary": "summary"}
    values: dict[str, Any] = {":summary": pack(summary)}
    if frees is not None:
        expression += " REMOVE #place"
        condition = "#place.#holder = :crawl"
        names |= {"#place": "place", "#holder": "crawlId"}
        values |= {":crawl": frees}
    key = keys.website(website.workspace_id, website.id)
    return Update(TABLE, key, expression, condition, names, values, name=None if frees is None else PLACE)


def place_free(workspace_id: str, site_id: str, crawl_id: str) -> Update:
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


def removed(website: Website, now: float) -> list[Write]:
    """The writes that remove a website's record. The first fails when a person changed the website since it was read,
    or a crawl holds its place. The row that names its workspace stays, marked, until ``purge`` is done."""
    return [
        Delete(
            TABLE,
            keys.website(website.workspace_id, website.id),
            condition="#version = :seen AND attribute_not_exists(#place)",
            names={"#version": "version", "#place": "place"},
            values={":seen": website.version},
        ),
        Delete(TABLE, keys.website_name(website.workspace_id, website.name, website.id)),
        Update(TABLE, keys.website_owner(website.id), "SET removedAt = :now", values={":now": now}),
        accounts.uncount(website.workspace_id, "websites"),
    ]


def removal_pending(site_id: str) -> str | None:
    """The workspace of a website that was removed but not yet purged; else None."""
    row = items.get(TABLE, *keys.website_owner(site_id))
    return row["workspaceId"] if row is not None and "removedAt" in row else None


def purge(site_id: str) -> None:
    """Delete everything that was stored of a removed website. May be stopped anywhere and begun again."""
    partition = keys.site_partition(site_id)
    for header in items.query_all("crawls", partition, keys_only=True):
        crawl_id = _after(header["sk"])
        _delete_partition("pages", keys.generation_partition(site_id, crawl_id))
        _delete_partition("crawls", keys.crawl_partition(crawl_id))
        items.delete("crawls", header["pk"], header["sk"])  # last: it is how the rest is found
    _delete_partition("issues", partition)
    items.delete(TABLE, *keys.website_owner(site_id))


def _delete_partition(table: str, pk: str) -> None:
    items.batch_write(deletes=((table, row["pk"], row["sk"]) for row in items.query_all(table, pk, keys_only=True)))

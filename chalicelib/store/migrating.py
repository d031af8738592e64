"""Converts a website's stored rows from older shapes to the current ones (``store.shapes``), row by row.

A row is rewritten only if its packed value is still the value that was read. If a worker has replaced the value
meanwhile, the new value already has the current shape. Nothing else in a row changes, not even the row's version or
revision. After a crash the conversion can start again; it skips rows that are already current. At most one page of a
partition (1 MB) is in memory.

One row stores the progress of the migration over all websites, and the versions to which it converts. A release with
other versions starts from the beginning. A website that is added during the migration is stored in current shapes
anyway.

Earlier releases did not list a person's workspace under the person's e-mail address. ``list_people`` adds these
entries.
"""

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any, Final, NamedTuple

from chalicelib.domain.search.manifest import DATASETS
from chalicelib.store import accounts, items, keys, shapes
from chalicelib.store.errors import Conflict
from chalicelib.store.packing import Shape, UnknownVersion
from chalicelib.store.transactions import committed

# Name of a shape -> where it is stored: table, beginning of the sort key, attribute.
PACKED: Final = {
    "page_facts": ("crawls", "FACTS#", "data"),
    "target_facts": ("crawls", "TARGETS#", "data"),
    "site_facts": ("crawls", "SITEFACTS#", "data"),
    "sitemap_urls": ("crawls", "SITEMAP#", "data"),
    "sitemap_languages": ("crawls", "LANGUAGES#", "data"),
    "step": ("crawls", "STEP#", "data"),
    "kept_audit": ("crawls", "KEPTHEAD#", "data"),
    "kept_pages": ("crawls", "KEPTPAGES#", "data"),
    "kept_difference": ("crawls", "KEPTDIFF#", "data"),
    "page_rows": ("pages", "LIST#", "data"),
    "page_findings": ("pages", "FIND#", "data"),
    "missing_addresses": ("pages", "MISSING", "data"),
    "issue_book": ("issues", "STATE", "data"),
    "issue_log": ("issues", "LOG#", "data"),
    "affected_pages": ("issues", "AFF#", "data"),
    "suggestions": ("issues", "SUG#", "data"),
    "content_items": ("pages", "BLOCK#", "data"),
    "changes": ("changes", "CH#", "data"),
    "undo_tokens": ("changes", "UNDO#", "data"),
    "site_summary": ("sites", "SITE#", "summary"),
    "connections": ("sites", "SITE#", "connections"),
    "recent_search": ("sites", "SITE#", "search"),
    "search_manifest": ("search", "MANIFEST", "data"),
    "search_keys": ("search", "KEYS#", "data"),
    "search_day": ("search", "DAY#", "data"),
    "search_month": ("search", "MONTH#", "data"),
    "topics": ("ops", "TOPICS#", "data"),
    "landing_pages": ("ops", "LANDING#", "data"),
    "search_totals": ("search", "TOTALS#", "data"),
    "readiness": ("ai", "READINESS", "data"),
    "rendered_sample": ("ai", "RENDERED", "data"),
    "llms_write": ("ai", "WRITE#llms_txt", "data"),
    "rules_write": ("ai", "WRITE#ai_crawlers", "data"),
    "prompts": ("ai", "PROMPTS", "data"),
    "sample": ("ai", "20", "data"),  # its sort key begins with the week
    "visibility_week": ("ai", "WEEK#", "data"),
    "speed_results": ("ai", "RESULTS#", "data"),
    "field_book": ("ai", "FIELD", "data"),
    "speed_result": ("jobs", "JOB#job_", "result"),
    "events": ("webhooks", "", "events"),
    "delivery_body": ("webhooks", "", "body"),
    "search_result": ("ops", "BLOCK#", "data"),
}

SHAPES: Final[Mapping[str, Shape[Any]]] = {shape.name: shape for shape in shapes.ALL}
MOST_BYTES: Final = 390_000  # largest packed value; an item has at most 400 KB
FIRST_ROWS: Final = 50  # how many rows of a partition ``holds_older`` reads
TABLE: Final = "ops"
# Counts like the version of a shape, because earlier releases did not store these entries.
LISTED_PEOPLE: Final = {"workspaces of e-mail addresses": 1}


class Rewritten(NamedTuple):
    """Counts for one or many websites. ``rewritten``: rows rewritten. ``left``: rows that stay as they are: the value
    is stored in parts (which expire with the next audit), would grow too large, or has an unknown version."""

    rewritten: int = 0
    left: int = 0

    def __add__(self, other: object) -> "Rewritten":
        assert isinstance(other, Rewritten)
        return Rewritten(self.rewritten + other.rewritten, self.left + other.left)


class Progress(NamedTuple):
    """The progress of the migration.

    - ``after``: the last workspace and website that were processed; None at the beginning.
    - ``websites``: how many were processed.
    - ``rows``: the counts of their rows.
    """

    after: tuple[str, str] | None = None
    websites: int = 0
    rows: Rewritten = Rewritten()


def load() -> Progress:
    """Load the progress of the migration to this release's versions."""
    row = items.get(TABLE, *keys.migration())
    if row is None or row["versions"] != _versions():
        return Progress()
    after = tuple(row["after"]) if row["after"] else None
    return Progress(after, row["websites"], Rewritten(row["rewritten"], row["left"]))


def has_ended() -> bool:
    """Whether a migration to the current versions has processed every website."""
    row = items.get(TABLE, *keys.migration())
    return row is not None and row["versions"] == _versions() and row.get("ended", False)


def keep(progress: Progress, *, ended: bool = False) -> None:
    """Store the progress. If two migrations run at the same time, the later write wins. In that case, some websites are
    converted twice, but none is skipped."""
    pk, sk = keys.migration()
    row = {"pk": pk, "sk": sk, "versions": _versions(), "after": list(progress.after or ()), "ended": ended}
    rows = progress.rows
    items.put(TABLE, {**row, "websites": progress.websites, "rewritten": rows.rewritten, "left": rows.left})


def migrate(workspace_id: str, site_id: str) -> Rewritten:
    """Convert every row of a website to the current shapes. One call per MB, and one per row that is rewritten."""
    done = Rewritten()
    for table, pk, prefix in _partitions(workspace_id, site_id):
        for item in items.query_all(table, pk, prefix):
            for shape, attribute in _packed(table, item):
                done += _rewrite(table, item, shape, attribute)
    return done


def holds_older(workspace_id: str, site_id: str) -> bool:
    """Whether ``migrate`` would rewrite a value in the first rows of one of a website's partitions. One call per
    partition: five per website, and two per crawl."""
    return any(
        item.get("parts", 1) == 1
        and not shape.is_current(item[attribute])
        and _converted(shape, item[attribute]) is not None
        for table, pk, prefix in _partitions(workspace_id, site_id)
        for item in islice(items.query_all(table, pk, prefix), FIRST_ROWS)
        for shape, attribute in _packed(table, item)
    )


def list_people(workspace_id: str) -> Rewritten:
    """List the workspace under the e-mail address of each person for whom this entry is missing. Two calls, and one per
    added entry. If a person is changed meanwhile, that change adds the person's entry."""
    workspace = accounts.workspace(workspace_id)
    if workspace is None:
        return Rewritten()
    missing = unlisted_people(workspace_id)
    return Rewritten(sum(committed(accounts.listed_again(person, workspace.name)) for person in missing))


def unlisted_people(workspace_id: str) -> list[accounts.Person]:
    """Return the people under whose e-mail address the workspace is not listed yet. An earlier release added these
    people."""
    people = accounts.list_people(workspace_id)
    if not people:
        return []
    places = {person.id: keys.workspace_of_address(person.email, workspace_id) for person in people}
    rows = items.batch_get((accounts.TABLE, *place) for place in places.values())
    return [p for p in people if not accounts.is_listed(p, rows.get((accounts.TABLE, *places[p.id])))]


def _versions() -> dict[str, int]:
    return {name: shape.version for name, shape in SHAPES.items()} | LISTED_PEOPLE


def _partitions(workspace_id: str, site_id: str) -> Iterator[tuple[str, str, str | None]]:
    """Yield table, partition and prefix of the sort keys of all of a website's data."""
    partition = keys.site_partition(site_id)
    yield "sites", *keys.website(workspace_id, site_id)
    for header in items.query_all("crawls", partition, keys_only=True):
        crawl_id = keys.after_prefix(header["sk"])
        yield "crawls", keys.crawl_partition(crawl_id), None
        yield "pages", keys.generation_partition(site_id, crawl_id), None
    yield "crawls", keys.kept_partition(site_id), None
    for table in ("issues", "changes", "ai", "jobs"):
        yield table, partition, None
    yield "ai", keys.samples_partition(site_id), None
    yield "pages", keys.content_partition(site_id), None
    for dataset in DATASETS:
        yield "search", keys.search_partition(site_id, dataset), None


def _packed(table: str, item: Mapping[str, Any]) -> Iterator[tuple[Shape[Any], str]]:
    """Yield the packed values of a row, each as its shape and the attribute that holds it."""
    for name, (stored_in, beginning, attribute) in PACKED.items():
        if stored_in == table and item["sk"].startswith(beginning) and isinstance(item.get(attribute), bytes):
            yield SHAPES[name], attribute


def _converted(shape: Shape[Any], old: bytes) -> bytes | None:
    """Convert a value to its current shape. Returns None if its version is unknown, or it would grow too large."""
    try:
        new = shape.pack(shape.unpack(old))
    except UnknownVersion:
        return None
    return new if len(new) <= MOST_BYTES else None


def _rewrite(table: str, item: Mapping[str, Any], shape: Shape[Any], attribute: str) -> Rewritten:
    old = item[attribute]
    if item.get("parts", 1) > 1:
        return Rewritten(left=int(item["sk"].count("#") == 1 and not shape.is_current(old)))
    if shape.is_current(old):
        return Rewritten()
    new = _converted(shape, old)
    if new is None:
        return Rewritten(left=1)
    try:
        items.update(
            table,
            item["pk"],
            item["sk"],
            "SET #value = :new",
            condition="#value = :old",
            names={"#value": attribute},
            values={":new": new, ":old": old},
            own={attribute: new},
        )
    except Conflict:  # a worker has rewritten or removed the row meanwhile
        return Rewritten()
    return Rewritten(rewritten=1)

"""Deletes a website: first its record, in one transaction, and then all its stored data, piece by piece.

The row that maps the website's id to its workspace is deleted last. Until then it is marked, so that an interrupted
deletion can continue. The first transaction also creates a job (``JOB_ID``), which does the rest of the deletion.
"""

import contextlib
from collections.abc import Callable
from typing import Any, Final

from chalicelib.domain.search.manifest import DATASETS
from chalicelib.store import accounts, crawls, items, keys, website_names
from chalicelib.store.errors import Conflict
from chalicelib.store.transactions import Delete, Update, Write
from chalicelib.store.websites import TABLE, Website

JOB_ID: Final = "removal"


def removed(website: Website, now: float) -> list[Write]:
    """Return the writes that remove a website's record, and stop the crawl that holds its crawl lock. The first write
    fails when a person changed the website since it was read, or when another crawl holds the lock."""
    condition, names = "#version = :seen AND attribute_not_exists(#place)", {"#version": "version", "#place": "place"}
    values: dict[str, Any] = {":seen": website.version}
    stopped = list[Write]()
    if website.place is not None:
        condition = "#version = :seen AND #place.#holder = :crawl"
        names["#holder"], values[":crawl"] = "crawlId", website.place.crawl_id
        stopped.append(crawls.stopped(website.id, website.place.kind, website.place.crawl_id))
    return [
        Delete(TABLE, keys.website(website.workspace_id, website.id), condition, names, values),
        *stopped,
        website_names.delete(website.workspace_id, website.name, website.id),
        Update(TABLE, keys.website_owner(website.id), "SET removedAt = :now", values={":now": now}),
        accounts.uncount(website.workspace_id, "websites"),
    ]


def pending(site_id: str) -> str | None:
    """Return the workspace of a removed website whose data is not completely deleted yet. Returns None for any other
    website."""
    row = items.get(TABLE, *keys.website_owner(site_id))
    return row["workspaceId"] if row is not None and "removedAt" in row else None


def purge(site_id: str, step: Callable[[], None] = lambda: None) -> None:
    """Delete all stored data of a removed website except the job that performs the deletion (``forget_job`` deletes
    it). The call may be interrupted anywhere and repeated. ``step``: a function that is called before each part, for
    example to renew the lease of the caller's job. An exception in it ends the deletion."""
    partition = keys.site_partition(site_id)

    def delete_partition(table: str, pk: str, kept: str | None = None) -> None:
        step()
        rows = (row for row in items.query_all(table, pk, keys_only=True) if row["sk"] != kept)
        items.batch_write(deletes=((table, row["pk"], row["sk"]) for row in rows))

    _, job = keys.job(site_id, JOB_ID)
    delete_partition("jobs", partition, job)  # first: a worker stops writing once its job is gone
    for header in items.query_all("crawls", partition, keys_only=True):
        crawl_id = keys.after_prefix(header["sk"])
        _stop_preview(header)
        delete_partition("pages", keys.generation_partition(site_id, crawl_id))
        delete_partition("crawls", keys.crawl_partition(crawl_id))
        items.delete("crawls", header["pk"], header["sk"])  # last: the crawl's other rows are found through it
    delete_partition("crawls", keys.kept_partition(site_id))
    delete_partition("issues", partition)
    delete_partition("changes", partition)
    delete_partition("ai", partition)
    delete_partition("ai", keys.samples_partition(site_id))
    delete_partition("pages", keys.content_partition(site_id))
    delete_partition("webhooks", partition)
    for dataset in DATASETS:
        delete_partition("search", keys.search_partition(site_id, dataset))
    for row in items.query_all(TABLE, partition, keys_only=True):
        if row["sk"].startswith(keys.REPORT_PREFIX):
            items.delete(TABLE, *keys.report(keys.after_prefix(row["sk"])))
        if (row["pk"], row["sk"]) != keys.website_owner(site_id):
            items.delete(TABLE, row["pk"], row["sk"])
    items.delete(TABLE, *keys.website_owner(site_id))  # last: it shows that the deletion is unfinished


def _stop_preview(row: items.Item) -> None:
    """Raise the fence of a preview, so that its worker writes nothing more. A preview does not hold the crawl lock, so
    ``removed`` did not stop it."""
    if row["sk"].startswith(crawls.SORT_KEYS["preview"]):
        with contextlib.suppress(Conflict):  # the preview is gone
            items.update(
                crawls.TABLE,
                row["pk"],
                row["sk"],
                "SET #fence = #fence + :one",
                condition="attribute_exists(pk)",
                names={"#fence": "fence"},
                values={":one": 1},
            )


def forget_job(site_id: str) -> None:
    """Delete the job that performed the deletion."""
    items.delete("jobs", *keys.job(site_id, JOB_ID))

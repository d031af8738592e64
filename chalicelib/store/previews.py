"""Previews of a website (table crawls): which one ran last, the credentials that previews need, and their results for
14 days.

Access patterns
- the preview that was started last: Get SITE#s#KEPT, LASTPREVIEW; then its header
- the header of a preview and its stored result: BatchGet of SITE#s, PREVIEW#p and SITE#s#KEPT, KEPTHEAD#PREVIEW#p
- the headers that give a preview access to the staging address: Get SITE#s#KEPT, PREVIEWACCESS#p
- the headers of all previews of a website: Query SITE#s#KEPT, PREVIEWACCESS#
- the addresses of a preview that reads only certain addresses: Get SITE#s#KEPT, PREVIEWURLS#p. They take up to 200 kB,
  so they are not in the header, which is written with every checkpoint

Pages are stored in the same form as an audit's pages (``kept_audits``).
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from chalicelib.domain.audit.kept import KeptAudit
from chalicelib.domain.audit.records import CrawlHeader
from chalicelib.store import crawls, items, keys, secrets, shapes
from chalicelib.store.secrets import Secret
from chalicelib.store.transactions import Delete, Put, Write

TABLE: Final = crawls.TABLE
LAST: Final = "last preview"  # in a ``Conflict``, the name of the write that starts a preview
ACCESS_SECONDS: Final = 2 * 86_400.0  # far longer than a preview runs; its end deletes the credentials


class Last(NamedTuple):
    """The preview that was started last, and the times of recent starts (epoch seconds), which count towards a
    limit."""

    preview_id: str
    starts: list[float]


def last(site_id: str) -> Last | None:
    """Return the website's last preview. Returns None if no preview was started, or the last one has expired. One round
    trip."""
    row = items.get(TABLE, *keys.last_preview(site_id))
    return None if row is None else Last(row["previewId"], [float(at) for at in row["starts"]])


def begun(
    header: CrawlHeader, before: Last | None, starts: Sequence[float], access: Secret | None, asked_urls: Sequence[str]
) -> list[Write]:
    """Return the writes that start a preview. They fail when another preview was started since ``before`` was read.
    ``access``: request headers that give access to the staging address. ``asked_urls``: the only addresses to read;
    empty for the whole website. Raises ``AWS_ERRORS`` if the headers cannot be encrypted."""
    row: dict[str, Any] = {
        **keys.attributes(keys.last_preview(header.site_id)),
        "previewId": header.id,
        "starts": list(starts),
        "ttl": int(header.queued_at + crawls.PREVIEW_KEPT_SECONDS),
    }
    if before is None:  # or the row has expired: reads leave it out, though it stays for days
        names, now = {"#ttl": "ttl"}, {":now": header.queued_at}
        pointer = Put(
            TABLE, row, condition="attribute_not_exists(pk) OR #ttl <= :now", names=names, values=now, name=LAST
        )
    else:
        names, values = {"#preview": "previewId"}, {":before": before.preview_id}
        pointer = Put(TABLE, row, condition="#preview = :before", names=names, values=values, name=LAST)
    writes: list[Write] = [pointer, crawls.put_new(header)]
    if access is not None:
        sealed = secrets.seal(access, **context(header.workspace_id, header.site_id, header.id))
        key = keys.attributes(keys.preview_access(header.site_id, header.id))
        until = int(header.queued_at + ACCESS_SECONDS)
        writes.append(Put(TABLE, {**key, "previewId": header.id, "sealed": sealed, "ttl": until}))
    if asked_urls:
        key = keys.attributes(keys.preview_urls(header.site_id, header.id))
        until = int(header.queued_at + crawls.PREVIEW_KEPT_SECONDS)
        writes.append(Put(TABLE, {**key, "urls": list(asked_urls), "ttl": until}))
    return writes


def context(workspace_id: str, site_id: str, preview_id: str) -> dict[str, str]:
    """Return the encryption context to which a preview's credentials are bound."""
    return {"workspaceId": workspace_id, "siteId": site_id, "previewId": preview_id}


def secret_of(headers: Mapping[str, str]) -> Secret:
    """Pack the request headers of a preview as a secret."""
    return Secret(json.dumps(dict(headers), separators=(",", ":")))


def headers_of(secret: Secret) -> dict[str, str]:
    """Convert a secret made by ``secret_of`` back to request headers."""
    headers: dict[str, str] = json.loads(secret.reveal())
    return headers


def access(header: CrawlHeader) -> Secret | None:
    """Return the credentials of a preview. Returns None if the preview needs no credentials. One round trip, and one to
    KMS. Raises ``AWS_ERRORS``."""
    row = items.get(TABLE, *keys.preview_access(header.site_id, header.id))
    if row is None:
        return None
    return secrets.unseal(row["sealed"], **context(header.workspace_id, header.site_id, header.id))


def asked_urls(header: CrawlHeader) -> list[str]:
    """Return the only addresses that a preview reads; empty for a preview of the whole website. One round trip; none
    for the whole website."""
    row = items.get(TABLE, *keys.preview_urls(header.site_id, header.id)) if header.asked_pages else None
    return [] if row is None else list(row["urls"])


def ended(header: CrawlHeader, *, committed_checkpoint: int) -> list[Write]:
    """Return the writes that end a preview. They also delete its credentials and its list of addresses to read."""
    return [
        crawls.put_fenced(header, committed_checkpoint=committed_checkpoint, heed_cancel=False),
        Delete(TABLE, keys.preview_access(header.site_id, header.id)),
        Delete(TABLE, keys.preview_urls(header.site_id, header.id)),
    ]


def keep(site_id: str, kept: KeptAudit) -> Put:
    """Return the write that stores a preview's result, except its pages, for the transaction that ends the preview."""
    key = keys.attributes(keys.kept_preview(site_id, kept.id))
    until = int(kept.finished_at + crawls.PREVIEW_KEPT_SECONDS)
    return Put(TABLE, {**key, "data": shapes.KEPT_AUDIT.pack(kept), "ttl": until})


class Stored(NamedTuple):
    """A preview. ``kept``: its stored result; None if the preview has not ended, or ended without a result."""

    header: CrawlHeader
    kept: KeptAudit | None


def load(site_id: str, preview_id: str) -> Stored | None:
    """Load a preview with its result. Returns None if it was not started, or has expired. One round trip."""
    of_header = (TABLE, keys.site_partition(site_id), crawls.SORT_KEYS["preview"] + preview_id)
    of_kept = (TABLE, *keys.kept_preview(site_id, preview_id))
    found = items.batch_get([of_header, of_kept])
    if of_header not in found:
        return None
    packed = found.get(of_kept)
    kept = None if packed is None else shapes.KEPT_AUDIT.unpack(packed["data"])
    return Stored(crawls.to_header(found[of_header]), kept)

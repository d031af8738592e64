"""Links to the reports of websites (table sites). Only the SHA-256 of a link's token is stored. The rows of a link
expire together with the link.

Access patterns
- the website of a link: Get REPORT#sha256
- the open links of a website: Query SITE#s, REPORT#
"""

from typing import Any, Final, NamedTuple

from chalicelib.store import items, keys
from chalicelib.store.transactions import Delete, Put, Write
from chalicelib.store.websites import TABLE

LISTED: Final = "link to a report"  # in a ``Conflict``, the name of the write that revokes a link


class ReportLink(NamedTuple):
    """A link to a website's report. Times are epoch seconds.

    - ``key``: the SHA-256 of its token.
    - ``made_by``: the e-mail address of the person who created the link. For a link in a monthly mail, the address of
      the person who added the recipient. None for the operator.
    - ``sent_to``: the recipient of the monthly mail with this link; None if no monthly mail contained the link.
    """

    key: str
    workspace_id: str
    site_id: str
    made_at: float
    made_by: str | None
    ends_at: int
    sent_to: str | None = None


def find(sha256: str) -> ReportLink | None:
    """Find a link. Returns None if it does not exist or has expired. One round trip."""
    row = items.get(TABLE, *keys.report(sha256))
    return None if row is None else _link(row, sha256)


def list_open(site_id: str) -> list[ReportLink]:
    """Return the links of a website that have not expired, newest first. One round trip."""
    rows = items.query_all(TABLE, keys.site_partition(site_id), keys.REPORT_PREFIX)
    found = [_link(row, keys.after_prefix(row["sk"])) for row in rows]
    return sorted(found, key=lambda one: (-one.made_at, one.key))


def put(link: ReportLink) -> list[Write]:
    """Return the writes that store a new link."""
    row = {
        "workspaceId": link.workspace_id,
        "siteId": link.site_id,
        "madeAt": link.made_at,
        "madeBy": link.made_by,
        "sentTo": link.sent_to,
        "ttl": link.ends_at,
    }
    return [
        Put(TABLE, {**keys.attributes(key), **row}, condition="attribute_not_exists(pk)")
        for key in (keys.report(link.key), keys.report_of_website(link.site_id, link.key))
    ]


def taken_back(site_id: str, sha256: str) -> list[Write]:
    """Return the writes that revoke a link. The first write fails if the website has no such link."""
    return [
        Delete(TABLE, keys.report_of_website(site_id, sha256), condition="attribute_exists(pk)", name=LISTED),
        Delete(TABLE, keys.report(sha256)),
    ]


def _link(row: dict[str, Any], sha256: str) -> ReportLink:
    made_by, sent_to = row.get("madeBy"), row.get("sentTo")
    return ReportLink(sha256, row["workspaceId"], row["siteId"], row["madeAt"], made_by, row["ttl"], sent_to)

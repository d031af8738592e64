"""Finds every stored value that is encrypted with SECRETS_KEY, in any table.

Access patterns
- the signing secrets of a workspace's endpoints: Query webhooks WS#w, END#
- a workspace's own keys for AI assistants: Query accounts WS#w, ASSISTANT#
- the credentials of a website's connections, including pairings and grants in progress: Query sites SITE#s, CONN#,
  PAIRING# and GRANTING#
- the credentials of a website's running preview: Query crawls SITE#s#KEPT, PREVIEWACCESS#

Every new kind of secret must be added here: a secret that this module does not find is lost when the key is replaced.
"""

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from chalicelib.store import assistant_keys, connections, endpoints, items, keys, previews
from chalicelib.store.errors import Conflict
from chalicelib.store.websites import TABLE as WEBSITES

ENDPOINT: Final = "endpoint"
ASSISTANT: Final = "assistant"
PREVIEW: Final = "preview"


class Sealed(NamedTuple):
    """One encrypted value.

    - ``kind``: ``endpoint``, ``assistant``, ``preview`` or the kind of a connection.
    - ``of``: whose value it is, as a printable name.
    - ``context``: the encryption context.
    """

    kind: str
    of: str
    table: str
    pk: str
    sk: str
    attribute: str
    value: bytes
    context: dict[str, str]


def of_endpoints(workspace_id: str) -> Iterator[Sealed]:
    """Yield the signing secrets of a workspace's webhook endpoints."""
    for row in items.query_all(endpoints.TABLE, keys.workspace_partition(workspace_id), keys.ENDPOINT_PREFIX):
        context = endpoints.context(workspace_id, row["id"])
        yield _sealed(ENDPOINT, f"endpoint {row['id']}", endpoints.TABLE, row, "secret", context)


def of_assistants(workspace_id: str) -> Iterator[Sealed]:
    """Yield a workspace's own keys for AI assistants."""
    for row in items.query_all(assistant_keys.TABLE, keys.workspace_partition(workspace_id), keys.ASSISTANT_PREFIX):
        context = assistant_keys.context(workspace_id, row["provider"])
        of = f"{row['provider']} of {workspace_id}"
        yield _sealed(ASSISTANT, of, assistant_keys.TABLE, row, "sealed", context)


def of_connections(workspace_id: str, site_id: str) -> Iterator[Sealed]:
    """Yield the credentials of a website's connections."""
    for prefix in keys.CONNECTION_PREFIXES.values():
        for row in items.query_all(WEBSITES, keys.site_partition(site_id), prefix):
            context = connections.context(workspace_id, site_id, row["kind"])
            yield _sealed(row["kind"], f"{row['kind']} of {site_id}", WEBSITES, row, "sealed", context)


def of_previews(workspace_id: str, site_id: str) -> Iterator[Sealed]:
    """Yield the credentials of a website's running preview, if any."""
    for row in items.query_all(previews.TABLE, keys.kept_partition(site_id), keys.PREVIEW_ACCESS_PREFIX):
        context = previews.context(workspace_id, site_id, row["previewId"])
        yield _sealed(PREVIEW, f"preview of {site_id}", previews.TABLE, row, "sealed", context)


def read_again(one: Sealed) -> Sealed | None:
    """Return the value as it is stored now. Returns None when it is gone."""
    row = items.get(one.table, one.pk, one.sk)
    return None if row is None else one._replace(value=row[one.attribute])


def replace(one: Sealed, value: bytes) -> bool:
    """Replace the stored value by the same secret, encrypted with another key. Returns False, without a write, if the
    value changed or was removed since it was read."""
    try:
        items.update(
            one.table,
            one.pk,
            one.sk,
            "SET #sealed = :new",
            condition="#sealed = :old",
            names={"#sealed": one.attribute},
            values={":new": value, ":old": one.value},
            own={one.attribute: value},
        )
    except Conflict:
        return False
    return True


def _sealed(kind: str, of: str, table: str, row: dict[str, Any], attribute: str, context: dict[str, str]) -> Sealed:
    return Sealed(kind, of, table, row["pk"], row["sk"], attribute, row[attribute], context)

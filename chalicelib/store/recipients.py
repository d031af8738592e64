"""The e-mail addresses that receive a website's monthly report (table webhooks). They are deleted with their website.

Access patterns
- an address: Get SITE#s, RECIPIENT#hash; all addresses of a website: Query SITE#s, RECIPIENT#
- the addresses whose mail is due: index ``dueDeliveries`` (dueShard ``REPORTS``, nextTryAt), sparse

The row of an unconfirmed address expires after some days. A monthly mail contains a link to the report. While the mail
is being sent, the row has the link's token, so that a retry sends the same mail. At all other times only the hash of
the token is stored.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final, Self

from chalicelib.domain.ids import digest
from chalicelib.store import items, keys
from chalicelib.store.transactions import UNCHANGED, Delete, Put, Update, changed_version, committed

TABLE: Final = "webhooks"


@dataclass(frozen=True, slots=True)
class Recipient:
    """An address that receives the report. Times are epoch seconds.

    - ``added_by``: the e-mail address of the person who added it; None for the operator.
    - ``secret``: a secret in the mails. Anyone who has it can end the mails, and do nothing else.
    - ``confirm``: the SHA-256 of the token that confirms the address; None if it is confirmed.
    - ``due``: when the next mail is sent or retried.
    - ``tries``: how often the service began to send that mail.
    - ``token``: the token of the mail's report link, while the mail is being sent.

    ``version`` grows with each change.
    """

    workspace_id: str
    site_id: str
    email: str
    added_at: float
    added_by: str | None
    secret: str = field(repr=False)
    confirm: str | None
    due: float | None
    tries: int
    token: str | None = field(repr=False)
    last_sent: float | None
    version: int

    @property
    def key(self) -> str:
        """The key of the address within its website."""
        return key_of(self.email)

    @classmethod
    def _of(cls, row: dict[str, Any]) -> Self:
        return cls(
            row["workspaceId"],
            keys.after_prefix(row["pk"]),
            row["email"],
            row["addedAt"],
            row.get("addedBy"),
            row["secret"],
            row.get("confirm"),
            row.get("nextTryAt"),
            row["tries"],
            row.get("token"),
            row.get("lastSent"),
            row["version"],
        )


def key_of(email: str) -> str:
    """Return the key of an address within its website, regardless of letter case."""
    return digest(email.casefold()).hex()


def get(site_id: str, key: str) -> Recipient | None:
    """Return the recipient with this key. Returns None if there is none."""
    row = items.get(TABLE, *keys.recipient(site_id, key))
    return None if row is None else Recipient._of(row)


def list_all(site_id: str) -> list[Recipient]:
    """Return the recipients of a website in alphabetical order, including unconfirmed ones."""
    rows = items.query_all(TABLE, keys.site_partition(site_id), keys.RECIPIENT_PREFIX)
    return sorted(map(Recipient._of, rows), key=lambda one: one.email.casefold())


def asked(new: Recipient, until: float, replaces: Recipient | None) -> Put:
    """Return the write that adds an address. Its owner must confirm it by the time ``until``. ``replaces``: the row of
    the address if it was added before but never confirmed; the write fails if this row changed."""
    pk, sk = keys.recipient(new.site_id, new.key)
    row = {
        "pk": pk,
        "sk": sk,
        "workspaceId": new.workspace_id,
        "email": new.email,
        "addedAt": new.added_at,
        "addedBy": new.added_by,
        "secret": new.secret,
        "confirm": new.confirm,
        "tries": 0,
        "version": new.version,
        "ttl": int(until),
    }
    if replaces is None:
        return Put(TABLE, row, "attribute_not_exists(pk) OR #ttl <= :now", {"#ttl": "ttl"}, {":now": new.added_at})
    return Put(TABLE, row, UNCHANGED, {"#version": "version"}, {":seen": replaces.version})


def confirmed(found: Recipient, due: float) -> bool:
    """Store that the address is confirmed and receives its first report at ``due``. Returns False if the row changed
    since it was read."""
    changed = {"confirm": None, "ttl": None, "nextTryAt": due, "dueShard": keys.DUE_REPORTS}
    return committed([_change(found, changed)])


def due(before: float) -> Iterator[tuple[str, str]]:
    """Yield the (website, key) pairs of the addresses whose mail was due before a time. The index may lag behind the
    rows for a moment.
    """
    for row in items.query_index("dueDeliveries", keys.DUE_REPORTS, before):
        yield keys.after_prefix(row["pk"]), keys.after_prefix(row["sk"])


def begun(found: Recipient, again: float, token: str) -> Update:
    """Return the write by which a worker claims the sending of a mail, until the time ``again``. The write fails after
    a concurrent write."""
    return _change(found, {"nextTryAt": again, "tries": found.tries + 1, "token": token})


def ended(found: Recipient, due: float, sent_at: float | None) -> Update:
    """Return the write that ends the sending of a mail; the next mail is due at ``due``. ``sent_at``: when the mail was
    sent; None if the service gave up sending it. The write fails if the row changed since the mail was claimed."""
    changed = {"nextTryAt": due, "tries": 0, "token": None}
    return _change(found, changed if sent_at is None else {**changed, "lastSent": sent_at})


def gone(found: Recipient) -> Delete:
    """Return the write that ends the mails to an address. The write fails if the row changed since it was read."""
    key = keys.recipient(found.site_id, found.key)
    return Delete(TABLE, key, UNCHANGED, {"#version": "version"}, {":seen": found.version})


def removed(site_id: str, email: str) -> Delete:
    """Return the write that ends the mails to an address, if there are any."""
    return Delete(TABLE, keys.recipient(site_id, key_of(email)))


def _change(old: Recipient, changed: dict[str, Any]) -> Update:
    """Return the write that changes attributes (None removes one). The write fails if the row has changed since it was
    read."""
    return changed_version(TABLE, keys.recipient(old.site_id, old.key), old.version, changed)

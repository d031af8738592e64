"""Sign-in links, sessions, and the workspaces of an e-mail address (table accounts); counts of requested links (table
ops). The secret of a link or session is stored only as its SHA-256.

Access patterns
- a link: Get LINK#sha256
- use a link to start a session: one transaction
- find a session and count one of its requests: one conditional update of SESSION#sha256
- the sessions of an e-mail address: Query ADDRESS#e, SESSION#, and one batch
- the workspaces of an e-mail address: Query ADDRESS#e, WS#, and one batch of the people themselves; ``accounts`` writes
  these rows in the transactions that change the person
- count a requested link: one conditional update of LINKS#hash, a row per hour
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Final, Self

from chalicelib.domain.accounts import sign_in
from chalicelib.store import items, keys
from chalicelib.store.errors import ITEM, Conflict
from chalicelib.store.transactions import Delete, Put, Write, commit, committed

TABLE: Final = "accounts"
COUNTS_TABLE: Final = "ops"
LINK: Final = "sign-in link"  # in a ``Conflict``, the name of the write that uses a link


@dataclass(frozen=True, slots=True)
class Link:
    """A sign-in link that can still be used. ``expires_at``: epoch seconds."""

    email: str
    expires_at: int


@dataclass(frozen=True, slots=True)
class Session:
    """A session of an e-mail address. ``key`` is the SHA-256 of its secret; times are epoch seconds."""

    email: str
    key: str
    created: float
    last_used: float

    @classmethod
    def _of(cls, row: dict[str, Any]) -> Self:
        return cls(row["email"], keys.after_prefix(row["pk"]), row["createdAt"], row["lastUsedAt"])


@dataclass(frozen=True, slots=True)
class Membership:
    """A workspace that an e-mail address is in. ``site_ids``: None means all its websites. ``invited``: the person was
    invited, and has not opened the workspace yet."""

    workspace_id: str
    workspace_name: str
    person_id: str
    role: str
    site_ids: frozenset[str] | None
    invited: bool = False


class LimitReached(Exception):
    """The requests of this clock hour are used up. ``reset_at``: when the next hour begins (epoch seconds)."""

    def __init__(self, reset_at: int) -> None:
        super().__init__(reset_at)
        self.reset_at = reset_at


def put_link(sha256: str, email: str, now: float, seconds: int = sign_in.LINK_SECONDS, *beside: Write) -> None:
    """Store a link for an e-mail address, valid for ``seconds``. ``beside``: further writes, for the same
    transaction."""
    pk, sk = keys.sign_in_link(sha256)
    commit([Put(TABLE, {"pk": pk, "sk": sk, "email": email, "ttl": int(now) + seconds}), *beside])


def link(sha256: str) -> Link | None:
    """Find a sign-in link. Returns None if it does not exist, was used or has expired."""
    row = items.get(TABLE, *keys.sign_in_link(sha256))
    return None if row is None else Link(row["email"], row["ttl"])


def begin(link_sha256: str, email: str, session_sha256: str, now: float) -> bool:
    """Use a link to start a session for its e-mail address. Returns False if the link was already used or has expired.
    Of two concurrent uses, only one gets a session."""
    ttl = int(now) + sign_in.SESSION_SECONDS
    pk, sk = keys.session(session_sha256)
    session = {"email": email, "createdAt": now, "lastUsedAt": now, "hour": 0, "used": 0, "ttl": ttl}
    listed_pk, listed_sk = keys.session_of_address(email, session_sha256)
    return committed(
        [
            Delete(
                TABLE,
                keys.sign_in_link(link_sha256),
                condition="attribute_exists(pk) AND #ttl > :now",
                names={"#ttl": "ttl"},
                values={":now": now},
                name=LINK,
            ),
            Put(TABLE, {"pk": pk, "sk": sk, **session}, condition="attribute_not_exists(pk)"),
            Put(TABLE, {"pk": listed_pk, "sk": listed_sk, "ttl": ttl}),
        ]
    )


def find(sha256: str, now: float) -> Session | None:
    """Find a session, and count one request of it. Returns None if the session does not exist or has ended. One round
    trip; two for the first request of a clock hour.

    Raises ``LimitReached``. A request that is repeated because its answer was lost counts twice.
    """
    hour = int(now // sign_in.HOUR_SECONDS)
    # The third try is for a request that loses the race when the hour turns. A session that was idle for too long was
    # last used in an earlier hour: then the first try fails, and the returned row shows the idle time.
    for expression, condition, values in (_IN_HOUR, _FIRST_OF_HOUR, _IN_HOUR):
        try:
            row = items.update(
                TABLE,
                *keys.session(sha256),
                f"{expression}, lastUsedAt = :now",
                condition=f"#ttl > :now AND {condition}",
                names={"#ttl": "ttl", "#hour": "hour", "#used": "used"},
                values={":now": now, ":hour": hour, ":one": 1, **values},
                returns="ALL_NEW",
            )
        except Conflict as conflict:
            old = conflict.failed[ITEM]
            if old is None or not _lives(old, now):
                return None
            if old["hour"] >= hour and old["used"] >= sign_in.REQUESTS_PER_HOUR:
                raise LimitReached((hour + 1) * sign_in.HOUR_SECONDS) from None
        else:
            assert row is not None
            return Session._of(row)
    raise RuntimeError(f"a request could not be counted in the row of session {sha256[:8]}…")


_IN_HOUR: Final[tuple[str, str, dict[str, int]]] = (
    "SET #used = #used + :one",
    "#hour >= :hour AND #used < :limit",
    {":limit": sign_in.REQUESTS_PER_HOUR},
)
_FIRST_OF_HOUR: Final[tuple[str, str, dict[str, int]]] = ("SET #hour = :hour, #used = :one", "#hour < :hour", {})


def list_all(email: str, now: float) -> list[Session]:
    """Return the sessions of an e-mail address that have not ended, most recently used first."""
    listed = items.query_all(TABLE, keys.address_partition(email), keys.SESSION_PREFIX, keys_only=True)
    wanted = [(TABLE, *keys.session(keys.after_prefix(row["sk"]))) for row in listed]
    found = [Session._of(row) for row in items.batch_get(wanted).values() if _lives(row, now)]
    return sorted(found, key=lambda session: (-session.last_used, session.key))


def end(email: str, sha256: str) -> bool:
    """End a session of an e-mail address. Returns False if the address has no such session."""
    return committed(
        [
            Delete(TABLE, keys.session_of_address(email, sha256), condition="attribute_exists(pk)"),
            Delete(TABLE, keys.session(sha256)),
        ]
    )


def email_of(sha256: str) -> str | None:
    """Return the e-mail address of a session. A session that has expired because nobody used it is found too. Returns
    None if the session does not exist."""
    row = items.get(TABLE, *keys.session(sha256))
    return None if row is None else str(row["email"])


def workspaces(email: str) -> list[Membership]:
    """Return the workspaces of an e-mail address, ordered by id, oldest first. Two round trips; one for an unknown
    address."""
    return workspaces_and(email, lambda _: ())[0]


def workspaces_and(
    email: str, beside: Callable[[str], Iterable[items.Key]]
) -> tuple[list[Membership], dict[items.Key, items.Item]]:
    """Return the workspaces of an e-mail address, and other items, read in the same batch. ``beside``: a function that
    returns, for a workspace's id, the keys of the other items. One more round trip per 100 items."""
    rows, found = _rows_of(email, beside)
    return [_membership(row, person) for row, person in rows], found


def known_address(email: str) -> str | None:
    """Return the spelling of an e-mail address in a workspace that has this address, ignoring letter case. Returns None
    if no workspace knows it."""
    return next((str(row["email"]) for row, _ in _rows_of(email, lambda _: ())[0]), None)


def _rows_of(
    email: str, beside: Callable[[str], Iterable[items.Key]]
) -> tuple[list[tuple[items.Item, items.Item]], dict[items.Key, items.Item]]:
    """Return the entries of an e-mail address, each with its person. Use an entry only to find the person: release
    1.0.0, which may run concurrently, removes and changes people without updating their entries."""
    entries = list(items.query_all(TABLE, keys.address_partition(email), keys.WORKSPACE_PREFIX))
    places = [(TABLE, *keys.person(row["workspaceId"], row["personId"])) for row in entries]
    found = items.batch_get([*places, *(place for row in entries for place in beside(row["workspaceId"]))])
    return [(row, found[place]) for row, place in zip(entries, places, strict=True) if place in found], found


def _membership(row: items.Item, person: items.Item) -> Membership:
    site_ids = frozenset(person.get("siteIds") or ()) if person["role"] == "client_viewer" else None
    return Membership(
        row["workspaceId"],
        row["workspaceName"],
        row["personId"],
        person["role"],
        site_ids,
        invited="invitedUntil" in person,
    )


def count_link(kind: str, who: str, limit: int, now: float) -> None:
    """Count a link that was requested or opened. ``kind``: a name for what is counted. ``who``: the e-mail address, IP
    address, workspace or report whose links are counted. Raises ``LimitReached`` when ``limit`` links of this clock
    hour are used up.
    """
    hour = int(now // sign_in.HOUR_SECONDS)
    reset_at = (hour + 1) * sign_in.HOUR_SECONDS
    try:
        items.update(
            COUNTS_TABLE,
            *keys.links_asked(kind, who, hour),
            "SET #ttl = :ttl ADD #used :one",
            condition="attribute_not_exists(#used) OR #used < :limit",
            names={"#used": "used", "#ttl": "ttl"},
            values={":one": 1, ":limit": limit, ":ttl": reset_at},
        )
    except Conflict:
        raise LimitReached(reset_at) from None


def _lives(row: dict[str, Any], now: float) -> bool:
    return bool(row["ttl"] > now and row["lastUsedAt"] > now - sign_in.IDLE_SECONDS)

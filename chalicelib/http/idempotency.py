"""Idempotency-Key: if a client repeats a write, it gets the first answer again, and the write is not executed again.

For each API key, method, path and Idempotency-Key, a record is kept for 24 hours. The record is created with a short
lease before the view runs. When the view has returned, its answer is stored in the record. For a request with
the same Idempotency-Key:

- the same body: the stored answer, with ``Idempotency-Replayed: true``
- while the first request still runs: 409 ``idempotency_in_progress``
- with another body: 422 ``idempotency_mismatch``

**Failure policy.** The process is killed before the record is created: nothing happened. It is killed while the view
runs: when the lease has expired, the next try runs the view again. The view's own conditions then prevent a second
effect, such as a second crawl of a website. A refusal (4xx) changed nothing and is not stored: the record is deleted,
so that the next try starts anew.
"""

import re
from collections.abc import Callable
from hashlib import sha256
from typing import Any, Final

from chalicelib import randomness
from chalicelib.http.answers import Answer, as_dict
from chalicelib.http.errors import ApiError
from chalicelib.http.members import shown
from chalicelib.store import items, keys
from chalicelib.store.errors import ITEM, Conflict

KEPT_SECONDS: Final = 24 * 3_600
LEASE_SECONDS: Final = 60  # longer than any request can take
_KEY = re.compile(r"[\x21-\x7e]{1,255}")
TABLE: Final = "ops"


def once(scope: tuple[str, str, str, str], body: bytes, now: float, run: Callable[[], Answer]) -> Answer:
    """Call ``run`` and store its answer, or return the stored answer if the request was answered before. ``scope``:
    (API key id, method, path, given key)."""
    given = scope[3]
    if not _KEY.fullmatch(given):
        raise ApiError(
            "bad_idempotency_key", f"`Idempotency-Key` must be 1 to 255 visible ASCII characters, not {shown(given)}."
        )
    pk, sk = keys.idempotency(*scope)
    fingerprint = sha256(body).hexdigest()
    token = randomness.random_bytes(8).hex()
    stored = _take(pk, sk, fingerprint, token, now)
    if stored is not None:
        return stored
    try:
        answer = run()
    except ApiError:
        _give_back(pk, sk, token)
        raise
    _keep(pk, sk, token, answer)
    return answer


def _take(pk: str, sk: str, fingerprint: str, token: str, now: float) -> Answer | None:
    """Create the record for this request. Returns the stored answer if there is one, otherwise None."""
    item = {
        "pk": pk,
        "sk": sk,
        "fingerprint": fingerprint,
        "token": token,
        "leaseUntil": now + LEASE_SECONDS,
        "ttl": int(now) + KEPT_SECONDS,
    }
    try:
        items.put(
            TABLE,
            item,
            condition="attribute_not_exists(pk) OR #ttl <= :now"
            " OR (#lease <= :now AND attribute_not_exists(#answer) AND #fingerprint = :fingerprint)",
            names={"#ttl": "ttl", "#lease": "leaseUntil", "#answer": "answer", "#fingerprint": "fingerprint"},
            values={":now": now, ":fingerprint": fingerprint},
        )
    except Conflict as conflict:
        return _stored(conflict.failed[ITEM] or {}, fingerprint, now)
    return None


def _stored(old: dict[str, Any], fingerprint: str, now: float) -> Answer:
    if old.get("fingerprint") != fingerprint:
        raise ApiError(
            "idempotency_mismatch", "This Idempotency-Key was sent before with another body: send a new key."
        )
    if "answer" not in old:
        wait = max(1, int(old.get("leaseUntil", now) - now))
        raise ApiError(
            "idempotency_in_progress",
            "The first request with this Idempotency-Key is still running.",
            headers={"Retry-After": str(wait)},
        )
    kept = old["answer"]
    return Answer(kept["status"], kept["body"], {**kept["headers"], "Idempotency-Replayed": "true"})


def _keep(pk: str, sk: str, token: str, answer: Answer) -> None:
    _if_ours(
        lambda names, values: items.update(
            TABLE,
            pk,
            sk,
            "SET #answer = :answer",
            condition="#token = :token",
            names={**names, "#answer": "answer"},
            values={**values, ":answer": as_dict(answer)},
        ),
        token,
    )


def _give_back(pk: str, sk: str, token: str) -> None:
    _if_ours(
        lambda names, values: items.delete(TABLE, pk, sk, condition="#token = :token", names=names, values=values),
        token,
    )


def _if_ours(write: Callable[[dict[str, str], dict[str, Any]], object], token: str) -> None:
    """Do the write if the record still belongs to this request. If the lease has expired, another request may have
    taken the record."""
    try:
        write({"#token": "token"}, {":token": token})
    except Conflict:
        return

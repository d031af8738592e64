"""The clients of a soak, and the requests that they send for each website. Clients record each answer."""

import http.client
import json
import os
import threading
import time
from collections.abc import Sequence
from itertools import cycle
from typing import Any, Final
from urllib.parse import urlsplit

from bench.soak_result import Soak

REQUESTS_A_KEY: Final = 1_000  # the API allows 1,200 per key and hour
TRIES, AGAIN_SECONDS = 300, 0.4  # tries of a request, and seconds between them, if processes are killed
OK, CONFLICT = 200, 409
NO_ANSWER: Final = 0  # the status that stands for a broken connection
AGAIN_CODE: Final = "idempotency_in_progress"
# Answers that are allowed when another request of the client does the same work.
REFUSALS: Final = frozenset({409, 422, 429})


class Keys:
    """API keys of one workspace. Makes a new key before the latest key reaches its hourly limit of requests."""

    def __init__(self, workspace_id: str, person_id: str) -> None:
        self._workspace_id, self._person_id = workspace_id, person_id
        self._secret, self._left = "", 0

    def next(self) -> str:
        from chalicelib.domain.accounts.rights import OPERATOR, SCOPES
        from chalicelib.operations import accounts

        if not self._left:
            made = accounts.create_workspace_key(OPERATOR, self._workspace_id, self._person_id, SCOPES)
            self._secret, self._left = made.secret, REQUESTS_A_KEY
        self._left -= 1
        return self._secret


class Client:
    """One kept-alive connection. Records the time of each answer, and every unexpected answer.

    If the process that answers is killed, the request is sent again to another process.
    """

    def __init__(self, urls: Sequence[str], keys: Keys, soak: Soak, lock: threading.Lock, *, kills: bool) -> None:
        self._urls = cycle(urls)
        self._keys, self._soak, self._lock = keys, soak, lock
        self._tries = TRIES if kills else 1
        self._connection, self._base_path = self._opened()

    def ask(
        self,
        name: str,
        path: str,
        method: str = "GET",
        body: Any = None,
        *,
        expected: int = OK,
        or_refused: bool = False,
    ) -> Any:
        """Send a request and return the answer's JSON. Returns None for an unexpected answer.

        ``or_refused``: whether a refusal is expected too.
        """
        headers = {"Authorization": f"Bearer {self._keys.next()}"}
        content = None if body is None else json.dumps(body).encode()
        if method == "POST":
            headers |= {"Idempotency-Key": os.urandom(12).hex(), "Content-Type": "application/json"}
        status, answer = NO_ANSWER, b""
        for _ in range(self._tries):
            began = time.perf_counter()
            status, answer = self._once(method, path, content, headers)
            if status != NO_ANSWER and not (status == CONFLICT and AGAIN_CODE.encode() in answer):
                break
            if self._tries > 1:
                time.sleep(AGAIN_SECONDS)
        with self._lock:
            self._soak.times.setdefault(name, []).append(1_000 * (time.perf_counter() - began))
            self._soak.statuses[status] += 1
            if status != expected:
                if not (or_refused and status in REFUSALS):
                    self._soak.unexpected[f"{method} {name}: {status} {answer[:200]!r}"] += 1
                return None
        return json.loads(answer)

    def _once(self, method: str, path: str, content: bytes | None, headers: dict[str, str]) -> tuple[int, bytes]:
        try:
            self._connection.request(method, self._base_path + path, content, headers)
            answer = self._connection.getresponse()
            return answer.status, answer.read()
        except (OSError, http.client.HTTPException) as error:
            with self._lock:
                self._soak.broken += 1
            self._connection.close()
            self._connection, self._base_path = self._opened()
            return NO_ANSWER, repr(error).encode()

    def _opened(self) -> tuple[http.client.HTTPConnection, str]:
        parts = urlsplit(next(self._urls))
        return http.client.HTTPConnection(parts.netloc, timeout=60), parts.path

    def close(self) -> None:
        self._connection.close()


def read(client: Client, sites: list[str], requests: int, stopped: threading.Event) -> None:
    """Read all data of the websites, one after the other, until the audits have ended or this many ``requests`` were
    sent."""
    left = iter(range(requests))
    ids: dict[str, str] = {}  # ids from the lists of the current website
    for number, site in enumerate(cycle(sites)):
        ids.clear()
        for name, path in (
            ("portfolio", "/portfolio?per=200"),
            ("website", f"/sites/{site}"),
            ("scores", f"/sites/{site}/scores"),
            ("issues", f"/sites/{site}/issues"),
            ("issue", f"/sites/{site}/issues/{{issues}}"),
            ("actions", f"/sites/{site}/actions"),
            ("pages", f"/sites/{site}/pages"),
            ("pages, q", f"/sites/{site}/pages?q=section-{number % 20}"),
            ("page", f"/sites/{site}/pages/{{pages}}"),
            ("agentic", f"/sites/{site}/agentic"),
            ("audits", f"/sites/{site}/audits"),
            ("audit", f"/sites/{site}/audits/{{audits}}"),
            ("openapi.json", "/openapi.json"),
        ):
            if stopped.is_set() or next(left, None) is None:
                return
            if "{" in path:
                if name + "s" not in ids:
                    continue
                path = path.format(**ids)
            body = client.ask(name, path)
            if body is not None and body.get(name) and name in ("issues", "pages", "audits"):
                ids[name] = body[name][number % len(body[name])]["id"]

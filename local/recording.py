"""``make examples`` records the examples of the OpenAPI document by calling every operation on the demo website.

Recordings are reproducible. Ids are numbered by their first appearance. Every time within the run is replaced by the
start of the run. The service's clock starts at a fixed time. Lists are cut to their first items, and long texts to
their beginning.
"""

import json
import re
import socket
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlencode

from rich.console import Console

from chalicelib import api, clock
from chalicelib.api.description import EXAMPLES_FILE
from chalicelib.http.answers import JSON
from chalicelib.http.endpoints import Endpoint
from chalicelib.http.parameters import declared
from local.options import Options
from local.report import Api, ApiRefusal, Report
from local.run import tour
from local.service import Service

# Fixed ports: the demo's search data is made from addresses with the port. Systems use higher ports for connections.
PORTS: Final = {"faulty": 21443, "clean": 21444}
BEGINS: Final = datetime(2026, 11, 25, 10, tzinfo=UTC)
MEASURED: Final = {"ttfbMs": 112, "fileBytes": 61_204}  # members that differ in every run
MOST_ITEMS: Final = {"connections": 2, "sources": 2, "citedUrls": 2, "words": 3, "weeklyScores": 13}  # other lists: 1
MOST_NAMES: Final = {"category": 3, "depth": 3, "template": 3}  # objects with counts by name; others: all
MOST_CHARACTERS: Final = 32
MOST_DECIMALS: Final = 4
LONGEST_ADDRESS: Final = 140
WAIT_SECONDS: Final = 120.0
_ID: Final = re.compile(r"\b([a-z]{2,6})_[0-9A-HJKMNP-TV-Z]{26}\b")
_TIME: Final = re.compile(r"\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z")
_ENDS: Final = (0, 1, 14)  # days after the start: now, the expiry of an export, the expiry of a preview
_SIGNED: Final = "X-Amz-Signature"  # marks a signed address of the bucket
_API: Final = re.compile(r"http://127\.0\.0\.1:\d+/api/v1")
_APP: Final = re.compile(r"http://127\.0\.0\.1:\d+/app\b")
_PORT: Final = re.compile(r"(website\.test|127\.0\.0\.1):\d+")

# The body of each operation that takes one, made from the answers recorded so far.
BODIES: Final[Mapping[str, Callable[[Mapping[str, Any]], Any]]] = {
    "start_audit": lambda known: {"pageBudget": 100},
    "start_preview": lambda known: {"url": known["preview"], "basicAuth": {"username": "staging", "password": "…"}},
    "start_run": lambda known: {"url": known["url"], "strategy": "mobile"},
    "apply_changes": lambda known: {"changes": [{"url": known["url"], "value": known["suggested"]}]},
    "write_llms_txt": lambda known: {"value": f"# Alderfell\n\n- [Start]({known['home']}): where to begin\n"},
    "write_ai_crawlers": lambda known: {"rules": {"GPTBot": "deny", "OAI-SearchBot": "allow"}},
    "put_content": lambda known: {
        "items": [
            {
                "cmsId": "post-17",
                "url": known["url"],
                "type": "post",
                "status": "published",
                "title": "Hiking jackets",
                "modifiedAt": "2026-11-24T16:20:00Z",
                "fields": {"title": "Hiking jackets for rain and snow | Alderfell", "noindex": False},
            }
        ]
    },
    "post_alert": lambda known: {
        "kind": "content_changed",
        "at": "2026-11-24T16:20:00Z",
        "urls": [known["url"]],
        "detail": "A post was published under another address.",
    },
}


# Ids in an operation's answer that the paths of later operations need.
_MADE: Final[Mapping[str, tuple[str, ...]]] = {
    "start_run": ("jobId",),
    "start_audit": ("auditId",),
    "apply_changes": ("batchId",),
    "start_export": ("exportId",),
    "start_preview": ("previewId",),
}


def record(file: Path) -> None:
    """Record the examples and write them to a file."""
    file.write_text(json.dumps(_examples(), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def _examples() -> dict[str, Any]:
    for port in PORTS.values():
        wait_until_free(port)
    before = clock.offset()
    clock.set_offset(BEGINS.timestamp() - time.time())
    try:
        with tempfile.TemporaryDirectory() as folder:
            service = Service(Options(port=0, folder=Path(folder), demo_ports=PORTS))
            service.start()
            try:
                assert service.demo_sites.faulty.port == PORTS["faulty"], f"port {PORTS['faulty']} is taken"
                return _Walk(service).examples()
            finally:
                service.stop()
    finally:
        clock.set_offset(before)


def wait_until_free(port: int) -> None:
    """Wait until the port is free, since another recording may be using it.

    Raises ``OSError`` if that takes too long.
    """
    give_up = time.monotonic() + WAIT_SECONDS
    while True:
        try:
            socket.create_server(("127.0.0.1", port)).close()
        except OSError:
            if time.monotonic() >= give_up:
                raise
            time.sleep(0.2)
        else:
            return


class _Walk:
    def __init__(self, service: Service) -> None:
        console, stopping = Console(quiet=True), threading.Event()
        failure = tour(console, service, Report(console, service), stopping)
        assert failure is None, failure
        self._api = Api(service.base_url, service.tenant.workspace_key)
        self._api_of_site = Api(service.base_url, service.tenant.site_key)
        self._site = f"/sites/{service.tenant.site_id}"
        self._known = (
            {"siteId": service.tenant.site_id, "home": service.site_url}
            | {"preview": service.demo_sites.clean.url}
            | self._chosen()
        )
        self._ids: dict[str, str] = {}

    def _chosen(self) -> dict[str, Any]:
        """Choose an issue with writable values, one of its pages, and the other ids in paths."""
        for listed in self._get("/issues")["issues"]:
            issue = self._get(f"/issues/{listed['id']}")
            writable = [one for one in issue.get("suggestions") or () if one["writable"] and one["suggested"]]
            if issue["writableField"] == "title" and writable:
                break
        else:
            raise AssertionError("no issue of the demo website has a title that can be written")
        one, final = writable[0], self._get("/search/summary")["finalThrough"]
        return {
            "issueId": issue["id"],
            "pageId": one["pageId"],
            "url": one["url"],
            "suggested": one["suggested"],
            "auditId": self._get("/audits")["audits"][0]["id"],
            "to": final,
            "from": (datetime.fromisoformat(final) - timedelta(days=27)).date().isoformat(),
        }

    def _get(self, path: str) -> dict[str, Any]:
        return self._api.call("GET", self._site + path)

    def examples(self) -> dict[str, Any]:
        """Record every operation in an order in which each has the data that it needs.

        The order is:

        1. reads
        2. the start of a speed test, of an export and of a preview, then the reads of their results
        3. the start of an audit, then operations that need an ended audit
        4. all other writes, then the reads of their results
        """
        endpoints = [endpoint for name in api.GROUPS for endpoint in api.load(name).endpoints]
        order = sorted(endpoints, key=_turn)
        found: dict[str, Any] = {}
        for endpoint in order:
            self._until_nothing_runs()
            found |= self._example(endpoint)
        return {name: found[name] for name in sorted(found)}

    def _example(self, endpoint: Endpoint) -> dict[str, Any]:
        name, found = endpoint.operation_id, {}
        body = None
        if endpoint.body is not None:
            body = BODIES[name](self._known)
            found[f"{name}.body"] = self._shown(body)
        answer = self._ask(endpoint, body)
        if name in _MADE:
            self._known |= {member: answer[member] for member in _MADE[name]}
        if name == "read_openapi":
            info = {"title": answer["info"]["title"], "version": "1.0.0"}  # not changed by a release
            answer = {"openapi": answer["openapi"], "info": info, "servers": answer["servers"], "paths": {}}
        elif endpoint.media_type != JSON:
            answer = answer.partition("\n")[0] + "\n"
        found[name] = self._shown(answer)
        return found

    def _ask(self, endpoint: Endpoint, body: Any) -> Any:
        query = {one.name: self._known[one.name] for one in declared(endpoint.parameters) if one.required}
        path = endpoint.path.format_map(self._known) + ("?" + urlencode(query) if query else "")
        caller = self._api_of_site if endpoint.scope == "content:write" else self._api
        try:
            text = caller.read(endpoint.method, path, body)
        except ApiRefusal as refusal:
            raise AssertionError(f"{endpoint.operation_id}: {refusal}") from None
        return json.loads(text) if endpoint.media_type == JSON else text

    def _until_nothing_runs(self) -> None:
        until = time.monotonic() + WAIT_SECONDS
        while self._runs():
            assert time.monotonic() < until, "a crawl, a speed test or a batch of changes did not end in time"
            time.sleep(0.2)

    def _runs(self) -> bool:
        batches = self._get("/changes")["batches"]
        written = all(batch["endedAt"] is not None for batch in batches)
        exporting = "exportId" in self._known and self._get(f"/exports/{self._known['exportId']}")["finishedAt"] is None
        if exporting:
            return True
        if "previewId" in self._known and self._get(f"/previews/{self._known['previewId']}")["finishedAt"] is None:
            return True
        return self._get("/audits")["busy"] is not None or bool(self._get("/agentic")["running"]) or not written

    def _shown(self, value: Any, name: str = "") -> Any:
        if name in MEASURED:
            return None if value is None else MEASURED[name]
        if isinstance(value, dict):
            return {key: self._shown(one, key) for key, one in list(value.items())[: MOST_NAMES.get(name)]}
        if isinstance(value, list):
            # Speed tests are listed by their times, and that order differs between runs.
            if value and isinstance(value[0], dict) and "testedAt" in value[0]:
                value = sorted(value, key=lambda one: (one["url"], one.get("strategy", "")))
            return [self._shown(one) for one in value[: MOST_ITEMS.get(name, 1)]]
        if isinstance(value, float):
            return round(value, MOST_DECIMALS)
        if not isinstance(value, str):
            return value
        if name == "nextCursor":
            return "AZLNA-jNA-gBAgMEBQYHCAkKCwwNDg8Q"
        return _cut(self._named(value), MOST_CHARACTERS)

    def _named(self, text: str) -> str:
        """Replace the addresses, times and ids in a text by values that are the same in every recording."""
        if _SIGNED in text:
            return f"https://exports.example.com/export.zip?{_SIGNED}=…"
        text = _API.sub("https://api.example.com/api/v1", _APP.sub("https://app.example.com", text))
        text = _PORT.sub(r"\1", _TIME.sub(_moment, text))
        return _ID.sub(lambda match: self._numbered(match[0], match[1]), text)

    def _numbered(self, name: str, prefix: str) -> str:
        if name not in self._ids:
            count = sum(one.startswith(f"{prefix}_") for one in self._ids)
            self._ids[name] = f"{prefix}_{count + 1}"  # short, because each id is in many links of the document
        return self._ids[name]


def _cut(text: str, characters: int) -> str:
    """Cut a text to at most so many characters. Addresses, and other texts without spaces, may be longer."""
    if len(text) <= characters if " " in text else len(text) <= LONGEST_ADDRESS:
        return text
    return text[:characters].rpartition(" ")[0] + " …"


def _moment(match: re.Match[str]) -> str:
    """Replace a time of the run by the run's start.

    A time some days later, when something ends, becomes the start plus those days.
    """
    days, seconds = divmod(datetime.fromisoformat(match[0]).timestamp() - BEGINS.timestamp(), 86_400)
    if seconds >= 3_600 or days not in _ENDS:
        return match[0]
    return (BEGINS + timedelta(days=days)).strftime("%Y-%m-%dT%H:%M:%SZ")


def _turn(endpoint: Endpoint) -> int:
    turns = {
        "start_run": 1,
        "start_export": 1,
        "start_preview": 1,
        "read_run": 2,
        "read_export": 2,
        "read_preview": 2,
        "read_preview_report": 2,
        "compare_preview": 2,
        "read_preview_gate": 2,
        "start_audit": 3,
        "compare_audits": 4,
        "recheck_issue": 5,
    }
    turns |= {"read_issue_history": 7, "list_changes": 7, "read_batch": 7}
    return turns.get(endpoint.operation_id, 0 if endpoint.method == "GET" else 6)


if __name__ == "__main__":
    record(Path(sys.argv[1]) if len(sys.argv) > 1 else EXAMPLES_FILE)

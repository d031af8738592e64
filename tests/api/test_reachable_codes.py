"""Every error code that the description lists for an operation can be had from it, with a message of the table."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import botocore.client
import pytest
from botocore.exceptions import ClientError

from chalicelib import clock
from chalicelib.api import description, files, public
from chalicelib.connectors.errors import NoAccess, NotConnected, OutsideError, Quota, Unavailable
from chalicelib.domain import ids, plans
from chalicelib.domain.accounts.rights import OPERATOR
from chalicelib.domain.analytics.report import Report
from chalicelib.domain.audit import preview
from chalicelib.domain.audit.kept import HEADER_SECONDS
from chalicelib.domain.changes.place import MOST_WAITING, Place
from chalicelib.http.endpoints import Endpoint
from chalicelib.http.parameters import declared
from chalicelib.operations import accounts, analytics, content, contention
from chalicelib.settings.reading import forget_settings
from chalicelib.store import changes, crawls, items, keys, speed
from chalicelib.store.transactions import commit
from tests.api import messages, seed
from tests.api.client import Client, Received
from tests.api.conftest import EVERY_SCOPE, House
from tests.api.operations import ENDPOINTS, target, use_up

CASES = [(endpoint, code) for endpoint in ENDPOINTS for code in endpoint.codes()]


class Provocation:
    """One operation on a seeded website, asked in the ways that are refused."""

    def __init__(self, endpoint: Endpoint, house: House, patch: pytest.MonkeyPatch, folder: Path) -> None:
        self.endpoint, self.house, self.patch, self.folder = endpoint, house, patch, folder
        self.client = Client(house.key if endpoint.scope else None)
        self.target = target(endpoint, house)

    def ask(self, key: str | None = None, path: str | None = None, **sent: Any) -> Received:
        client = self.client if key is None else Client(key)
        return client.request(self.endpoint.method, path or self.target.whole, **{"body": self.target.body, **sent})

    def unauthorized(self) -> Received:
        return Client().request(self.endpoint.method, self.target.whole)

    def rate_limited(self) -> Received:
        use_up(self.house.key)
        return self.ask()

    def owner_lost_access(self) -> Received:
        accounts.add_person(OPERATOR, self.house.workspace_id, "second@acme.example", "owner")
        accounts.remove_person(OPERATOR, self.house.workspace_id, self.house.person_id)
        return self.ask()

    def missing_scope(self) -> Received:
        return self.ask(self.house.new_key(*(scope for scope in EVERY_SCOPE if scope != self.endpoint.scope)))

    def site_not_covered(self) -> Received:
        return self.ask(self.house.new_key(*EVERY_SCOPE, sites=(self.house.other_site.id,)))

    def not_found(self) -> Received:
        if self.endpoint.of_website:
            return self.ask(path=target(self.endpoint, self.house, siteId="site_unknown").whole)
        public._changelog.cache_clear()
        self.patch.setattr(public, "_CHANGELOG", self.folder / "nothing")
        return self.ask()

    def bad_parameter(self) -> Received:
        return self.ask(path=self.target.with_query("nonsense=1"))

    def bad_json(self) -> Received:
        return self.ask(body="{")

    def bad_body(self) -> Received:
        return self.ask(body="[]")

    def bad_page_budget(self) -> Received:
        return self._run(pageBudget=0)

    def over_plan_limit(self) -> Received:
        return self._run(pageBudget=501)

    def bad_idempotency_key(self) -> Received:
        return self.ask(headers={"Idempotency-Key": "a b"})

    def too_large(self) -> Received:
        return self.ask(body="x" * (self.endpoint.largest_body + 1))

    def unsupported_media_type(self) -> Received:
        return self.ask(headers={"Content-Type": "text/plain"}, body="{}")

    def _item(self, **changed: Any) -> Received:
        body = json.loads(self.target.body or "{}")
        body["items"][0].update(changed)
        return self.ask(body=json.dumps(body))

    def bad_url(self) -> Received:
        if self.endpoint.operation_id == "apply_changes":
            return self._wish(url=5)
        if self.endpoint.operation_id in ("start_run", "start_preview"):
            return self._run(url="shop.example" if self.endpoint.operation_id == "start_run" else "ftp://shop.example")
        if self.endpoint.operation_id == "post_alert":
            return self._alert(urls=["https://elsewhere.example/"])
        return self._item(url="https://elsewhere.example/")

    def _alert(self, **changed: Any) -> Received:
        return self.ask(body=json.dumps(json.loads(self.target.body or "{}") | changed))

    def _run(self, **changed: Any) -> Received:
        return self.ask(body=json.dumps(json.loads(self.target.body or "{}") | changed))

    def bad_headers(self) -> Received:
        return self._run(headers={"Host": "elsewhere.example"})

    def bad_basic_auth(self) -> Received:
        return self._run(basicAuth={"username": "a:b", "password": "secret"})

    def preview_running(self) -> Received:
        self.ask()
        return self.ask()

    def too_many_previews(self) -> Received:
        now = clock.now()
        row = {"previewId": seed.PREVIEW, "starts": [now - number for number in range(preview.STARTS_PER_DAY, 0, -1)]}
        items.put("crawls", {**keys.attributes(keys.last_preview(self.house.site.id)), **row})
        return self.ask()

    def bad_strategy(self) -> Received:
        return self._run(strategy="tablet")

    def other_host(self) -> Received:
        return self._run(url="https://elsewhere.example/")

    def too_many_runs(self) -> Received:
        for number in range(4):
            received = self._run(url=seed.url(self.house.site, number))
        return received

    def budget_used(self) -> Received:
        state = speed.load_state(self.house.site.id)
        commit([speed.put_state(self.house.site.id, state.taken(25, clock.now()))])
        return self.ask()

    def bad_at(self) -> Received:
        return self._alert(at="yesterday")

    def bad_detail(self) -> Received:
        return self._alert(detail=5)

    def bad_status(self) -> Received:
        return self._item(status=5)

    def bad_modified_at(self) -> Received:
        return self._item(modifiedAt="yesterday")

    def too_many_items(self) -> Received:
        self.patch.setattr(content, "MOST_ITEMS", 0)
        return self.ask()

    def period_too_long(self) -> Received:
        first, last = ("from", "to") if self.endpoint.operation_id == "read_search_rows" else ("start", "end")
        return self.ask(path=f"{self.target.path}?{first}=2020-01-01&{last}=2026-01-01")

    def _property_fails(self, error: OutsideError) -> Received:
        def read(*_: object) -> Report:
            raise error

        self.patch.setattr(analytics, "read", read)
        return self.ask(path=f"{self.target.path}?end=2026-01-01")

    def analytics_not_connected(self) -> Received:
        return self._property_fails(NotConnected("Nothing is connected."))

    def analytics_no_access(self) -> Received:
        return self._property_fails(NoAccess("It refused."))

    def analytics_quota(self) -> Received:
        return self._property_fails(Quota("It is used up."))

    def analytics_unavailable(self) -> Received:
        return self._property_fails(Unavailable("It is out of order."))

    def too_many_rows(self) -> Received:
        self.patch.setattr(files, "LARGEST_FILE", 10)
        return self.ask(path=self.target.with_query("format=csv"))

    def not_stored(self) -> Received:
        return self.ask(path=self.target.with_query("country=deu"))

    def search_not_connected(self) -> Received:
        other = target(self.endpoint, self.house, siteId=self.house.other_site.id)
        return self.ask(path=other.whole)

    def _wish(self, path: str | None = None, **changed: Any) -> Received:
        seed.connected(self.house.site)
        body = json.loads(self.target.body or "{}")
        body["changes"][0].update(changed)
        return self.ask(path=path, body=json.dumps(body))

    def bad_value(self) -> Received:
        if self.endpoint.operation_id == "write_llms_txt":
            return self.ask(body='{"value": "\\u0000"}')
        return self._wish(value=5)

    def too_long(self) -> Received:
        return self.ask(body=json.dumps({"value": "x" * 60_001}))

    def bad_rules(self) -> Received:
        return self.ask(body='{"rules": {"GPTBot": "deny", "gptbot": "deny"}}')

    def unknown_crawler(self) -> Received:
        return self.ask(body='{"rules": {"NoSuchBot": "deny"}}')

    def no_change(self) -> Received:
        seed.connected(self.house.site)
        return self.ask(body='{"value": ""}' if self.endpoint.operation_id == "write_llms_txt" else '{"rules": {}}')

    def too_many_changes(self) -> Received:
        return self.ask(body=json.dumps({"changes": [{"url": "", "value": ""}] * 501}))

    def cms_not_connected(self) -> Received:
        return self.ask()

    def cms_not_writable(self) -> Received:
        seed.connected(self.house.site, writable=False)
        return self.ask()

    def field_not_supported(self) -> Received:
        site_issue = ids.issue_id(self.house.site.id, seed.SITE_RULE.id)
        return self._wish(path=target(self.endpoint, self.house, issueId=site_issue).whole)

    def not_a_cms_post(self) -> Received:
        return self._wish(url=seed.url(self.house.site, 99))

    def not_applied(self) -> Received:
        return self._wish(value=" ")

    def no_changes(self) -> Received:
        seed.connected(self.house.site)
        return self.ask(body='{"changes": []}')

    def already_running(self) -> Received:
        seed.running(self.house.site)
        return self.ask()

    def already_queued(self) -> Received:
        self.ask()
        return self.ask()

    def export_running(self) -> Received:
        self.ask()
        return self.ask()

    def busy(self) -> Received:
        """Somebody else is quicker each time."""
        seed.connected(self.house.site)
        call = botocore.client.BaseClient._make_api_call

        def others_are_quicker(client: Any, operation: str, request: Any) -> Any:
            if operation != "TransactWriteItems":
                return call(client, operation, request)
            reasons = [{"Code": "ConditionalCheckFailed"} for _ in request["TransactItems"]]
            answer = {"Error": {"Code": "TransactionCanceledException"}, "CancellationReasons": reasons}
            raise ClientError(answer, operation)  # type: ignore[arg-type]

        self.patch.setattr(botocore.client.BaseClient, "_make_api_call", others_are_quicker)
        self.patch.setattr(contention, "SECONDS", 0.1)
        return self.ask()

    def too_many_waiting(self) -> Received:
        seed.connected(self.house.site)
        waiting = tuple(f"batch_{number}" for number in range(MOST_WAITING))
        commit([changes.put_place(self.house.site.id, Place(version=1, running="batch_running", waiting=waiting))])
        return self.ask()

    def cannot_recheck(self) -> Received:
        resolved = ids.issue_id(self.house.site.id, seed.SITE_RULE.id)
        return self.ask(path=target(self.endpoint, self.house, issueId=resolved).whole)

    def not_kept(self) -> Received:
        if self.endpoint.operation_id == "compare_audits":
            return self.ask(path=target(self.endpoint, self.house, auditId=seed.BEFORE).whole)
        if self.endpoint.operation_id in ("read_preview_report", "compare_preview"):
            commit([crawls.put_new(seed.header(self.house.site, "prev_failed", kind="preview"))])
            return self.ask(path=target(self.endpoint, self.house, previewId="prev_failed").whole)
        ended = seed.header(self.house.site, "crawl_old", finished_at=clock.now() - HEADER_SECONDS - 60)
        commit([crawls.put_new(ended)])
        if self.endpoint.operation_id == "read_preview_gate":
            return self.ask(path=self.target.with_query("against=crawl_old"))
        return self.ask(path=target(self.endpoint, self.house, auditId="crawl_old").whole)

    def too_many_audits(self) -> Received:
        items.update(
            "sites",
            *keys.website(self.house.workspace_id, self.house.site.id),
            "SET apiStarts = :starts",
            values={":starts": [clock.now() - number for number in (3, 2, 1)]},
        )
        return self.ask()

    def idempotency_mismatch(self) -> Received:
        seed.connected(self.house.site)
        self.ask(headers={"Idempotency-Key": "given"})
        other = self.target.body or '{"pageBudget": 5}'
        for word, another in (
            ("boots", "tents"),
            ("begin", "start"),
            ("deny", "allow"),
            ("T16:20", "T16:21"),
            ("mobile", "desktop"),
            ("93.184.215.14", "93.184.215.15"),
        ):
            other = other.replace(word, another)
        return self.ask(headers={"Idempotency-Key": "given"}, body=other)

    def idempotency_in_progress(self) -> Received:
        """The first request is stopped while it runs, as when its process dies."""
        seed.connected(self.house.site)
        call = botocore.client.BaseClient._make_api_call

        def dies(client: Any, operation: str, request: Any) -> Any:
            if operation == "TransactWriteItems":
                raise KeyboardInterrupt
            return call(client, operation, request)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(botocore.client.BaseClient, "_make_api_call", dies)
            with pytest.raises(KeyboardInterrupt):
                self.ask(headers={"Idempotency-Key": "given"})
        return self.ask(headers={"Idempotency-Key": "given"})

    def switched_off(self) -> Received:
        self.patch.setenv("SWITCHED_OFF", "api")
        forget_settings()
        return self.ask()

    def internal(self) -> Received:
        if self.endpoint.scope is not None:

            def unreachable(*_: object) -> object:
                raise ConnectionError("the store does not answer")

            self.patch.setattr(botocore.client.BaseClient, "_make_api_call", unreachable)
        damaged = self.folder / "damaged"
        damaged.write_bytes(b"\xff")
        for module, name in ((public, "_CHANGELOG"), (plans, "_FILE")):
            self.patch.setattr(module, name, damaged)
        self.patch.setattr(description, "INFO", object())
        _forget()
        return self.ask()


def _forget() -> None:
    for cached in (public._changelog, public._description, plans.catalogue):
        cached.cache_clear()


@pytest.fixture(autouse=True)
def forget() -> Iterator[None]:
    _forget()
    yield
    _forget()


@pytest.mark.parametrize(("endpoint", "code"), CASES, ids=[f"{e.operation_id}-{c}" for e, c in CASES])
def test_every_documented_error_code_can_occur(
    endpoint: Endpoint, code: str, settled: House, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    provocation = Provocation(endpoint, settled, monkeypatch, tmp_path)
    parameter = next((parameter for parameter in declared(endpoint.parameters) if parameter.code == code), None)
    if parameter is not None:
        wrong = "x" * 2_049
        received = provocation.ask(path=provocation.target.with_value(parameter.name, wrong))
    else:
        provoke: Callable[[], Received] = getattr(provocation, code)
        received = provoke()
    assert received.code == code
    messages.check(received)

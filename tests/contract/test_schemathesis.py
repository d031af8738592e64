"""Thousands of made-up requests, right and wrong ones: every answer is one that the description promises."""

import json
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import Any
from urllib.parse import parse_qs, quote, urlsplit

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, settings

from chalicelib.domain import ids
from chalicelib.domain.accounts.rights import OPERATOR
from chalicelib.http import edge
from chalicelib.operations import accounts
from chalicelib.settings.reading import forget_settings
from local import embedded
from tests.api import seed
from tests.api.client import document, send
from tests.api.conftest import EVERY_SCOPE, House, settle
from tests.lengths import examples, is_quick
from tests.plugins.stack import target

REQUESTS_PER_KEY = 1_000
# A quick run tries every fourth boundary case of an operation, and the first of each kind; deep runs try all 2,900.
QUICK_SHARE = 4
# Operations that refuse some requests that their schema allows, for what they mean: no address, or one of another
# website, above the plan, two spellings of one parameter that differ, a page beside an offset, rows of a file without
# one, a cursor that nobody was given, filters that are not stored together, a value that its field cannot take, a
# crawler nobody knows, a period that ends before it begins or lies ahead.
REFUSES_BY_MEANING = {
    "/portfolio",
    "/sites/{siteId}/issues",
    "/sites/{siteId}/pages",
    "/sites/{siteId}/pages/findings",
    "/sites/{siteId}/performance",
    "/sites/{siteId}/search/rows",
    "/sites/{siteId}/topics",
    "/sites/{siteId}/analytics/pages",
    "/sites/{siteId}/agentic",
    "/sites/{siteId}/agentic/run",
    "/sites/{siteId}/audits",
    "/sites/{siteId}/issues/{issueId}",
    "/sites/{siteId}/content",
    "/sites/{siteId}/previews",
    "/sites/{siteId}/alerts",
    "/sites/{siteId}/changes",
    "/sites/{siteId}/actions/{issueId}/apply",
    "/sites/{siteId}/geo/llms-txt",
    "/sites/{siteId}/geo/ai-crawlers",
}
StartResponse = Callable[[str, list[tuple[str, str]]], object]


def wsgi(environment: dict[str, Any], start_response: StartResponse) -> Iterable[bytes]:
    """The API as a WSGI application."""
    length = int(environment.get("CONTENT_LENGTH") or 0)
    body = environment["wsgi.input"].read(length) if length else None
    headers = {
        name[5:].replace("_", "-").lower(): value for name, value in environment.items() if name.startswith("HTTP_")
    }
    if environment.get("CONTENT_TYPE"):
        headers["content-type"] = environment["CONTENT_TYPE"]
    path = quote(environment["PATH_INFO"].encode("latin-1"), safe="/%:@!$&'()*+,;=~-._")
    query = environment.get("QUERY_STRING")
    received = send(environment["REQUEST_METHOD"], f"{path}?{query}" if query else path, headers, body)
    start_response(f"{received.status} Answer", list(received.headers.items()))
    return [received.text.encode()]


class Keys:
    """Keys with every scope; a new one before the hourly limit is reached."""

    def __init__(self, house: House) -> None:
        self._house, self._left, self._key = house, 0, ""

    def next(self) -> str:
        if self._left == 0:
            house = self._house
            created = accounts.create_workspace_key(OPERATOR, house.workspace_id, house.person_id, EVERY_SCOPE, None)
            self._key, self._left = created.secret, REQUESTS_PER_KEY
        self._left -= 1
        return self._key


@pytest.fixture(scope="module")
def place(embedded_aws: None) -> Iterator[tuple[House, Keys]]:
    embedded.clear()
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("LOG_LEVEL", "ERROR")
        environment.setenv("CURSOR_SECRET", "a secret of the tests")
        forget_settings()
        house = settle()
        seed.settled(house.site)
        seed.connected(house.site)
        yield house, Keys(house)
    forget_settings()


def with_description(environment: dict[str, Any], start_response: StartResponse) -> Iterable[bytes]:
    """The API and, under an address that is not one of its own, its description: so that all its own are tried."""
    if environment["PATH_INFO"] != "/description.json":
        return wsgi(environment, start_response)
    start_response("200 OK", [("Content-Type", "application/json")])
    return [json.dumps(document()).encode()]


def never_sent(case: schemathesis.Case, url: str) -> bool:
    """Whether a made-up parameter stands for nothing, so that the address asked for is right without it."""
    sent = parse_qs(urlsplit(url).query, keep_blank_values=True)
    return any(name not in sent for name in case.query or {})


description = schemathesis.openapi.from_wsgi("/description.json", with_description)
_boundary_cases: Counter[str] = Counter()  # by operation
_kinds: dict[bool, set[str]] = {True: set(), False: set()}  # of boundary cases, by whether they are tried


@description.hook
def filter_case(context: schemathesis.HookContext, case: schemathesis.Case) -> bool:
    """Whether a case is tried. Boundary cases (schemathesis's coverage phase) come in the same order each time."""
    if case.meta is None or case.meta.phase.name != "coverage":
        return True
    label, kind = case.operation.label, case.meta.phase.data.scenario
    turn = (_boundary_cases[label] + zlib.crc32(label.encode())) % QUICK_SHARE
    tried = not is_quick() or turn == 0 or kind not in _kinds[True]
    _boundary_cases[label] += 1
    _kinds[tried].add(kind)
    return tried


@description.parametrize()
@settings(
    max_examples=examples(20),
    deadline=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)
def test_every_answer_to_a_generated_request_matches_the_openapi_document(
    case: schemathesis.Case, place: tuple[House, Keys]
) -> None:
    house, keys = place
    known = {
        "siteId": house.site.id,
        "issueId": ids.issue_id(house.site.id, seed.PAGE_RULE.id),
        "pageId": ids.page_id(house.site.id, seed.url(house.site, 0)),
        "auditId": seed.AUDIT,
        "jobId": seed.RUN,
        "batchId": seed.BATCH,
        "exportId": seed.EXPORT,
        "previewId": seed.PREVIEW,
    }
    # Ids that do not exist are tried too, but what lies behind the website only opens with one that does.
    made_up = len(str(case.query)) % 4 == 3
    if case.path_parameters and not made_up:
        case.path_parameters = {name: known[name] for name in case.path_parameters}
    excluded = []
    if case.operation.path in REFUSES_BY_MEANING:
        excluded.append(schemathesis.checks.CHECKS.get_one("positive_data_acceptance"))
    headers = {"Authorization": f"Bearer {keys.next()}"}
    response = case.call(headers=headers)
    if never_sent(case, response.request.url or ""):
        excluded.append(schemathesis.checks.CHECKS.get_one("negative_data_rejection"))
    if target() == "stack" and response.request.method not in edge.METHODS:
        # API Gateway itself answers methods that it does not know, with 404.
        excluded.append(schemathesis.checks.CHECKS.get_one("unsupported_method"))
    case.validate_response(response, headers=headers, excluded_checks=excluded)


def test_all_operations_are_fuzzed() -> None:
    operations = [found.ok().label for found in description.get_all_operations()]
    assert len(operations) == sum(len(methods) for methods in document()["paths"].values())


def test_boundary_values_are_generated_for_every_operation() -> None:
    assert len(_boundary_cases) == sum(len(methods) for methods in document()["paths"].values())
    assert _kinds[True] > {"maximum_value", "invalid_enum_value"}
    assert _kinds[False] <= _kinds[True]

"""The page at `/docs`: every operation of the API is tried on it, and it asks nobody else."""

import json
import re
from collections.abc import Sequence
from typing import Any, Final

from playwright.sync_api import Locator

from tests.browser import finding
from tests.browser.service import Service
from tests.browser.watching import Tab

BASE: Final = "/api/v1"
JSON: Final = "application/json"
NOWHERE: Final = "site_of-nobody"  # where a request would change something
TRIED: Final = "GET /sites/{siteId}"
# The page reads the whole description again for each operation that is opened, which takes a second or two. So it gets
# the description in parts of this many operations.
OPERATIONS: Final = 8
FILLED: Final = 5  # times, at most


def _operations(document: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """By method and path, such as ``GET /sites``."""
    return {
        f"{method.upper()} {path}": operation
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
    }


def _matches(operation: str, asked: str) -> bool:
    """Whether a request's method and path are those of an operation."""
    return re.fullmatch(re.sub(r"\\\{\w+\\\}", "[^/]+", re.escape(operation)), asked) is not None


def _part(document: dict[str, Any], names: Sequence[str]) -> dict[str, Any]:
    """The description of these operations alone, with the components that they use."""
    paths: dict[str, dict[str, Any]] = {}
    for name in names:
        method, _, path = name.partition(" ")
        paths.setdefault(path, {})[method.lower()] = document["paths"][path][method.lower()]
    kept: dict[str, dict[str, Any]] = {"securitySchemes": document["components"]["securitySchemes"]}
    waiting: list[Any] = [paths]
    while waiting:
        found = waiting.pop()
        if isinstance(found, list):
            waiting += found
        elif isinstance(found, dict):
            waiting += found.values()
            kind, _, named = str(found.get("$ref", "")).removeprefix("#/components/").partition("/")
            if named and named not in kept.setdefault(kind, {}):
                kept[kind][named] = document["components"][kind][named]
                waiting.append(kept[kind][named])
    left = {name: value for name, value in document.items() if name != "webhooks"}
    return {**left, "paths": paths, "components": kept}


def _open(tab: Tab, service: Service) -> None:
    """Open the page, with a key."""
    tab.page.goto(f"{service.origin}/docs")
    tab.page.locator(".opblock").first.wait_for()
    tab.page.click("button.authorize")
    tab.page.fill(".auth-container input", service.key)
    tab.page.click(".auth-btn-wrapper button[type=submit]")
    tab.page.click(".auth-btn-wrapper button.btn-done")


def _shown(tab: Tab) -> set[str]:
    """The operations on the page, by the ends of their ids."""
    found: list[str] = tab.page.eval_on_selector_all(".opblock", "all => all.map((one) => one.id)")
    return {one.rpartition("-")[2] for one in found}


def _try(block: Locator, values: dict[str, str]) -> None:
    """Fill what an operation needs, and ask. ``values``: by the name of a parameter; of others any text."""
    block.locator(".opblock-summary-control").click()
    block.locator("button.execute").wait_for()
    status = block.locator(".live-responses-table .response-col_status").first
    empty = block.locator(".validation-errors").first  # the page drew its fields anew, and lost what they held
    for _ in range(FILLED):
        for row in block.locator("tr[data-param-name]:has(.parameter__name.required)").all():
            row.locator("input").fill(values.get(row.get_attribute("data-param-name") or "", "x"))
        block.locator("button.execute").click()
        status.or_(empty).wait_for()
        if not empty.is_visible():
            break
    status.wait_for()
    block.locator(".opblock-summary-control").click()


def test_every_operation_can_be_tried_without_requests_to_other_hosts(service: Service, tab: Tab) -> None:
    document = service.read("/openapi.json")
    operations = _operations(document)
    answered: list[tuple[str, int]] = []

    def note(response: Any) -> None:
        path = response.url.partition("?")[0].removeprefix(service.origin + BASE)
        answered.append((f"{response.request.method} {path}", response.status))

    url = service.read(f"/sites/{service.site_id}/pages?per=1")["pages"][0]["url"]
    values = {"siteId": service.site_id, "url": url, "from": "2026-01-01", "to": "2026-01-31"}
    values |= {name.strip("{}"): value for name, value in finding.first(service).items()}

    def tried(names: Sequence[str]) -> None:
        for name in names:
            known = values if name.startswith("GET ") else {**values, "siteId": NOWHERE}
            _try(tab.page.locator(f".opblock[id$='-{operations[name]['operationId']}']"), known)

    tab.page.on("response", note)
    _open(tab, service)
    told = {operation["operationId"] for operation in operations.values()}
    told |= {one["operationId"] for methods in document["webhooks"].values() for one in methods.values()}
    assert _shown(tab) == told
    tried([TRIED])
    names = [name for name in operations if name != TRIED]
    part = ""
    tab.page.route("**/openapi.json", lambda route: route.fulfill(body=part, content_type=JSON))
    for start in range(0, len(names), OPERATIONS):
        some = names[start : start + OPERATIONS]
        part = json.dumps(_part(document, some))
        _open(tab, service)
        assert _shown(tab) == {operations[name]["operationId"] for name in some}
        tried(some)
    for name, operation in operations.items():
        statuses = {status for asked, status in answered if _matches(name, asked)}
        assert statuses, f"{name} was not asked"
        assert statuses <= set(map(int, operation["responses"])) - {401, 403}, (name, statuses)
    assert (f"GET /sites/{service.site_id}", 200) in answered
    refused = tab.page.evaluate("window.refusedByPolicy")
    assert (tab.foreign, refused) == ([], [])

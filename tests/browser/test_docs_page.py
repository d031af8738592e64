"""The page at `/docs`: every operation of the API is tried on it, and it asks nobody else."""

import re
from typing import Any, Final

from playwright.sync_api import Locator

from tests.browser import finding
from tests.browser.service import Service
from tests.browser.watching import Tab

BASE: Final = "/api/v1"
NOWHERE: Final = "site_of-nobody"  # where a request would change something
TRIED: Final = "GET /sites/{siteId}"


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


def _try(block: Locator, values: dict[str, str]) -> None:
    """Fill what an operation needs, and ask. ``values``: by the name of a parameter; of others any text."""
    block.locator(".opblock-summary-control").click()
    for row in block.locator("tr[data-param-name]:has(.parameter__name.required)").all():
        row.locator("input").fill(values.get(row.get_attribute("data-param-name") or "", "x"))
    block.locator("button.execute").click()
    block.locator(".live-responses-table .response-col_status").first.wait_for()
    block.locator(".opblock-summary-control").click()


def test_every_operation_can_be_tried_without_requests_to_other_hosts(service: Service, tab: Tab) -> None:
    document = service.read("/openapi.json")
    operations = _operations(document)
    answered: list[tuple[str, int]] = []

    def note(response: Any) -> None:
        path = response.url.partition("?")[0].removeprefix(service.origin + BASE)
        answered.append((f"{response.request.method} {path}", response.status))

    tab.page.goto(f"{service.origin}/docs")
    blocks = tab.page.locator(".opblock:not(#operations-webhooks *)")
    tab.page.locator(".opblock").first.wait_for()
    tab.page.click("button.authorize")
    tab.page.fill(".auth-container input", service.key)
    tab.page.click(".auth-btn-wrapper button[type=submit]")
    tab.page.click(".auth-btn-wrapper button.btn-done")
    tab.page.on("response", note)
    url = service.read(f"/sites/{service.site_id}/pages?per=1")["pages"][0]["url"]
    values = {"siteId": service.site_id, "url": url, "from": "2026-01-01", "to": "2026-01-31"}
    values |= {name.strip("{}"): value for name, value in finding.first(service).items()}
    for name, operation in operations.items():
        known = values if name.startswith("GET ") else {**values, "siteId": NOWHERE}
        _try(blocks.and_(tab.page.locator(f"[id$='-{operation['operationId']}']")), known)
    for name, operation in operations.items():
        statuses = {status for asked, status in answered if _matches(name, asked)}
        assert statuses, f"{name} was not asked"
        assert statuses <= set(map(int, operation["responses"])) - {401, 403}, (name, statuses)
    assert (f"GET /sites/{service.site_id}", 200) in answered
    refused = tab.page.evaluate("window.refusedByPolicy")
    assert (tab.foreign, refused) == ([], [])

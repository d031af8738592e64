"""Every answer names the version of the service that gave it."""

from pathlib import Path

import pytest

from chalicelib.http import edge
from tests.api.client import Client, document
from tests.api.conftest import House

VERSION = (Path(__file__).resolve().parents[2] / "VERSION").read_text("utf-8").strip()


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/plans", 200),
        ("HEAD", "/plans", 200),
        ("OPTIONS", "/plans", 204),
        ("DELETE", "/plans", 405),
        ("GET", "/plans?x=1", 400),
        ("GET", "/sites", 401),
        ("GET", "/sites/site_1/issues;x", 404),
    ],
)
def test_every_answer_and_refusal_has_the_version_header(method: str, path: str, status: int, house: House) -> None:
    received = Client().request(method, path)
    assert (received.status, received.headers["x-service-version"]) == (status, VERSION)


def test_a_304_answer_has_the_version_header(house: House, api: Client) -> None:
    tag = api.get("/sites").headers["etag"]
    received = api.request("GET", "/sites", headers={"If-None-Match": tag})
    assert (received.status, received.headers["x-service-version"]) == (304, VERSION)


def test_the_answer_for_an_unknown_path_has_the_version_header() -> None:
    assert edge.unknown_path("req_1")[1]["X-Service-Version"] == VERSION


def test_openapi_json_documents_the_version_header() -> None:
    described = document()
    assert described["info"]["version"] == VERSION
    assert "Every answer has `X-Request-Id`, `X-Service-Version`" in described["info"]["description"]
    assert "X-Service-Version" in described["components"]["headers"]

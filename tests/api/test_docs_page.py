"""`/docs`: the page of the API, its files, and the policy that it is read under."""

import re
from hashlib import sha256

import pytest

from chalicelib.api import docs
from chalicelib.http import answers
from chalicelib.settings.reading import forget_settings
from tests.api.client import Client, document, send

FILES = [docs.BUNDLE, docs.STYLE, docs.START]


def test_the_page_is_served_with_a_strict_content_security_policy() -> None:
    found = send("GET", "/docs")
    assert found.status == 200 and found.headers["content-type"] == "text/html; charset=utf-8"
    assert found.headers["content-security-policy"].startswith(
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'"
    )
    assert "unsafe" not in found.headers["content-security-policy"]
    assert found.headers["x-content-type-options"] == "nosniff"
    assert not re.search(r"<script>|style=|onload|https?://", found.text)


def test_every_file_linked_from_the_page_exists() -> None:
    named = re.findall(r'(?:src|href|data-document)="(/[^"]+)"', send("GET", "/docs").text)
    assert len(named) == 5
    for path in named:
        assert send("GET", path).status == 200, path


@pytest.mark.parametrize("name", FILES)
def test_files_are_served_as_text_and_may_be_cached(name: str) -> None:
    found = send("GET", f"/docs/{name}?{docs.VERSION}")
    assert found.status == 200 and "immutable" in found.headers["cache-control"]
    assert (
        found.headers["content-type"] == ("text/css" if name.endswith("css") else "text/javascript") + "; charset=utf-8"
    )
    assert answers.fits(found.text)
    head = send("HEAD", f"/docs/{name}")
    assert (head.status, head.text) == (200, "") and int(head.headers["content-length"]) == len(found.text.encode())


def test_vendored_files_have_the_published_checksums() -> None:
    readme = (docs.FOLDER / "README.md").read_text(encoding="utf-8")
    assert f"swagger-ui-dist {docs.VERSION}" in readme
    rows = dict(re.findall(r"^\| `([^`]+)` \| `([0-9a-f]{64})` \|$", readme, re.MULTILINE))
    assert rows.keys() == {docs.BUNDLE, docs.STYLE}
    for name, digest in rows.items():
        assert sha256((docs.FOLDER / name).read_bytes()).hexdigest() == digest
    assert {"LICENSE", "NOTICE", f"{docs.BUNDLE}.LICENSE.txt"} <= {path.name for path in docs.FOLDER.iterdir()}


@pytest.mark.parametrize("path", ["/docs/x", "/docs/LICENSE", "/docs/..%2f..%2fplans.json", "/docs/start.js.map"])
def test_other_files_are_not_found(path: str) -> None:
    assert send("GET", path).status == 404


def test_other_methods_are_refused() -> None:
    refused = send("POST", "/docs")
    assert (refused.status, refused.headers["allow"]) == (405, "GET, HEAD")


@pytest.mark.parametrize("off", ["public", "api"])
def test_switching_off_the_public_group_switches_off_the_page(monkeypatch: pytest.MonkeyPatch, off: str) -> None:
    monkeypatch.setenv("SWITCHED_OFF", off)
    forget_settings()
    assert send("GET", "/docs").status == 503


def test_the_openapi_document_links_to_the_page() -> None:
    assert document()["externalDocs"]["url"] == "http://localhost/docs"
    assert Client().get("/openapi.json").json["externalDocs"]["url"].endswith("/docs")

"""A website nobody here wrote: the Apache manual as Debian packages it, read again by another parser."""

import html.parser
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest

from tests.real import parts
from tests.real.service import Audited, audited
from tests.real.serving import served

pytestmark = pytest.mark.real

MANUAL = Path("/usr/share/doc/apache2-doc/manual")
PAGES = 300


class _Title(html.parser.HTMLParser):
    """The first title of a page, as the standard library's parser reads it."""

    def __init__(self, page: Path) -> None:
        super().__init__(convert_charrefs=True)
        self.text: str | None = None
        self._inside = False
        data = page.read_bytes()
        named = re.search(rb"charset=[\"']?([\w-]+)", data[:1024])  # the manual has pages in EUC-KR and Shift_JIS
        self.feed(data.decode(named[1].decode() if named else "utf-8"))

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        if tag == "title" and self.text is None:
            self.text, self._inside = "", True

    def handle_endtag(self, tag: str) -> None:
        self._inside = self._inside and tag != "title"

    def handle_data(self, data: str) -> None:
        if self._inside and self.text is not None:
            self.text += data


@pytest.fixture(scope="module")
def manual(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Audited]:
    parts.debian("apache2-doc")
    with served(MANUAL) as base, audited(tmp_path_factory.mktemp("service"), f"{base}/en/", PAGES) as done:
        yield done


@pytest.fixture(scope="module")
def pages(manual: Audited) -> list[dict[str, Any]]:
    """Every page of the list."""
    found: list[dict[str, Any]] = []
    while len(found) < (listed := manual.get(f"/pages?per=200&page={len(found) // 200 + 1}"))["total"]:
        found += listed["pages"]
    return found


def test_the_apache_manual_is_audited_to_its_budget_without_errors(manual: Audited) -> None:
    audit = manual.audit
    assert (audit["status"], audit["error"], audit["pagesCrawled"]) == ("done", None, PAGES)
    assert audit["partialReason"] == "page_budget" and audit["pagesDiscovered"] > PAGES
    score = manual.get("")["score"]
    assert 0 < score["site"] <= 100 and 0 < score["health"] <= 100
    assert manual.errors() == []


def test_titles_and_statuses_match_the_files_of_the_manual(pages: list[dict[str, Any]]) -> None:
    compared = 0
    for page in pages:
        path = unquote(urlsplit(page["url"]).path)
        file = MANUAL / path.lstrip("/") / ("index.html" if path.endswith("/") else "")
        if page["status"] == 200 and file.suffix == ".html":
            title = _Title(file).text
            assert page["title"] == (None if title is None else " ".join(title.split())), page["url"]
            compared += 1
        elif page["status"] == 404:
            assert not file.exists(), page["url"]
    assert compared > PAGES // 2


def test_every_issue_and_every_page_can_be_read(manual: Audited, pages: list[dict[str, Any]]) -> None:
    rules_of: dict[str, set[str]] = {}
    for issue in manual.get("/issues")["issues"]:
        detail = manual.get(f"/issues/{issue['id']}")
        assert len(detail["pages"]) == issue["affectedPages"] or detail["pagesTruncated"] or not detail["pages"]
        for page in detail["pages"]:
            rules_of.setdefault(page["pageId"], set()).add(issue["ruleId"])
    for page in pages:
        findings = manual.get(f"/pages/{page['id']}")["findings"]
        assert {finding["ruleId"] for finding in findings} == rules_of.get(page["id"], set()), page["url"]
        assert len(findings) == page["openIssues"]

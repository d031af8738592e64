"""The generated documents are committed as the code makes them, and a stale one is named."""

import json
import shutil
from pathlib import Path

import pytest

from chalicelib.http.endpoints import BASE_PATH
from documents import blocks, files, openapi
from tests.api.client import document

PAGE = "Words.\n<!-- generated: things -->\nold\n<!-- end -->\nMore words.\n"


def test_every_generated_document_matches_the_code() -> None:
    stale = [str(path.relative_to(files.ROOT)) for path in files.stale()]
    assert not stale, f"stale: {', '.join(stale)}; run make docs"


def test_the_committed_openapi_json_equals_the_served_one() -> None:
    committed = json.loads((files.DOCS / "openapi.json").read_text("utf-8"))
    assert committed["servers"] == [{"url": openapi.BASE_URL}]
    assert committed["externalDocs"]["url"] == openapi.BASE_URL.removesuffix(BASE_PATH) + "/docs"
    where = {"servers": None, "externalDocs": None}
    assert committed | where == document() | where


def test_an_edit_in_a_generated_part_is_detected_and_overwritten(tmp_path: Path) -> None:
    docs = tmp_path / "docs"
    shutil.copytree(files.DOCS, docs)
    guide = docs / "api.md"
    guide.write_text(guide.read_text("utf-8").replace("| `GET /plans` |", "| `GET /prices` |"), "utf-8")
    (docs / "rules" / "SEO-ONP-001.md").unlink()
    (docs / "rules" / "SEO-OLD-001.md").write_text("# Gone\n", "utf-8")
    changed = [docs / "rules" / "SEO-ONP-001.md", guide, docs / "rules" / "SEO-OLD-001.md"]
    assert list(files.stale(docs)) == changed
    assert files.write(docs) == changed
    assert not files.stale(docs)


def test_a_page_that_lost_the_marker_for_its_generated_part_is_reported(tmp_path: Path) -> None:
    docs = tmp_path / "docs"
    shutil.copytree(files.DOCS, docs)
    (docs / "operating.md").write_text("# Operating\n", "utf-8")
    with pytest.raises(ValueError, match=r"docs/operating\.md: the page has markers of the parts \[\]"):
        files.stale(docs)


def test_only_the_generated_part_of_a_page_is_replaced() -> None:
    assert blocks.fill(PAGE, {"things": "new\n"}) == PAGE.replace("old", "new")


@pytest.mark.parametrize("parts", [{}, {"others": ""}, {"things": "", "others": ""}])
def test_a_generated_part_without_a_marker_in_the_page_is_an_error(parts: dict[str, str]) -> None:
    with pytest.raises(ValueError, match="markers of the parts"):
        blocks.fill(PAGE, parts)

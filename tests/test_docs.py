"""Checks that the documents are true: settings, variables, commands and links."""

import ast
import re
from collections import Counter
from dataclasses import fields
from pathlib import Path

import pytest

from chalicelib.settings.every import SUBJECTS

ROOT = Path(__file__).resolve().parent.parent
THREATS = ROOT / "docs" / "threats.md"
OPERATING = ROOT / "docs" / "operating.md"
README = ROOT / "README.md"
SETTINGS = [setting for subject in SUBJECTS for setting in fields(subject)]
CHANGING = ROOT / "docs" / "changing.md"
FOLDERS = ("docs", "docs/decisions", "infra")
DOCUMENTS = [README, *(path for folder in FOLDERS for path in sorted((ROOT / folder).glob("*.md")))]
_OURS = re.compile(r"`((?:chalicelib|documents|docs|infra|host|local|management|bench|tests)/[\w./-]*)`")
_PATTERNS = re.compile(r"`((?:chalicelib|docs|local|tests)/[^`]*<[^`]*)`")
REAL_WEBSITES = ROOT / "docs" / "real-websites.md"
READING = ROOT / "tests" / "real" / "reading-20261123.tsv"
# A word has a letter or a digit, so the lines of tables do not count. Each large capability may add 2,000 words.
CAPABILITIES = (
    *("reading screens", "deciding screens", "MCP and /docs", "previews and gate"),
    "alt texts, redirects and drafts",
)
MOST_WORDS = 42_000 + 2_000 * len(CAPABILITIES)
VARIABLES = ("PORT", "SITE", "ONCE", "PAGES", "LOCAL_DIR", "STATE")


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: str(setting.metadata["env"]))
def test_every_setting_is_documented_with_its_default(setting: object) -> None:
    default = f"`{setting.default}`" if setting.default else "(empty)"  # type: ignore[attr-defined]
    metadata = setting.metadata  # type: ignore[attr-defined]
    line = f"| `{metadata['env']}` | {default} | {metadata['help']} |"
    assert line in OPERATING.read_text(encoding="utf-8").splitlines()


def test_every_documented_setting_exists() -> None:
    table = OPERATING.read_text(encoding="utf-8").split("## Settings")[1].split("## ")[0]
    named = set(re.findall(r"^\| `([A-Z_]+)` \|", table, re.MULTILINE))
    assert named == {setting.metadata["env"] for setting in SETTINGS}


def test_every_variable_of_make_run_is_documented_and_passed_on() -> None:
    operating = OPERATING.read_text(encoding="utf-8")
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    (exported,) = re.findall(r"^export (.+)$", makefile, re.MULTILINE)
    assert tuple(exported.split()) == VARIABLES
    for name in VARIABLES:
        assert f"| `{name}` |" in operating


def test_every_make_command_in_a_document_exists() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z-]+):", makefile, re.MULTILINE))
    for document in DOCUMENTS:
        named = set(re.findall(r"(?:^|`)make ([a-z-]+)", document.read_text(encoding="utf-8"), re.MULTILINE))
        assert named <= targets, document


def test_every_make_target_has_a_description() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    phony = set(re.findall(r"^\.PHONY: ([a-z-]+)$", makefile, re.MULTILINE))
    explained = set(re.findall(r"^([a-z-]+):.*## \S", makefile, re.MULTILINE))
    assert phony == explained


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_link_between_documents_has_a_target(document: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", document.read_text(encoding="utf-8")):
        if "://" not in target:
            assert (document.parent / target).exists(), target


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_path_in_a_document_exists(document: Path) -> None:
    """Paths of this project are written in backticks. A path with ``<…>`` or ``*`` is a pattern."""
    for named in _OURS.findall(document.read_text(encoding="utf-8")):
        assert (ROOT / named).exists(), named


def test_every_file_pattern_in_the_recipes_matches_a_file() -> None:
    patterns = _PATTERNS.findall(CHANGING.read_text(encoding="utf-8"))
    assert len(patterns) > 20
    for pattern in patterns:
        assert any(ROOT.glob(re.sub(r"<[^>]*>", "*", pattern))), pattern


def test_every_recipe_ends_with_its_command_and_lists_changed_files() -> None:
    for recipe in CHANGING.read_text(encoding="utf-8").split("\n## ")[1:]:
        assert re.search(r"```\nmake docs check test TESTS=.+\n```\s*\Z", recipe), recipe.splitlines()[0]
        assert "\nTouches" in recipe, recipe.splitlines()[0]


def test_every_threat_names_existing_tests() -> None:
    rows = [line for line in THREATS.read_text(encoding="utf-8").splitlines() if line.startswith("| ")]
    rows = [row for row in rows if not row.startswith("| Attack")]
    assert len(rows) > 30
    for row in rows:
        way_in, asset, guard, tests = (cell.strip() for cell in row.strip("|").split("|"))
        assert way_in and asset and guard and tests, row
        for test in tests.split(", "):
            path, _, name = test.partition("::")
            assert f"def {name}(" in (ROOT / path).read_text(encoding="utf-8"), test


def test_the_published_counts_of_the_manual_review_match_its_lines() -> None:
    lines = [line.split("\t") for line in READING.read_text(encoding="utf-8").splitlines()[1:]]
    counts = Counter((line[0], line[5]) for line in lines)
    table = REAL_WEBSITES.read_text(encoding="utf-8").split("## Read by hand")[1].split("| Seed |")[0]
    rows = re.findall(r"^\| (\w.*) \| (\d+) \| (\w+).* \| (\d+) \|$", table, re.MULTILINE)
    shown = Counter({("finding", verdict): int(count) for verdict, count, _, _ in rows})
    shown.update({("suggestion", verdict): int(count) for _, _, verdict, count in rows})
    assert len(rows) == 3 and +shown == counts


def test_the_documents_stay_below_their_word_limit() -> None:
    total = sum(len(re.findall(r"\S*\w\S*", document.read_text(encoding="utf-8"))) for document in DOCUMENTS)
    assert MOST_WORDS // 2 < total <= MOST_WORDS


def test_list_items_in_docstrings_start_on_their_own_lines() -> None:
    glued = re.compile(r"(?:[.:;#]|policy|patterns) -(?: [A-Za-z]|$)", re.MULTILINE)
    found = []
    for path in sorted((ROOT / "chalicelib").rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        for node in ast.walk(ast.parse(text)) if glued.search(text) else ():
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                found += [path.name for _ in glued.finditer(ast.get_docstring(node) or "")]
    assert found == []

"""What every rule must declare, and its help page."""

import re
from dataclasses import replace
from importlib import import_module
from pathlib import Path

import pytest

from chalicelib.domain.audit.score import EXPONENTS
from chalicelib.rules import registry
from chalicelib.rules.model import CATEGORY_NAMES, Rule
from chalicelib.rules.registry import BY_ID, FILES, RULES, RULESET, ruleset_of
from documents.files import DOCS
from documents.rules import pages

ROOMS = Path(registry.__file__).parent
WRITABLE = {None, "title", "meta_description", "canonical", "noindex", "alt"}
every_rule = pytest.mark.parametrize("rule", RULES, ids=[rule.id for rule in RULES])


def test_rule_ids_are_unique_and_every_category_is_scored() -> None:
    assert len({rule.id for rule in RULES}) == len(RULES)
    assert set(CATEGORY_NAMES) == set(EXPONENTS)


@every_rule
def test_the_category_and_scope_of_a_rule_match_its_id_and_its_check(rule: Rule) -> None:
    match = re.fullmatch(r"SEO-([A-Z]{3})-(\d{3})", rule.id)
    assert match is not None and match[1] == rule.category
    assert (rule.site_check is not None) == (rule.scope == "site") == (rule.population == "site")
    assert (rule.page_check is not None) == (rule.scope == "page")
    assert rule.writable_field in WRITABLE
    assert 0 <= rule.weight * rule.kappa < 100
    assert rule.gate is None or 0 < rule.gate < 1


@every_rule
def test_a_rule_has_an_explanation_of_whole_sentences(rule: Rule) -> None:
    for text in (rule.what, rule.why, rule.fix, rule.not_when, rule.source):
        assert len(text) > 30 and text.endswith("."), text
        assert "  " not in text
    assert 5 < len(rule.title) < 70


@every_rule
def test_each_rule_is_in_a_file_named_after_its_number_or_a_range_of_numbers(rule: Rule) -> None:
    check = rule.page_check or rule.site_check
    assert check is not None
    module = check.__module__.removeprefix("chalicelib.rules.")
    folder, _, name = module.partition(".")
    assert folder == rule.category.lower()
    first, last = re.match(r"seo_[a-z]{3}_(\d{3})(?:_(\d{3}))?_", name).groups()  # type: ignore[union-attr]
    assert int(first) <= int(rule.id[-3:]) <= int(last or first)


def test_every_rule_file_is_registered() -> None:
    registered = {(rule.page_check or rule.site_check).__module__.rpartition(".")[2] for rule in RULES}  # type: ignore[union-attr]
    assert {file.stem for file in ROOMS.glob("*/seo_*.py")} == registered


def test_every_rule_in_a_file_is_registered() -> None:
    for folder, files in FILES.items():
        for file in files:
            defined = vars(import_module(f"chalicelib.rules.{folder}.{file}")).values()
            assert {one.id for one in defined if isinstance(one, Rule)} <= set(BY_ID), file


def test_the_help_pages_match_the_rules() -> None:
    wanted = pages()
    written = {file.name: file.read_text(encoding="utf-8") for file in (DOCS / "rules").glob("*.md")}
    assert written == wanted, "run make docs"


def test_a_help_page_has_no_unescaped_tags() -> None:
    for name, text in pages().items():
        assert not re.search(r"(?<!`)<[a-z]", text), name


def test_a_change_that_affects_scores_changes_the_name_of_the_rule_set() -> None:
    first = RULES[0]
    changes: list[dict[str, object]] = [{"weight": first.weight + 1}, {"confidence": "possible"}, {"effort": "high"}]
    names = {ruleset_of((replace(first, **change), *RULES[1:])) for change in changes}  # type: ignore[arg-type]
    assert len(names | {RULESET}) == 4
    assert ruleset_of(tuple(reversed(RULES))) == RULESET
    assert ruleset_of((replace(first, why="Because it matters very much to everybody."), *RULES[1:])) == RULESET


def test_removed_rules_have_no_share_in_the_score() -> None:
    from chalicelib.domain.audit.issues import RuleCount

    shares = registry.shares({"SEO-ONP-001": RuleCount(10, 2), "SEO-OLD-001": RuleCount(5, 5)})
    assert [(share.rule.id, share.applicable, share.affected) for share in shares] == [("SEO-ONP-001", 10, 2)]

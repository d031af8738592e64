"""Audits of the demo website find the declared faults, all of them and nothing else; its clean twin yields none."""

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
import trustme

from chalicelib.rules.registry import BY_ID
from chalicelib.settings.reading import forget_settings
from chalicelib.store import readiness
from local import demo
from local.demo.fault import Affected
from local.demo.serve import start
from local.demo.variants import CLEAN, FAULTY, STALLED, VARIANTS, Variant
from local.tested import judges_by_tests
from tests.sites import auditing

SLOW_ANSWER = "SEO-PRF-004"
SLOW = {STALLED.name}  # two tries of 20 seconds: tested at the worker with a shorter limit
SMALL = sorted(set(VARIANTS) - {CLEAN.name, FAULTY.name} - SLOW)


@pytest.fixture
def ca(store: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[trustme.CA]:
    authority = trustme.CA()
    auditing.configure(monkeypatch, authority, tmp_path)
    yield authority
    forget_settings()


def _audit(variant: Variant, ca: trustme.CA) -> auditing.Audited:
    server = start(variant, tls=None if variant.scheme == "http" else ca, host=demo.DEMO_HOST)
    try:
        return auditing.audit(auditing.new_website(server.url))
    finally:
        server.stop()


def _expected(declared: Mapping[str, Affected]) -> dict[str, Affected]:
    """The declared faults of those rules that the service has, and that judge without a speed test."""
    return {
        rule_id: affected for rule_id, affected in declared.items() if rule_id in BY_ID and not judges_by_tests(rule_id)
    }


def test_the_faulty_website_has_exactly_the_declared_findings(ca: trustme.CA) -> None:
    audited = _audit(FAULTY, ca)
    declared = _expected(FAULTY.declared)
    del declared[SLOW_ANSWER]  # see below
    assert audited.found == declared
    assert audited.summary.score is not None
    assert 450 <= audited.summary.score.entry.site <= 550
    assert audited.summary.score.coverage >= 90
    assert audited.summary.score.losses is not None
    assert sum(loss.points for loss in audited.summary.score.losses) == 1_000 - audited.summary.score.entry.site
    (week,) = audited.book.weeks.values()
    assert week == {rule_id: count for rule_id, count in audited.book.counts.items() if count.affected}


def test_a_slow_page_is_found_on_a_busy_machine_too(ca: trustme.CA, slow_answers: None) -> None:
    late = Variant("late", tuple(fault for fault in FAULTY.faults if SLOW_ANSWER in fault.affects))
    found = _audit(late, ca).found
    assert found.pop(SLOW_ANSWER) >= FAULTY.declared[SLOW_ANSWER], "others may be late where much else is going on"
    assert found == {}


def test_the_faultless_website_has_no_findings_and_the_full_score(ca: trustme.CA) -> None:
    audited = _audit(CLEAN, ca)
    assert audited.found == {}
    assert audited.summary.score is not None
    assert audited.summary.score.entry.site == 1_000
    learned = readiness.load(audited.website.id)
    assert learned is not None and learned.crawl_id == audited.header.id
    assert {crawler.allowed for crawler in learned.crawlers} == {True}
    assert learned.llms is not None and learned.llms.present
    entity = learned.entity
    assert entity is not None
    assert (entity.organization_schema, entity.nap_agrees) == (True, True)
    assert (entity.about_page or "").endswith("/about/") and (entity.contact_page or "").endswith("/contact/")
    sections = [page.section for page in learned.draft.pages]
    assert sections[0] == "Pages" and {"Shop", "Magazine", "Optional"} <= set(sections)


@pytest.mark.parametrize("name", SMALL)
def test_a_website_with_one_cause_has_exactly_its_declared_findings(ca: trustme.CA, name: str) -> None:
    assert _audit(VARIANTS[name], ca).found == _expected(VARIANTS[name].declared)


def test_a_second_audit_resolves_the_fixed_issues(ca: trustme.CA) -> None:
    paths = sorted(FAULTY.declared["SEO-ONP-001"])
    untitled = Variant("untitled", tuple(f for f in FAULTY.faults if "SEO-ONP-001" in f.affects))
    server = start(untitled, tls=ca, host=demo.DEMO_HOST)
    try:
        website = auditing.new_website(server.url)
        before = auditing.audit(website)
        for path in paths:
            server.fix("SEO-ONP-001", path)
        after = auditing.audit(website)
    finally:
        server.stop()
    assert before.found == {"SEO-ONP-001": frozenset(paths)}
    assert after.found == {}
    assert before.summary.score is not None and after.summary.score is not None
    assert before.summary.score.entry.health < after.summary.score.entry.health == 1_000

"""Speed tests of the demo website, by the stand-in for PageSpeed Insights that ``make run`` connects: an audit finds by
them exactly the faults that are declared, nothing on the clean twin, and nothing any more once the pages are mended."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import trustme

from chalicelib import clock
from chalicelib.domain.audit.inputs import LEAST_RUNS
from chalicelib.operations import speed
from chalicelib.settings.reading import forget_settings
from chalicelib.store.websites import Website
from chalicelib.workers import agentic
from local import demo
from local.demo.fault import declared
from local.demo.serve import Server, start
from local.demo.variants import CLEAN, FAULTY, Variant
from local.standins.pagespeed import PageSpeed
from local.tested import judges_by_tests
from tests import speed as tests_of_speed
from tests.sites import auditing

BY_TESTS = {rule_id for rule_id in FAULTY.declared if judges_by_tests(rule_id)}
FAULTS = tuple(fault for fault in FAULTY.faults if BY_TESTS & fault.affects.keys())
SLOWED = Variant("slowed", FAULTS)
DECLARED = declared(FAULTS)
OTHERS = ("/", "/shop/", "/shop/tents/skarn-3/", "/magazine/", "/about/")  # without such a fault
PAGES = sorted({*OTHERS, *(path for rule_id in BY_TESTS for path in DECLARED[rule_id])})


@pytest.fixture
def ca(store: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[trustme.CA]:
    authority = trustme.CA()
    auditing.configure(monkeypatch, authority, tmp_path)
    standin = PageSpeed()
    for name, value in standin.settings({}).items():
        monkeypatch.setenv(name, value)
    forget_settings()
    yield authority
    standin.stop()
    monkeypatch.undo()
    forget_settings()


@pytest.fixture
def slowed(ca: trustme.CA) -> Iterator[Server]:
    server = start(SLOWED, tls=ca, host=demo.DEMO_HOST)
    yield server
    server.stop()


def have_tested(website: Website) -> None:
    """Have the pages tested as often as an audit asks for."""
    for _ in range(LEAST_RUNS):
        for path in PAGES:
            url = website.url.rstrip("/") + path
            speed.queue_run(website, url, "mobile", per_day=1_000, now=clock.now())
            assert tests_of_speed.work("agentic", agentic.handle) == 1


def test_speed_issues_match_the_declared_faults_until_they_are_fixed(slowed: Server) -> None:
    assert {"SEO-AGT-001", "SEO-AGT-002", "SEO-IMG-007", "SEO-PRF-001", "SEO-PRF-002"} == BY_TESTS
    website = auditing.new_website(slowed.url)
    have_tested(website)
    assert auditing.audit(website).found == DECLARED
    for rule_id in ("SEO-AGT-001", "SEO-AGT-002", "SEO-IMG-007"):  # and with them their others
        for path in DECLARED[rule_id]:
            slowed.fix(rule_id, path)
    have_tested(website)
    assert auditing.audit(website).found == {}


def test_the_faultless_website_has_no_speed_issues(ca: trustme.CA) -> None:
    server = start(CLEAN, tls=ca, host=demo.DEMO_HOST)
    try:
        website = auditing.new_website(server.url)
        have_tested(website)
        assert auditing.audit(website).found == {}
    finally:
        server.stop()

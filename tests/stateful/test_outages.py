"""While a website stays as it is, no outage of what it is judged by beside its crawls moves its score or an issue: the
engine of speed tests is down or has no quota, field data cannot be fetched, no browser starts, search data has a gap,
in any order and for any number of weeks.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import Any, Literal

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from chalicelib import clock
from chalicelib.connectors import rendering
from chalicelib.connectors.errors import NotConnected, OutsideError, Quota, Unavailable
from chalicelib.connectors.page_source import Source
from chalicelib.domain.accounts.rights import OPERATOR
from chalicelib.domain.search.periods import ending
from chalicelib.domain.speed.field import FieldRecord
from chalicelib.domain.speed.report import LabRun, SpeedReport
from chalicelib.operations import speed as operations
from chalicelib.operations.errors import Refused
from chalicelib.settings.reading import forget_settings
from chalicelib.store import crawls
from chalicelib.workers import agentic, imports, sweeper
from chalicelib.workers.audit import asking_browser, crawl
from local import embedded
from tests import aws, speed, stored_search
from tests.domain.search.naive import Told
from tests.lengths import examples
from tests.servers.wire import WireServer
from tests.sites import auditing
from tests.sites.standing import differences, moves, standing
from tests.workers.audit.websites import Runtime, Site, html, start

WEEK = 7 * 86_400.0
TURNS = 40
STEADY_WEEKS = 4  # until each page that is tested has the runs that a median needs
WORDS = "<main>" + "<p>Alderfell makes tents for walkers, and repairs them as long as they last.</p>" * 30 + "</main>"
ARTICLE = '<article class="post"><ul><li>One</li><li>Two</li></ul>{}</article>'

Engine = Literal["up", "down", "no quota", "no key"]
ENGINE: list[Engine] = ["up", "down", "no quota", "no key"]


def small_site() -> Site:
    hidden = '<meta name="robots" content="noindex">'
    pages = {
        "/": html("The home page of a small website", "/app", "/a", "/b", "/c", body=WORDS),
        "/app": html("An application", "/"),
        "/hidden": html("Search shows it although it hides itself", "/", head=hidden),
    }
    for name in "abc":
        pages[f"/{name}"] = html(f"Everything about the letter {name}", "/", body=ARTICLE.format(WORDS))
    return Site(pages)


class Browser:
    def __init__(self, site: Site) -> None:
        self.made = {path: str(page) for path, page in site.pages.items()}
        self.made["/app"] = html("An application for tents", "/", "/a", body=WORDS)
        self.starts = True

    def render(self, urls: Sequence[str], seconds: float, keep: Callable[[], None]) -> Iterator[Source]:
        if not self.starts:
            raise Unavailable("The browser does not start.")
        for url in urls:
            yield Source(url, url, 200, self.made["/" + url.split("/", 3)[3]], True)


class Outages(RuleBasedStateMachine):
    home = ""
    engine: speed.Engine
    visitors: speed.Visitors
    browser: Browser

    def __init__(self) -> None:
        super().__init__()
        embedded.clear()
        clock.set_offset(0.0)
        self._recover()
        self.website = auditing.new_website(self.home)
        stored_search.connect(self.website)
        self._search(28)
        self._audit()
        for _ in range(STEADY_WEEKS):
            self._week()
        self.before = standing(self.website)
        self.moved = moves(self.website)

    # -- what fails, and what works again ---------------------------------------------------------------------

    @rule(state=st.sampled_from(ENGINE))
    def the_engine_is(self, state: Engine) -> None:
        errors: dict[Engine, OutsideError | None] = {
            "up": None,
            "down": Unavailable("It does not answer."),
            "no quota": Quota("No more today."),
            "no key": NotConnected("There is no key."),
        }
        self.engine.failure = lambda test: errors[state]

    @rule(fails=st.booleans())
    def field_data_fails(self, fails: bool) -> None:
        self.visitors.failure = lambda url: Unavailable("It does not answer.") if fails else None

    @rule(starts=st.booleans())
    def the_browser_starts(self, starts: bool) -> None:
        self.browser.starts = starts

    @rule(days=st.sampled_from([28, 5]))
    def search_data_has_days(self, days: int) -> None:
        """With fewer than 28 the connection was made anew, and its import is not done."""
        self._search(days)

    @rule(weeks=st.integers(1, 5))
    def weeks_pass(self, weeks: int) -> None:
        for _ in range(weeks):
            self._week()

    @rule()
    def an_audit_reads_a_part(self) -> None:
        self._audit(budget=4)
        self.nothing_changes()
        self._audit()  # what is carried for four weeks is read again before

    # -- what stays as it is ------------------------------------------------------------------------------------

    @invariant()
    def nothing_changes(self) -> None:
        found = differences(self.before, standing(self.website))
        assert found == [], "\n".join(found)
        assert moves(self.website) == self.moved

    def teardown(self) -> None:
        self._recover()

    def _recover(self) -> None:
        self.engine.failure = lambda test: None
        self.visitors.failure = lambda url: None
        self.browser.starts = True

    def _search(self, days: int) -> None:
        window = ending(stored_search.today(), days)
        of_day = [Told(self.home + path, 1, 1_000, 2.0) for path in ("hidden", "a")]
        stored_search.put_rows(self.website, "page", {window.last: of_day}, window)

    def _week(self) -> None:
        """Six days, the weekly tests with the day's field data, and the weekly audit."""
        clock.set_offset(clock.offset() + WEEK - 86_400)
        for begin in (operations.begin_tests, operations.begin_collecting):
            with suppress(Refused):
                begin(OPERATOR, self.website.id)
        for _ in range(TURNS):
            worked = speed.work("agentic", agentic.handle) + speed.work("imports", imports.handle)
            if not worked:
                break
        clock.set_offset(clock.offset() + 86_400)
        self._audit()

    def _audit(self, budget: int | None = None) -> None:
        header = start(self.website, page_budget=budget)
        for _ in range(TURNS):
            current = crawls.get(header.site_id, header.id)
            assert current is not None
            if current.ended:
                assert current.status == "done"
                return
            waiting = [*aws.messages("crawl"), *aws.messages("agentic")]
            aws.purge("crawl")
            aws.purge("agentic")
            if not waiting:
                clock.set_offset(clock.offset() + asking_browser.WAIT_SECONDS + 1)
                sweeper.run()
            for message in waiting:
                if "crawlId" in message:
                    crawl.handle(message, Runtime())
                else:
                    agentic.handle(message, None)
        raise AssertionError("the audit does not end")


def reported(slow: Sequence[str]) -> Callable[[Any], SpeedReport]:
    """The engine finds these addresses slow, and their accessibility tree faulty."""

    def report(test: Any) -> SpeedReport:
        url, strategy = test
        lab = LabRun(5_000.0, 0.3, 700.0) if url in slow else LabRun(1_200.0, 0.0, 10.0)
        tree = speed.FAILING if url in slow else speed.PASSING
        return speed.report(url, strategy, lab=lab, checks={"agent-accessibility-tree": tree})

    return report


@pytest.fixture
def small_website(store: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The website is served, and everything that it is judged by is connected."""
    site = small_site()
    Outages.engine, Outages.visitors = speed.engine(monkeypatch), speed.visitors(monkeypatch)
    Outages.browser = Browser(site)
    monkeypatch.setenv("ALLOW_ADDRESSES", "127.0.0.0/8")
    monkeypatch.setenv("CHROME_PATH", "chromium")
    monkeypatch.setattr(rendering, "connected", lambda: Outages.browser)
    forget_settings()
    with WireServer(site) as server:
        Outages.home = server.url("/")
        Outages.engine.reports = reported([server.url("/"), server.url("/app")])
        Outages.visitors.pages[server.url("/a")] = FieldRecord(True, lcp_ms=4_500.0, period_end="2026-11-19")
        yield
    forget_settings()


@pytest.mark.parametrize("what", ["engine", "field data", "browser", "search"])
def test_an_outage_of_ten_weeks_changes_no_score_and_no_issue(small_website: None, what: str) -> None:
    outages = Outages()
    assert outages.before.counts["SEO-PRF-001"][1] and outages.before.counts["SEO-TEC-025"][1]
    assert outages.before.counts["SEO-TEC-008"][1] and outages.before.counts["SEO-AGT-001"][1]
    fail: dict[str, Callable[[], None]] = {
        "engine": lambda: outages.the_engine_is("down"),
        "field data": lambda: outages.field_data_fails(True),
        "browser": lambda: outages.the_browser_starts(False),
        "search": lambda: outages.search_data_has_days(5),
    }
    fail[what]()
    outages.weeks_pass(10)
    outages.nothing_changes()
    outages.teardown()
    outages.search_data_has_days(28)
    outages.weeks_pass(1)
    outages.nothing_changes()


def test_outages_in_any_order_change_no_score_and_no_issue(small_website: None) -> None:
    run_state_machine_as_test(Outages, settings=settings(max_examples=examples(2), stateful_step_count=7))

"""The engine in a function of its own, called over Lambda's own wire format: what comes back is what an engine in this
process says, and each way in which Lambda or the function fails is one of ours, in words."""

import base64
import json
import random
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from chalicelib import clock
from chalicelib.connectors import engine_function, engine_messages, function_calls, rendering, speed_tests
from chalicelib.connectors.engine_function import EngineFunction
from chalicelib.connectors.engine_messages import PageSent
from chalicelib.connectors.errors import Declined, NoAccess, NotConnected, OutsideError, Quota, Unavailable
from chalicelib.connectors.lighthouse import Lighthouse, read_engine_report
from chalicelib.connectors.page_source import Source
from chalicelib.connectors.rendering import Chromium
from chalicelib.settings.reading import forget_settings
from infra.engine import handler
from tests.servers.functions import NAME, FunctionService

REPORTS = json.loads((Path(__file__).parent.parent / "rules" / "agt" / "lighthouse.json").read_text(encoding="utf-8"))
URL = "https://shop.example/"


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch) -> Iterator[FunctionService]:
    """Lambda, with the engine's own handler as the function."""
    with FunctionService(lambda event: handler.handle(event, None)) as started:
        monkeypatch.setenv("AWS_ENDPOINT_URL_LAMBDA", started.url)
        for name in ("AWS_DEFAULT_REGION", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
            monkeypatch.setenv(name, "us-east-1")
        monkeypatch.setenv("SPEED_PROVIDER", "lighthouse")
        monkeypatch.setenv("ENGINE_FUNCTION", NAME)
        for name in ("CHROME_PATH", "LIGHTHOUSE_PATH"):
            monkeypatch.delenv(name, raising=False)
        forget_settings()
        function_calls.reset()
        yield started
    monkeypatch.undo()
    function_calls.reset()
    forget_settings()


class Reports:
    """Our own Lighthouse, with a report that is given or a failure."""

    features = ("WebMCP",)

    def __init__(self, report: Any) -> None:
        self._report = report

    def report(self, url: str, strategy: str) -> Any:
        if isinstance(self._report, OutsideError):
            raise self._report
        return self._report


@pytest.fixture
def reports(monkeypatch: pytest.MonkeyPatch) -> Callable[[Any], None]:
    """What the engine's Lighthouse says from now on."""

    def say(report: Any) -> None:
        monkeypatch.setattr(Lighthouse, "connected", lambda: Reports(report))

    return say


def run(url: str = URL, strategy: Any = "mobile") -> Any:
    return speed_tests.connected().run(url, strategy)


@pytest.mark.parametrize("name", REPORTS)
def test_a_test_in_the_lambda_function_gives_the_same_result_as_a_local_test(
    name: str, service: FunctionService, reports: Callable[[Any], None]
) -> None:
    reports(REPORTS[name])
    assert run() == read_engine_report(REPORTS[name], URL, ("WebMCP",))
    assert service.asked == [{"kind": "lighthouse", "url": URL, "strategy": "mobile"}]


@pytest.mark.parametrize(
    ("report", "error", "words"),
    [
        ({"runtimeError": {"code": "NO_FCP", "message": "x"}}, Declined, "painted nothing"),
        ({"runtimeError": {"code": "PROTOCOL_TIMEOUT", "message": "x"}}, Unavailable, "broke off"),
        ({}, Unavailable, "without results"),
        (Unavailable("The page was not tested within two minutes."), Unavailable, "within two minutes"),
        (Declined("The page cannot be tested: port 22."), Declined, "port 22"),
        (NotConnected("CHROME_PATH is not set."), NotConnected, "CHROME_PATH"),
    ],
)
def test_lighthouse_errors_in_the_function_are_reported_like_those_of_local_tests(
    report: Any, error: type[OutsideError], words: str, service: FunctionService, reports: Callable[[Any], None]
) -> None:
    reports(report)
    with pytest.raises(error, match=words) as caught:
        run()
    assert type(caught.value) is error


@pytest.mark.parametrize(
    ("fault", "error", "words"),
    [
        ("throttled", Quota, "no more calls for now"),
        ("denied", NoAccess, "does not allow calls"),
        ("down", Unavailable, "could not be called"),
        ("timeout", Unavailable, "did not finish within its time"),
        ("killed", Unavailable, "broke off: .*signal: killed"),
        ("too_large", Unavailable, "too large"),
        ("nonsense", Unavailable, "cannot be read"),
    ],
)
def test_each_lambda_error_is_reported_after_one_try(
    fault: str, error: type[OutsideError], words: str, service: FunctionService
) -> None:
    service.fault = fault
    with pytest.raises(error, match=words) as caught:
        run()
    assert type(caught.value) is error
    assert len(service.asked) == 1


def test_a_function_that_does_not_answer_is_given_up(service: FunctionService, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine_function._ENGINE, "seconds", 0.5)
    service.fault = "silent"
    with pytest.raises(Unavailable, match="did not answer in time"):
        run()
    assert len(service.asked) == 1


def test_a_missing_or_unreachable_function_is_reported(
    service: FunctionService, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(NotConnected, match="does not exist"):
        EngineFunction("wos-Other").run(URL, "mobile")
    monkeypatch.setenv("AWS_ENDPOINT_URL_LAMBDA", "http://127.0.0.1:1")
    function_calls.reset()
    with pytest.raises(Unavailable, match="could not be called"):
        EngineFunction(NAME).run(URL, "mobile")
    monkeypatch.delenv("AWS_DEFAULT_REGION")
    function_calls.reset()
    with pytest.raises(Unavailable, match="could not be called"):
        EngineFunction(NAME).run(URL, "mobile")
    monkeypatch.setenv("ENGINE_FUNCTION", " ")
    forget_settings()
    with pytest.raises(NotConnected, match="not set"):
        EngineFunction.connected()


def test_a_report_too_large_for_an_answer_is_reported(
    service: FunctionService, reports: Callable[[Any], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    reports(REPORTS["bad-mobile"])
    monkeypatch.setattr(handler, "MOST_ANSWER", 2_000)
    with pytest.raises(Unavailable, match="too large"):
        run()


@pytest.mark.parametrize("answer", [None, [], {"report": [1]}, {"failed": {"code": "?", "message": "New words"}}, {}])
def test_an_answer_of_another_protocol_version_is_rejected(answer: Any, service: FunctionService) -> None:
    service._answer = lambda event: answer
    with pytest.raises(Unavailable):
        run()
    service._answer = lambda event: {"report": REPORTS["bad-mobile"], "flags": ["WebMCP"], "newer": {"x": 1}}
    assert run().agentic.flags == ("WebMCP",)


# -- pages -------------------------------------------------------------------------------------------------


class Pages:
    """A browser that shows pages by ``sources``, one after the other; each takes a second."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.html: Callable[[str], str | None] = lambda url: f"<p>{url}"
        self.calls: list[list[str]] = []
        self.now = clock.monotonic()
        monkeypatch.setattr(clock, "monotonic", lambda: self.now)
        monkeypatch.setattr("infra.engine.handler.Engine.connected", lambda: None)
        monkeypatch.setattr(Chromium, "render", lambda browser, *given: self._render(browser.user_agent, *given))
        self.user_agents: set[str] = set()

    def _render(self, agent: str, urls: list[str], seconds: float, keep: Callable[[], object]) -> Iterator[Source]:
        self.calls.append(list(urls))
        self.user_agents.add(agent)
        until = self.now + seconds
        for url in urls:
            if self.now >= until:
                return
            keep()
            self.now += 1.0
            html = self.html(url)
            if html is not None:
                yield Source(url, url + "?final", 200, html, True)


@pytest.fixture
def pages(service: FunctionService, monkeypatch: pytest.MonkeyPatch) -> Pages:
    monkeypatch.setenv("CRAWL_USER_AGENT", "Crawler/1.0")
    forget_settings()
    return Pages(monkeypatch)


URLS = [f"https://shop.example/{number}" for number in range(25)]


def shown(urls: list[str] = URLS, seconds: float = 200.0) -> list[str]:
    kept: list[int] = []
    assert rendering.is_connected()
    found = list(rendering.connected().render(urls, seconds, lambda: kept.append(1)))
    assert bool(kept) == bool(urls and seconds > 20.0)
    assert all(source.final_url == source.url + "?final" and source.quiet for source in found)
    return [source.url for source in found]


def test_pages_are_rendered_in_batches_and_returned_unchanged(pages: Pages, service: FunctionService) -> None:
    pages.html = lambda url: f"<p>{url} Grüße \U0001f600 \ud800".encode("utf-8", "replace").decode() * 2_000
    assert shown() == URLS
    assert [len(call) for call in pages.calls] == [10, 10, 5]
    assert pages.user_agents == {"Crawler/1.0"}
    assert service.asked[0]["kind"] == "render" and service.asked[0]["seconds"] <= engine_function.PAGES_SECONDS


def test_pages_that_cannot_be_rendered_are_left_out_and_not_retried(pages: Pages) -> None:
    pages.html = lambda url: None if url.endswith(("3", "9")) else "<p>x"
    assert shown() == [url for url in URLS if not url.endswith(("3", "9"))]
    assert sum(len(call) for call in pages.calls) == 25


def test_pages_left_out_of_a_full_answer_are_requested_again_and_huge_ones_skipped(
    pages: Pages, monkeypatch: pytest.MonkeyPatch
) -> None:
    draw = random.Random(1)
    text = {url: draw.randbytes(2_000).hex() for url in URLS}
    text[URLS[7]] = draw.randbytes(20_000).hex()
    pages.html = text.__getitem__
    one = len(PageSent.of(Source(URLS[0], URLS[0], 200, text[URLS[0]], True)).html)
    monkeypatch.setattr(handler, "MOST_ANSWER", int(one * 3.5))
    assert shown(URLS[:10]) == [url for url in URLS[:10] if url != URLS[7]]
    assert [len(call) for call in pages.calls] == [10, 7, 4]


def test_no_call_starts_if_the_time_left_is_too_short_for_it(pages: Pages) -> None:
    assert shown(seconds=10.0) == []
    assert pages.calls == []
    assert shown(seconds=22.0) == URLS[:10], "a second call would have twelve seconds"


def test_pages_that_one_call_had_no_time_for_are_rendered_in_the_next_call(pages: Pages, monkeypatch: Any) -> None:
    monkeypatch.setattr(engine_function, "PAGES_SECONDS", 4.0)
    assert shown(URLS[:10]) == URLS[:10]
    assert [len(call) for call in pages.calls] == [10, 6, 2]


def test_a_failed_call_loses_only_the_pages_of_that_call(pages: Pages, service: FunctionService) -> None:
    def breaking(url: str) -> str:
        if url == URLS[12]:
            raise RuntimeError("out of memory")
        return "<p>x"

    pages.html = breaking
    assert shown() == [*URLS[:10], *URLS[20:]]


def test_the_remaining_pages_are_skipped_after_repeated_failures(pages: Pages, service: FunctionService) -> None:
    service.fault = "killed"
    with pytest.raises(Unavailable, match="broke off"):
        shown()
    assert len(service.asked) == engine_function.MOST_FAILURES
    service.fault = "throttled"
    with pytest.raises(Quota):
        shown()
    assert len(service.asked) == engine_function.MOST_FAILURES + 1


@pytest.mark.parametrize(
    "html",
    ["?", "AAAA", base64.b64encode(zlib.compress(b"0" * 50_000)).decode()],
    ids=["no base64", "not deflated", "too long"],
)
def test_a_page_that_cannot_be_decompressed_is_skipped(
    html: str, pages: Pages, service: FunctionService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine_messages, "_MOST_HTML", 40_000)
    page = {"url": URLS[0], "finalUrl": URLS[0], "status": 200, "html": html, "quiet": True}
    service._answer = lambda event: {"pages": [page]}
    with pytest.raises(Unavailable, match="cannot be read"):
        shown(URLS[:1])


def test_an_answer_with_pages_that_were_not_requested_is_ignored(pages: Pages, service: FunctionService) -> None:
    other = PageSent.of(Source("https://other.example/", "", 200, "x", True))
    page = {"url": other.url, "finalUrl": "", "status": 200, "html": other.html, "quiet": True}
    service._answer = lambda event: {"pages": [page], "left": [*event["urls"], "https://other.example/"]}
    assert shown() == []
    assert len(service.asked) == 3

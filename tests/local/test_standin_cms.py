"""The stand-in for a CMS: that it keeps the protocol, that the demo website shows what is written, and its faults."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from chalicelib.connectors.errors import NoAccess, Unavailable
from chalicelib.domain.connector.messages import Field
from chalicelib.domain.readiness.robots_block import with_block
from chalicelib.settings.reading import forget_settings
from local.demo.serve import start
from local.demo.variants import FAULTY
from local.standins.cms import CACHE, FAULTS, Cms, DemoSite, ListSite
from local.standins.undo import LOST, MOST, Undos
from tests.connectors import protocol


@pytest.fixture(autouse=True)
def settings(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("ALLOW_ADDRESSES", "127.0.0.0/8")
    forget_settings()
    yield
    monkeypatch.undo()
    forget_settings()


class Listed:
    """A stand-in over a list of pages."""

    def __init__(self) -> None:
        self.site = ListSite(12)
        self.cms = Cms(self.site)
        self.address = self.cms.address
        self.item, self.url = "page:4", "https://shop.example/page-4/"

    def code(self) -> str:
        return self.cms.code()

    def disconnect(self) -> None:
        self.cms.disconnect()

    def edit(self, field: Field, value: str | None) -> None:
        self.cms.edit(self.item, field, value)

    def shown(self, field: Field) -> str | None:
        return self.site.shown.get(self.item, {}).get(field)

    def file(self, name: str) -> str | None:
        if name == "llms.txt":
            return self.site.files.get("llmsTxt")
        return with_block(b"User-agent: *\n", self.site.files.get("robotsBlock")).decode()

    @contextmanager
    def closed(self) -> Iterator[None]:
        self.cms.misbehave("readonly")
        yield
        self.cms.misbehave("none")

    def stored(self) -> Any:
        values = {item: values for item, values in self.site.shown.items() if values}
        return values, dict(self.site.files)


@pytest.fixture
def subject() -> Iterator[Listed]:
    listed = Listed()
    yield listed
    listed.cms.stop()


@protocol.each
def test_the_stand_in_keeps_the_protocol(check: Callable[[protocol.Subject], None], subject: Listed) -> None:
    check(subject)


def test_the_stand_in_counts_requests_and_writes(subject: Listed) -> None:
    cms = protocol.connect(subject)
    asked = protocol.change(subject, "title", "Once")
    cms.change(asked)
    cms.change(asked)
    assert subject.cms.counts == {"pair": 1, "changes": 2}
    assert subject.cms.writes == [("page:4", "title", "Once")]
    assert subject.cms.exchanges[-1].operation == "changes" and "x-wos-signature" in subject.cms.exchanges[-1].headers


def test_a_code_is_good_for_its_time_only(subject: Listed) -> None:
    cms = protocol.HttpCms(subject.address, "wos_cn_" + "1" * 64)
    with pytest.raises(NoAccess, match="15 minutes"):
        cms.pair(subject.cms.code(seconds=-1), "site_1", protocol.BASE_URL, "key")


def test_faults_of_the_stand_in(subject: Listed) -> None:
    cms = protocol.connect(subject)
    subject.cms.misbehave("refuse")
    assert cms.change(protocol.change(subject, "title", "X")).state == "refused" and cms.status().writable
    subject.cms.misbehave("access")
    with pytest.raises(NoAccess):
        cms.status()
    for fault in ("down", "fail"):
        subject.cms.misbehave(fault)
        with pytest.raises(Unavailable):
            cms.change(protocol.change(subject, "title", "X"))
    assert subject.cms.writes == []
    subject.cms.misbehave("partial")
    asked = protocol.change(subject, "title", "Done, and not told")
    with pytest.raises(Unavailable):
        cms.change(asked)
    subject.cms.misbehave("none")
    assert cms.change(asked).after == "Done, and not told" and len(subject.cms.writes) == 1
    with pytest.raises(ValueError, match="no fault"):
        subject.cms.misbehave("tired")
    assert FAULTS[0] == "none"


def test_hidden_writes_are_stored_and_seen_when_the_cache_is_gone(subject: Listed) -> None:
    cms = protocol.connect(subject)
    subject.cms.misbehave("hide_writes")
    outcome = cms.change(protocol.change(subject, "title", "Hidden"))
    assert outcome.state == "written" and outcome.caches[0].name == CACHE and not outcome.caches[0].cleared
    assert subject.shown("title") is None and subject.cms.value("page:4", "title") == "Hidden"
    subject.cms.misbehave("none")
    assert subject.shown("title") == "Hidden"


def test_the_demo_website_shows_written_values_at_once() -> None:
    server = start(FAULTY, tls=None, host="127.0.0.1")
    cms = Cms(DemoSite(server))
    try:
        item, entry = next((item, entry) for item, entry in cms.site.entries().items() if entry.title == "/shipping/")

        def page() -> str:
            return server.answers()["/shipping/"].plain.body.decode()

        made = page()
        cms.edit(item, "title", "Shipping & returns")
        cms.edit(item, "noindex", "true")
        cms.edit(item, "canonical", "https://elsewhere.example/")
        cms.edit(item, "meta_description", "How we ship.")
        assert entry.url == f"{server.url}shipping/"
        for tag in (
            "<title>Shipping &amp; returns</title>",
            '<meta name="robots" content="noindex">',
            '<link rel="canonical" href="https://elsewhere.example/">',
            '<meta name="description" content="How we ship.">',
        ):
            assert page().count(tag) == 1 and tag not in made
        server.fix("SEO-AEO-005")  # everything is made anew, and what was written stays
        assert "<title>Shipping &amp; returns</title>" in page()
        for field in ("title", "noindex", "canonical", "meta_description"):
            cms.edit(item, field, None)
        assert page() == made
        cms.site.show_files({"llmsTxt": "# Shop\n", "robotsBlock": "User-agent: X\nDisallow: /\n"})
        assert server.answers()["/llms.txt"].plain.body == b"# Shop\n"
        assert server.answers()["/robots.txt"].plain.body.endswith(
            b"\n\n# BEGIN Website Optimization\nUser-agent: X\nDisallow: /\n# END Website Optimization\n"
        )
    finally:
        cms.stop()
        server.stop()


def test_a_write_to_the_demo_website_makes_one_page_and_not_all() -> None:
    server = start(FAULTY, tls=None, host="127.0.0.1")
    try:
        before = dict(server.answers())
        server.write("/shipping/", {"title": "Another"})
        assert [path for path, found in server.answers().items() if found is not before[path]] == ["/shipping/"]
    finally:
        server.stop()


def test_a_value_no_longer_kept_comes_from_the_service() -> None:
    undos = Undos()
    token = undos.token("First", "Second")
    for number in range(MOST):
        undos.token(f"Other {number}", None)
    assert undos.why_not(token, "Second", None) == undos.why_not(token, "Second", "Forged") == LOST
    assert undos.why_not(token, "Second", "First") is None and undos.value(token, "First") == "First"

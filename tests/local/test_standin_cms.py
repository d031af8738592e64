"""The stand-in for a CMS: that it keeps the protocol, that the demo website shows what is written, and its faults."""

import json
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from typing import Any
from urllib.parse import urlsplit

import pytest

from chalicelib.connectors.cms import HttpCms
from chalicelib.connectors.errors import Declined, NoAccess, Unavailable
from chalicelib.domain.connector.messages import Change, Field, Outcome
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
def test_the_cms_stand_in_follows_the_connector_protocol(
    check: Callable[[protocol.Subject], None], subject: Listed
) -> None:
    check(subject)


def test_the_cms_stand_in_counts_requests_and_writes(subject: Listed) -> None:
    cms = protocol.connect(subject)
    asked = protocol.change(subject, "title", "Once")
    cms.change(asked)
    cms.change(asked)
    assert subject.cms.counts == {"pair": 1, "changes": 2}
    assert subject.cms.writes == [("page:4", "title", "Once")]
    assert subject.cms.exchanges[-1].operation == "changes" and "x-wos-signature" in subject.cms.exchanges[-1].headers


def test_a_pairing_code_expires(subject: Listed) -> None:
    cms = HttpCms(subject.address, "wos_cn_" + "1" * 64)
    with pytest.raises(NoAccess, match="15 minutes"):
        cms.pair(subject.cms.code(seconds=-1), "site_1", protocol.BASE_URL, "key")


def test_the_cms_stand_in_fails_in_the_requested_way(subject: Listed) -> None:
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
    with pytest.raises(ValueError, match="not a fault"):
        subject.cms.misbehave("tired")
    assert FAULTS[0] == "none"


def test_hidden_writes_become_visible_after_the_cache_is_cleared(subject: Listed) -> None:
    cms = protocol.connect(subject)
    subject.cms.misbehave("hide_writes")
    outcome = cms.change(protocol.change(subject, "title", "Hidden"))
    assert outcome.state == "written" and outcome.caches[0].name == CACHE and not outcome.caches[0].cleared
    assert subject.shown("title") is None and subject.cms.value("page:4", "title") == "Hidden"
    subject.cms.misbehave("none")
    assert subject.shown("title") == "Hidden"


def test_the_demo_website_shows_written_values_immediately() -> None:
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


def test_a_write_to_the_demo_website_rebuilds_only_its_page() -> None:
    server = start(FAULTY, tls=None, host="127.0.0.1")
    try:
        before = dict(server.answers())
        server.write("/shipping/", {"title": "Another"})
        assert [path for path, found in server.answers().items() if found is not before[path]] == ["/shipping/"]
    finally:
        server.stop()


def test_a_forgotten_undo_token_is_accepted_only_with_the_value_that_it_stands_for() -> None:
    undos = Undos()
    token = undos.token("First", "Second")
    for number in range(MOST):
        undos.token(f"Other {number}", None)
    assert undos.why_not(token, "Second", None) == undos.why_not(token, "Second", "Forged") == LOST
    assert undos.why_not(token, "Second", "First") is None and undos.value(token, "First") == "First"


def keyed(cms: HttpCms, field: Field, key: str, value: str | None, **more: Any) -> Outcome:
    """The outcome of a change of an image or a redirect."""
    change = {"change_id": secrets.token_hex(8), "sequence": protocol.sequence(), "field": field, "key": key}
    return cms.change(Change(**{**change, "value": value, **more}))


def test_a_written_alt_text_is_shown_on_its_page_and_can_be_undone() -> None:
    server = start(FAULTY, tls=None, host="127.0.0.1")
    site = DemoSite(server)
    stand_in = Cms(site)
    try:
        item, entry = next((name, one) for name, one in site.entries().items() if len(site.images(name)) > 1)
        first, second = site.images(item)[:2]
        cms = HttpCms(stand_in.address, "wos_cn_" + "1" * 64)
        cms.pair(stand_in.code(), "site_1", protocol.BASE_URL, "key")
        before = server.answers()[urlsplit(entry.url).path].plain.body
        alts = [keyed(cms, "alt", key, 'A "tent" & <pegs>', cms_id=item, url=entry.url) for key in (first, second)]
        empty = keyed(cms, "alt", second, "", cms_id=item, url=entry.url)
        assert [one.before for one in (*alts, empty)] == [None, None, 'A "tent" & <pegs>']
        body = server.answers()[urlsplit(entry.url).path].plain.body
        assert body.count(b'alt="A &quot;tent&quot; &amp; &lt;pegs&gt;"') == 1 and b'alt=""' in body
        assert keyed(cms, "alt", f"{first}0", "X", cms_id=item, url=entry.url).state == "refused"
        for key, outcome in ((second, empty), (second, alts[1]), (first, alts[0])):
            assert keyed(cms, "alt", key, None, cms_id=item, url=entry.url, restore=outcome.undo).state == "written"
        assert server.answers()[urlsplit(entry.url).path].plain.body == before
    finally:
        stand_in.stop()
        server.stop()


def test_a_missing_address_is_redirected_until_the_undo() -> None:
    server = start(FAULTY, tls=None, host="127.0.0.1")
    stand_in = Cms(DemoSite(server))
    try:
        cms = HttpCms(stand_in.address, "wos_cn_" + "1" * 64)
        cms.pair(stand_in.code(), "site_1", protocol.BASE_URL, "key")
        source, target = f"{server.url}gone?x=1", server.url.rstrip("/") + server.pages[3]

        def redirect(key: str, value: str | None, **more: Any) -> Outcome:
            return keyed(cms, "redirect", key, value, cms_id=None, url=server.url.rstrip("/") + key, **more)

        def seen(address: str) -> tuple[int, str | None, str | None]:
            connection = HTTPConnection("127.0.0.1", server.port)
            parts = urlsplit(address)
            connection.request("GET", f"{parts.path}?{parts.query}")
            answer = connection.getresponse()
            found = answer.status, answer.getheader("Location"), answer.getheader("Cache-Control")
            connection.close()
            return found

        outcome = redirect("/gone?x=1", target)
        assert (outcome.state, outcome.after) == ("written", target)
        sent = json.loads(stand_in.exchanges[-1].body)
        assert (sent["cmsId"], sent["url"], sent["key"]) == (None, source, "/gone?x=1")
        assert seen(source) == (301, target, "max-age=3600")
        for key, value in (
            ("/", target),
            ("/wp-json/wp/v2/posts", target),
            ("/robots.txt", target),
            (server.pages[3], server.url),
            ("/other", source),
            ("/loop", f"{server.url}loop"),
            ("/away", "https://elsewhere.example/"),
            ("/spaces", f"{server.url}a b"),
        ):
            refused = redirect(key, value)
            assert refused.state == "refused" and refused.reason, key
        assert redirect("/gone?x=1", None, restore=outcome.undo).after is None
        assert seen(source)[0] == 404
        removed = server.url.rstrip("/") + "/regions/slate-edge/"
        assert seen(removed)[0] == 410
        server.write_redirects({"/regions/slate-edge/?": target})
        assert seen(removed)[:2] == (301, target)
    finally:
        stand_in.stop()
        server.stop()


@pytest.mark.parametrize(
    "change",
    [
        {"field": "title", "key": "https://shop.example/a.jpg 1"},
        {"field": "alt", "key": None},
        {"field": "alt", "key": "https://shop.example/a.jpg"},
        {"field": "alt", "key": f"https://shop.example/{'a' * 2_000} 1"},
        {"field": "redirect", "key": "/old"},
        {"field": "redirect", "key": "old", "cms_id": None},
        {"field": "redirect", "key": "/ö", "cms_id": None},
    ],
)
def test_a_change_with_an_invalid_key_is_refused(change: dict[str, Any], subject: Listed) -> None:
    cms = protocol.connect(subject)
    with pytest.raises(Declined, match="key"):
        keyed(cms, change.pop("field"), change.pop("key"), "X", **{"cms_id": "page:4", "url": subject.url, **change})
    assert subject.cms.writes == []


def test_each_item_field_and_key_has_its_own_sequence_numbers(subject: Listed) -> None:
    cms = protocol.connect(subject)
    first, second = subject.site.images(subject.item)[:2]
    at = {"cms_id": subject.item, "url": subject.url}
    assert keyed(cms, "alt", first, "New", **at, sequence=900).state == "written"
    assert keyed(cms, "alt", first, "Old", **at, sequence=899).state == "superseded"
    assert keyed(cms, "alt", second, "Other image", **at, sequence=899).state == "written"
    assert subject.site.alts[subject.item] == {first: "New", second: "Other image"}

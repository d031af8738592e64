"""Every address of the app that the service gives away opens a screen: in answers, events, mails, on the terminal."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import msgspec
import pytest

import chalicelib
from chalicelib import clock
from chalicelib.domain.accounts import sign_in
from chalicelib.domain.accounts.rights import OPERATOR
from chalicelib.domain.audit.crawl_events import CrawlEvents
from chalicelib.domain.audit.issues import Moved
from chalicelib.domain.audit.watched import CrawlerMove, Look, PageMove, Watched
from chalicelib.domain.changes.events import BatchEvents
from chalicelib.domain.connections import Source
from chalicelib.domain.mails import sign_in_mail
from chalicelib.domain.speed.events import finished
from chalicelib.domain.webhooks.kinds import EVENTS
from chalicelib.operations import access, endpoints, sessions
from chalicelib.rules import registry
from chalicelib.store import changes, jobs
from chalicelib.web import routing
from tests.api import seed
from tests.api.conftest import House
from tests.web import settings
from tests.web.conftest import Browser, signed_in
from tests.web.test_every_screen import path_of

APP = "https://seo.example.com/app"
EXAMPLES = Path(chalicelib.__file__).parent / "data" / "examples.json"


@pytest.fixture
def settled(house: House) -> House:
    seed.settled(house.site)
    seed.connected(house.site)
    return house


def links_of(value: Any) -> Iterator[str]:
    """The `link` members of an answer."""
    if isinstance(value, dict):
        yield from (link for name, link in value.items() if name == "link" and isinstance(link, str))
        value = list(value.values())
    for one in value if isinstance(value, list) else ():
        yield from links_of(one)


def route_of(link: str) -> str:
    """The route that a link of the recorded examples, or of ``APP``, leads to."""
    path = urlsplit(link).path.removeprefix("/app").strip("/")
    found = routing.match(path)
    assert found is not None and hasattr(found.route.module, "show"), link
    return found.route.path


def events(house: House) -> dict[str, str]:
    """The link of each event, made as it is made for what the house has."""
    site, now = house.site, clock.now()
    header, issue = seed.header(site), seed.book(site, 2).issues[0]
    score = seed.summary(5, 1).score
    assert score is not None
    before = msgspec.structs.replace(score.entry, site=score.entry.site - 100)
    crawl = CrawlEvents(header, site.host, APP, now, registry.TITLES_AND_SEVERITIES)
    loaded = changes.load(site.id, seed.BATCH)
    assert loaded is not None
    batch = BatchEvents(loaded.batch, site.host, APP, now)
    of_files = BatchEvents(msgspec.structs.replace(loaded.batch, issue_id=None), site.host, APP, now)
    written = [msgspec.structs.replace(loaded.changes[0], status=status) for status in ("applied", "failed")]
    source = Source(kind="search", name="n", account="a", connected_at=1.0, broken_since=1.0)
    look = Look(Watched(), [PageMove(site.url, "title", "a", "b")], [CrawlerMove("GPTBot", True, False, None)])
    run = jobs.get(site.id, seed.RUN)
    assert run is not None
    made = [
        *crawl.of_audit([Moved(issue, "resolved", 1), Moved(issue, "reopened", 1)], 1, before, score.entry),
        crawl.recheck_failed(issue, "still_present", 1, 1),
        *of_files.written(written),
        *batch.written(written),
        batch.not_live(written[:1]),
        finished(run, site.host, APP, now, result=None, error="a reason"),
        access.broken(site, "search", "2026-01-01", "a reason"),
        *access.stale(site, source, run)[1],
        *crawl.watched(look),
    ]
    assert {one.kind for one in made} == {one.name for one in EVENTS}, "of every kind one"
    return {f"{one.kind} {one.fields.get('issueIds', '')}": str(one.link) for one in made}


def test_every_link_in_the_recorded_answers_opens_its_screen(settled: House) -> None:
    routes = {route_of(link) for link in links_of(json.loads(EXAMPLES.read_text(encoding="utf-8")))}
    assert len(routes) >= 9
    browser = signed_in(settled)
    for route in (one for one in routing.ROUTES if one.path in routes):
        assert_opens(route, settled, browser)


def assert_opens(route: routing.Route, house: House, browser: Browser) -> None:
    """Signed in it is shown; else the way there leads through signing in."""
    path = path_of(route, house)
    assert browser.get(path).status == 200, path
    asked = Browser().get(path)
    assert asked.status == 303
    assert parse_qs(urlsplit(asked.location).query)["next"] == [path]


def test_every_link_of_an_event_opens_its_screen(settled: House) -> None:
    browser = signed_in(settled)
    for link in events(settled).values():
        path = urlsplit(link).path
        assert browser.get(path).status == 200, link
        assert Browser().get(path).status == 303


def test_the_link_of_a_ping_opens_its_endpoint(house: House) -> None:
    endpoint = settings.names_of(house)["endpointId"]
    sent = endpoints.ping(OPERATOR, house.workspace_id, endpoint)
    path = urlsplit(json.loads(sent.body)["link"]).path
    assert path.endswith(endpoint) and signed_in(house).get(path).status == 200


def test_links_in_mails_and_in_the_terminal_open_a_session(house: House) -> None:
    link = sign_in.address_of(APP, sessions.make_link(house.workspace_id, house.person_id))
    mail = sign_in_mail("owner@acme.example", link, 15)
    found = re.findall(rf"{APP}(\S+)", mail.text)
    assert found
    for path in found:
        assert Browser().get(f"/app{path}").status == 200

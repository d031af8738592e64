"""People have a page watched, or watched no more, from its own screen."""

import pytest

from chalicelib.domain import ids
from chalicelib.domain.accounts.rights import OPERATOR
from chalicelib.domain.audit.watched import MOST_CHOSEN
from chalicelib.operations import websites
from tests.api import seed
from tests.api.conftest import House
from tests.web.conftest import Browser, Screen, viewer


@pytest.fixture
def path(house: House) -> str:
    seed.audited(house.site)
    return f"/app/sites/{house.site.id}/pages/{ids.page_id(house.site.id, seed.url(house.site, 0))}"


def watched(house: House) -> tuple[str, ...]:
    return tuple(websites.existing(OPERATOR, house.site.id, "read").watched_pages or ())


def sent(screen: Screen) -> dict[str, str]:
    form = screen.dom.css_first("#watch form")
    assert form is not None, screen.main
    return {str(one.attributes["name"]): one.attributes.get("value") or "" for one in form.css("input[name]")}


def test_a_page_is_watched_and_watched_no_more(house: House, browser: Browser, path: str) -> None:
    asked = sent(browser.get(path))
    done = browser.follow(browser.post(path, asked))
    assert "Watched. Changes of the page" in done.main and watched(house) == (seed.url(house.site, 0),)
    assert browser.post(path, asked).status == 303 and len(watched(house)) == 1
    ended = browser.follow(browser.post(path, sent(done)))
    assert "Watched no more" in ended.main and watched(house) == ()
    assert browser.post(path, sent(done)).status == 303 and watched(house) == ()


def test_one_watched_page_over_the_limit_is_refused(house: House, browser: Browser, path: str) -> None:
    for number in range(1, MOST_CHOSEN + 1):
        websites.watch(OPERATOR, house.site.id, f"/other-{number}")
    refused = browser.post(path, sent(browser.get(path)))
    assert refused.status == 409 and "at most 50 watched pages" in refused.main
    assert len(watched(house)) == MOST_CHOSEN and seed.url(house.site, 0) not in watched(house)


def test_a_viewer_watches_nothing(house: House, browser: Browser, path: str) -> None:
    fields = sent(browser.get(path))
    client = viewer(house, house.site.id)
    assert not client.get(path).dom.css("#watch")
    token = client.get("/app/sessions").dom.css_first("input[name=token]").attributes["value"]
    assert client.post(path, fields | {"token": token}).status == 403 and watched(house) == ()

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


def test_a_page_can_be_watched_and_unwatched(house: House, browser: Browser, path: str) -> None:
    asked = sent(browser.get(path))
    done = browser.follow(browser.post(path, asked))
    assert "Watched. Changes of the page" in done.main and watched(house) == (seed.url(house.site, 0),)
    assert browser.post(path, asked).status == 303 and len(watched(house)) == 1
    ended = browser.follow(browser.post(path, sent(done)))
    assert "No longer watched" in ended.main and watched(house) == ()
    assert browser.post(path, sent(done)).status == 303 and watched(house) == ()


def test_watching_one_page_over_the_limit_is_refused(house: House, browser: Browser, path: str) -> None:
    for number in range(1, MOST_CHOSEN + 1):
        websites.watch(OPERATOR, house.site.id, f"/other-{number}")
    refused = browser.post(path, sent(browser.get(path)))
    assert refused.status == 409 and "at most 50 watched pages" in refused.main
    assert len(watched(house)) == MOST_CHOSEN and seed.url(house.site, 0) not in watched(house)


def test_pages_can_be_added_to_and_removed_from_the_watch_list(house: House, browser: Browser, path: str) -> None:
    listed = f"/app/sites/{house.site.id}/pages/watched"
    assert listed in browser.get(f"/app/sites/{house.site.id}/pages").text
    empty = browser.get(listed)
    assert "No page was chosen yet" in empty.main and "0 of 50" in empty.main
    for url in ("/new", seed.url(house.site, 0)):
        done = browser.follow(browser.post(listed, sent(browser.get(listed)) | {"url": url}))
    assert "The page is watched" in done.main and "2 of 50" in done.main and path in done.text
    for url, said in (("ftp://a", "is not an http or https address"), ("https://other.example/", "other.example")):
        refused = browser.post(listed, sent(done) | {"url": url})
        assert refused.status == 422 and said in refused.main and len(watched(house)) == 2
        assert sent(refused)["url"] == url
    form = done.dom.css_first("#list form")
    fields = {str(one.attributes["name"]): one.attributes.get("value") or "" for one in form.css("input[name]")}
    ended = browser.follow(browser.post(listed, fields))
    assert "no longer watched" in ended.main and len(watched(house)) == 1
    client = viewer(house, house.site.id)
    assert not client.get(listed).dom.css("main form") and "1 of 50" in client.get(listed).main


def test_a_viewer_cannot_watch_pages(house: House, browser: Browser, path: str) -> None:
    fields = sent(browser.get(path))
    client = viewer(house, house.site.id)
    assert not client.get(path).dom.css("#watch")
    token = client.get("/app/sessions").dom.css_first("input[name=token]").attributes["value"]
    assert client.post(path, fields | {"token": token}).status == 403 and watched(house) == ()

"""Changes are undone on a screen that says before what comes back: all, or some, once."""

from collections.abc import Iterator
from typing import Any

import pytest

from chalicelib import clock
from chalicelib.domain.changes.batch import Batch
from tests.api import conftest, seed
from tests.changes import House, open_house
from tests.web.conftest import Browser, Screen, signed_in, viewer
from tests.web.test_issue_approval import HOSTILE

VALUES = {"/a": "All about A", "/b": "All about B", "/c": HOSTILE}


@pytest.fixture
def house(store: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[House]:
    with open_house(monkeypatch) as found:
        found.cms.edit("page:/b", "title", "What /b had")
        yield found


@pytest.fixture
def people(house: House) -> conftest.House:
    return conftest.House(house.website.workspace_id, house.person_id, house.website, house.website, "")


@pytest.fixture
def browser(people: conftest.House) -> Browser:
    return signed_in(people)


def path_of(house: House, batch: Batch) -> str:
    return f"/app/sites/{house.site_id}/changes/{batch.id}"


def sent(screen: Screen, **changed: Any) -> dict[str, Any]:
    """What a browser sends of the form as it stands there, with these values."""
    form = screen.dom.css_first("main form[method=post]")
    assert form is not None
    fields: dict[str, Any] = {"tick": []}
    for one in form.css("input[name]"):
        name, value = str(one.attributes["name"]), str(one.attributes["value"])
        if one.attributes.get("type") != "checkbox":
            fields[name] = value
        elif "checked" in one.attributes:
            fields["tick"].append(value)
    return fields | changed


def undos(house: House) -> list[Batch]:
    return [batch for batch, _ in house.batches() if batch.kind == "undo"]


def test_an_undo_is_previewed_and_confirmed_and_shown_until_it_is_live(house: House, browser: Browser) -> None:
    batch = house.apply(VALUES)
    house.work()
    shown = browser.get(path_of(house, batch))
    link = next(one for one in shown.dom.css("main .does a") if one.text() == "Undo")
    screen = browser.get(str(link.attributes["href"]))
    assert "3 of 3 changes come back" in screen.main and "Undo 3 changes" in screen.main
    assert "What /b had" in screen.main and "no value of its own" in screen.main
    assert not screen.dom.css("script:not([src]), img"), "texts stay texts"
    followed = browser.follow(browser.post(f"{path_of(house, batch)}/undo", sent(screen)))
    assert "The undo is queued." in followed.main
    live = followed.dom.css_first("#batch")
    assert live is not None and "data-live" in live.attributes
    assert live.css_first("[aria-current]").text() == "Written"
    house.work()
    (undo,) = undos(house)
    ended = browser.get(path_of(house, undo))
    assert ended.dom.css_first("#batch[data-live]") is None and ended.dom.css_first("main [aria-current]") is None
    assert [house.held(path) for path in VALUES] == [None, "What /b had", None]
    again = browser.get(f"{path_of(house, batch)}/undo")
    assert "Nothing of this batch comes back." in again.main and not again.dom.css("main form[method=post]")


def test_a_change_that_is_not_live_yet_is_watched_for_ten_minutes(house: House, browser: Browser) -> None:
    house.cms.misbehave("hide_writes")
    batch = house.apply(VALUES)
    house.work()
    screen = browser.get(path_of(house, batch))
    assert screen.dom.css_first("#batch[data-live]") is not None
    assert screen.dom.css_first("main [aria-current]").text() == "Live"
    clock.set_offset(clock.offset() + 660)
    assert browser.get(path_of(house, batch)).dom.css_first("#batch[data-live]") is None


def test_a_single_change_can_be_undone_from_its_row(house: House, browser: Browser) -> None:
    batch = house.apply(VALUES)
    house.work()
    links = [one for one in browser.get(path_of(house, batch)).dom.css("a") if one.text() == "undo this one"]
    assert len(links) == 3
    screen = browser.get(str(links[1].attributes["href"]))
    assert sent(screen)["tick"] == ["1"] and "Undo 1 change" in screen.main
    browser.post(f"{path_of(house, batch)}/undo", sent(screen))
    house.work()
    assert house.statuses(batch) == {"/a": "applied", "/b": "reverted", "/c": "applied"}


def test_several_clicks_tabs_and_people_create_one_undo(house: House, browser: Browser, people: conftest.House) -> None:
    batch = house.apply(VALUES)
    house.work()
    path = f"{path_of(house, batch)}/undo"
    other = signed_in(people)
    first, second, third = browser.get(path), browser.get(path), other.get(path)
    fields = sent(first)
    answers = [browser.post(path, fields), browser.post(path, fields), browser.post(path, sent(second))]
    answers.append(other.post(path, sent(third, which="all")))
    assert len({one.location for one in answers}) == 1
    assert len(undos(house)) == 1


def sent_anew(browser: Browser, path: str) -> dict[str, Any]:
    """Of a screen that offers nothing any more, what a person might still send."""
    token = browser.get("/app/sessions").dom.css_first("input[name=token]").attributes["value"]
    return {"token": token, "nonce": "another", "which": "all"}


@pytest.mark.parametrize("tick", [[], ["x"], ["-1"], ["99999"]])
def test_an_undo_without_a_selection_is_reported_and_changes_nothing(
    house: House, browser: Browser, tick: list[str]
) -> None:
    batch = house.apply(VALUES)
    house.work()
    path = f"{path_of(house, batch)}/undo"
    refused = browser.post(path, sent(browser.get(path), tick=tick))
    assert refused.status == 422 and "Nothing is ticked." in refused.main
    assert sent(refused)["tick"] == []
    assert browser.post(path, sent(browser.get(path), tick=["7"])).status == 404
    assert undos(house) == []


def test_a_change_that_cannot_be_undone_gives_the_reason(
    house: House, browser: Browser, people: conftest.House
) -> None:
    batch = house.apply(VALUES)
    path = f"{path_of(house, batch)}/undo"
    assert "still being written" in browser.get(path).main
    house.work()
    assert "Undo 3 changes" in browser.get(path).main
    clock.set_offset(clock.offset() + 30 * 86_400 + 60)
    browser = signed_in(people)  # the session has ended
    late = browser.post(path, sent_anew(browser, path))
    assert late.status == 409 and "for 30 days" in late.main and undos(house) == []
    assert "Undo" not in [one.text() for one in browser.get(path_of(house, batch)).dom.css("main a")]
    assert browser.get(f"/app/sites/{house.site_id}/changes/batch_unknown/undo").status == 404


def test_a_viewer_sees_which_values_an_undo_would_restore_but_cannot_undo(house: House, people: conftest.House) -> None:
    batch = house.apply(VALUES)
    house.work()
    client = viewer(people, house.site_id)
    path = f"{path_of(house, batch)}/undo"
    screen = client.get(path)
    assert "3 of 3 changes come back" in screen.main and not screen.dom.css("main form[method=post], main button")
    assert client.post(path, sent_anew(client, path)).status == 403
    assert undos(house) == []


def test_a_file_can_be_undone_like_a_page(house: House, browser: Browser) -> None:
    batch = house.publish("# The shop\n")
    house.work()
    path = f"{path_of(house, batch)}/undo"
    screen = browser.get(path)
    assert "1 of 1 change comes back" in screen.main and "what the website itself says" in screen.main
    browser.post(path, sent(screen))
    house.work()
    assert house.shop.file("/llms.txt") is None


def test_the_largest_batch_is_shown_in_pages_of_limited_size(store: None) -> None:
    found = conftest.settle()
    seed.settled(found.site)
    seed.connected(found.site)
    batch = seed.written(found.site, "batch_large", count=500)
    screen = signed_in(found).get(f"/app/sites/{found.site.id}/changes/{batch.id}/undo")
    assert screen.status == 200 and len(screen.text.encode()) <= 80_000
    assert len(screen.dom.css("#changes tbody tr")) == 50 and screen.dom.css_first("a[rel=next]") is not None
    assert "499 stay as they are" in screen.main, "no record of what stood before is kept of them"

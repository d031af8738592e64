"""Alt texts of images, approved, written through the CMS, and looked for on the live page: that image, that place."""

from collections.abc import Iterator

import pytest

from chalicelib import clock
from chalicelib.domain import ids
from chalicelib.domain.accounts.rights import OPERATOR
from chalicelib.domain.webhooks import bodies
from chalicelib.operations import alt_texts, changes
from chalicelib.operations.errors import Refused
from chalicelib.store import content
from tests.changes import ALT, House, Picture, open_house
from tests.workers.audit.websites import audit

FOX = "A red fox sleeps in the snow beside a fence"
PICTURES = {
    "/a": [Picture("/fox.jpg", FOX), Picture("/den.jpg"), Picture("/fox.jpg", "Photo 2")],
    "/b": [Picture("/fox.jpg")],
    "/c": [Picture("/logo.png", alt="logo.png")],
}
NAMES = "SEO-IMG-003"  # the text is the name of a file


@pytest.fixture
def house(store: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[House]:
    with open_house(monkeypatch, pictures=PICTURES) as found:
        yield found


def listed(house: House, rule: str = ALT) -> alt_texts.Images:
    return alt_texts.look(house.current(), ids.issue_id(house.site_id, rule), offset=0, limit=20)


def alts(house: House, path: str) -> list[str | None]:
    """What the page shows, in order."""
    written = house.shop.alts.get(path, {})
    keys = house.shop.images(f"page:{path}")
    return [written.get(key, one.alt) for key, one in zip(keys, PICTURES[path], strict=True)]


def test_an_issue_lists_its_images_with_the_suggested_texts(house: House) -> None:
    found = listed(house)
    keys = [one.key for one in found.shown]
    assert keys == [house.url(key) for key in ("/fox.jpg 1", "/den.jpg 1", "/fox.jpg 2", "/fox.jpg 1")]
    assert [one.suggested for one in found.shown] == [FOX, None, None, None]
    assert {one.reason for one in found.shown} == {None} and (found.total, found.unlisted) == (4, 0)
    (named,) = listed(house, NAMES).shown
    assert (named.alt, named.suggested) == ("logo.png", None)


def test_approved_alt_texts_go_live_and_resolve_the_issue(house: House) -> None:
    batch = house.describe({("/a", "/fox.jpg 1"): FOX, ("/a", "/den.jpg 1"): "", ("/a", "/fox.jpg 2"): "Another fox"})
    house.write()
    assert [change.status for change in house.loaded(batch).changes] == ["applied"] * 3
    assert alts(house, "/a") == [FOX, "", "Another fox"] and alts(house, "/b") == [None]
    last = house.describe({("/b", "/fox.jpg 1"): "A fox"})
    house.work()
    assert house.issue(ids.issue_id(house.site_id, ALT)).status == "resolved"
    assert [change.status for change in house.loaded(last).changes] == ["applied"]
    fields = {item.cms_id: item.fields for item in content.load(house.site_id).items.values()}
    assert fields["page:/a"].title is None  # an alt text is no field of the item


def test_events_distinguish_the_images_of_one_page(house: House) -> None:
    house.cms.misbehave("hide_writes")
    house.describe({("/a", "/fox.jpg 1"): FOX, ("/a", "/fox.jpg 2"): FOX})
    house.work()
    for kind in ("write.applied", "write.not_live"):
        (event,) = house.events(kind)
        bodies.check(kind, event.fields)
        changes = event.fields["changes"]
        assert [(one["url"], one["value"]) for one in changes] == [(house.url("/a"), FOX)] * 2
        assert [one["key"] for one in changes] == [house.url("/fox.jpg 1"), house.url("/fox.jpg 2")]


def test_an_alt_text_that_is_a_file_name_is_replaced(house: House) -> None:
    house.describe({("/c", "/logo.png 1"): "Fox and Sons, since 1902"}, NAMES)
    house.work()
    assert alts(house, "/c") == ["Fox and Sons, since 1902"]
    assert house.issue(ids.issue_id(house.site_id, NAMES)).status == "resolved"


def test_an_undo_restores_only_its_own_images(house: House) -> None:
    batch = house.describe({("/a", "/fox.jpg 1"): FOX, ("/a", "/den.jpg 1"): ""})
    house.work()
    changes.undo(OPERATOR, house.site_id, batch.id, frozenset({1}))
    house.work()
    assert alts(house, "/a") == [FOX, None, None]
    assert [change.status for change in house.loaded(batch).changes] == ["applied", "reverted"]
    changes.undo(OPERATOR, house.site_id, batch.id)
    house.work()
    assert alts(house, "/a") == [None, None, None]
    undo = house.batches()[-1][1]
    assert [(change.status, change.key) for change in undo] == [("applied", house.url("/fox.jpg 1"))]
    assert house.issue(ids.issue_id(house.site_id, ALT)).status in ("open", "reopened")


def test_undoing_the_second_of_two_texts_restores_the_first_text(house: House) -> None:
    house.describe({("/c", "/logo.png 1"): "image.png"}, NAMES)
    house.work()
    later = house.describe({("/c", "/logo.png 1"): "Fox and Sons"}, NAMES)
    house.work()
    assert alts(house, "/c") == ["Fox and Sons"]
    house.undo(later)
    house.work()
    assert alts(house, "/c") == ["image.png"]


def test_a_repeated_approval_makes_one_batch_and_a_text_already_written_is_refused(house: House) -> None:
    first = house.describe({("/a", "/fox.jpg 1"): FOX})
    assert house.describe({("/a", "/fox.jpg 1"): FOX}).id == first.id
    other = house.describe({("/a", "/fox.jpg 2"): FOX})  # the same picture in another place
    assert other.id != first.id
    house.write()
    with pytest.raises(Refused) as refused:
        house.describe({("/a", "/fox.jpg 2"): FOX})
    assert refused.value.code == "no_changes"


def test_an_alt_text_that_the_page_does_not_show_is_not_live_with_a_reason(house: House) -> None:
    house.cms.misbehave("hide_writes")
    batch = house.describe({("/a", "/fox.jpg 1"): FOX, ("/a", "/den.jpg 1"): ""})
    house.write()
    for change in house.loaded(batch).changes:
        assert change.status == "not_live" and change.look is not None and change.look.value is None
        assert (change.look.reason or "").startswith("The page shows no text alternative.")
    house.cms.misbehave("none")


def test_an_image_that_is_no_longer_on_the_page_is_reported(house: House) -> None:
    batch = house.describe({("/b", "/fox.jpg 1"): FOX})
    house.shop._pictures = lambda path: ""  # type: ignore[method-assign]
    house.write()
    (change,) = house.loaded(batch).changes
    assert change.look is not None and (change.look.reason or "").startswith("The page does not show this image.")


def test_an_image_is_refused_with_a_reason_if_the_cms_does_not_show_it(house: House) -> None:
    batch = house.describe({("/b", "/fox.jpg 1"): FOX})
    house.shop.images = lambda item: []  # type: ignore[method-assign]
    house.write()
    (change,) = house.loaded(batch).changes
    assert change.status == "refused" and "The page shows no image" in (change.error or "")


@pytest.mark.parametrize(
    ("wanted", "code"),
    [
        ({}, "no_changes"),
        ({("/a", "/fox.jpg 3"): "A fox"}, "not_applied"),
        ({("/a", "/fox.jpg 1"): "x" * 513}, "not_applied"),
        ({("/a", "/fox.jpg 1"): "A fox\nin the snow"}, "not_applied"),
        ({("/a", "/fox.jpg 1"): "A fox \u202ein the snow"}, "not_applied"),
        ({("/elsewhere", "/fox.jpg 1"): "A fox"}, "not_a_cms_post"),
        ({("/c", "/logo.png 1"): "A fox"}, "not_applied"),
    ],
)
def test_an_invalid_text_or_image_is_refused_and_nothing_is_approved(
    house: House, wanted: dict[tuple[str, str], str], code: str
) -> None:
    with pytest.raises(Refused) as refused:
        house.describe(wanted)
    assert refused.value.code == code and house.batches() == []


def test_a_text_of_maximum_length_is_written(house: House) -> None:
    text = " ".join(["fox"] * 128)
    house.describe({("/a", "/fox.jpg 1"): f"{text}!"})
    house.write()
    assert len(text) == 511 and alts(house, "/a")[0] == f"{text}!"


def test_an_alt_text_can_be_approved_again_if_it_disappeared_from_the_page(house: House) -> None:
    first = house.describe({("/b", "/fox.jpg 1"): "A fox"})
    house.work()
    house.shop.alts.clear()
    clock.set_offset(clock.offset() + 3_600)
    audit(house.current())
    again = house.describe({("/b", "/fox.jpg 1"): "A fox"})
    assert again.id != first.id

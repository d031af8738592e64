"""Removing a canonical address: the CMS may not say whether an item has one."""

from collections.abc import Iterator

import msgspec
import pytest

from chalicelib import clock
from chalicelib.domain import ids
from chalicelib.domain.content import ContentFields
from chalicelib.operations import content
from chalicelib.operations.errors import Refused
from chalicelib.store import content as stored
from tests.changes import House, open_house
from tests.workers.audit.websites import audit

RULE = "SEO-TEC-014"  # the canonical address leads to no page


@pytest.fixture
def house(store: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[House]:
    """The CMS holds a canonical address that leads to no page, /a shows it, and the items come without their fields."""
    with open_house(monkeypatch) as found:
        bad = found.url("/gone-page")
        found.shop.extra["/a"] = f'<title>The title of a page</title><link rel="canonical" href="{bad}">'
        found.cms.edit("page:/a", "canonical", bad)
        audit(found.current())
        found.sync()
        forget_fields(found)
        assert found.issue(ids.issue_id(found.site_id, RULE)).status == "open"
        yield found


def forget_fields(house: House) -> None:
    items = stored.load(house.site_id).items.values()
    content.put(
        house.current(), [msgspec.structs.replace(one, fields=ContentFields()) for one in items], now=clock.now()
    )


def test_removing_a_canonical_succeeds_even_if_the_cms_reports_no_canonical(house: House) -> None:
    batch = house.apply({"/a": ""}, RULE)
    del house.shop.extra["/a"]
    house.write()
    assert house.statuses(batch) == {"/a": "applied"}
    assert house.held("/a", "canonical") is None


def test_a_canonical_is_not_removed_again_if_it_was_removed_since_the_audit(house: House) -> None:
    batch = house.apply({"/a": ""}, RULE)
    house.write()
    forget_fields(house)
    with pytest.raises(Refused) as refused:
        house.apply({"/a": ""}, RULE)
    assert refused.value.code == "no_changes"
    audit(house.current())
    house.sync()
    forget_fields(house)
    assert house.apply({"/a": ""}, RULE).id != batch.id, "the page still shows it"

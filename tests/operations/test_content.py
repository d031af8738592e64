"""What a CMS sends is kept whole, once, and by nobody else's leave."""

from threading import Thread

import pytest
from msgspec.structs import replace

from chalicelib.domain.accounts.rights import OPERATOR
from chalicelib.domain.content import SHOP_IDS, ContentItem, PublishedAddresses
from chalicelib.operations import accounts, content, websites
from chalicelib.operations.errors import Refused
from chalicelib.store import content as stored
from chalicelib.store import items, keys
from chalicelib.store.websites import Website
from tests import aws
from tests.content import content_item

NOW = 1_800_000_000.0


@pytest.fixture
def website(store: None) -> Website:
    workspace = accounts.create_workspace(OPERATOR, "Acme", "agency")
    return websites.add(OPERATOR, workspace.id, "https://example.com/")


def many(count: int, start: int = 0) -> list[ContentItem]:
    return [content_item(f"https://example.com/{number}") for number in range(start, start + count)]


def test_sending_the_same_content_again_writes_nothing(website: Website) -> None:
    assert content.put(website, many(40), now=NOW) == 40
    known = stored.load(website.id)
    assert {item.url for item in known.items.values()} == {item.url for item in many(40)}
    assert (known.version, known.synced_at) == (1, NOW)
    with aws.counted_calls() as calls:
        assert content.put(website, many(40), now=NOW + 5) == 40
    assert dict(calls) == {"BatchGetItem": 1}


def test_a_sync_writes_only_the_changed_blocks(website: Website) -> None:
    content.put(website, many(400), now=NOW)
    with aws.counted_calls() as calls:
        content.put(website, many(1, start=999), now=NOW)
    assert dict(calls) == {"BatchGetItem": 1, "TransactWriteItems": 1}
    assert len(stored.load(website.id).items) == 401


def test_published_addresses_are_stored_in_one_item(website: Website) -> None:
    content.put(website, many(500), now=NOW)
    found = items.batch_get([stored.published_key(website.id)])
    published = stored.published_of(found[stored.published_key(website.id)])
    assert published is not None and (len(published["cms"]), len(published["shop"])) == (500, 0)
    assert "https://example.com/7" in published["cms"] and "https://example.com/501" not in published["cms"]


def test_published_addresses_of_cms_and_shop_are_listed_separately(website: Website) -> None:
    items_of_shop = [replace(one, cms_id=f"{SHOP_IDS}Product/{one.cms_id}") for one in many(2, start=10)]
    content.put(website, [*many(3), *items_of_shop], now=NOW)
    found = items.batch_get([stored.published_key(website.id)])
    published = stored.published_of(found[stored.published_key(website.id)])
    assert published is not None and (len(published["cms"]), len(published["shop"])) == (3, 2)
    assert "https://example.com/10" in published["shop"] and "https://example.com/10" not in published["cms"]


def test_an_address_list_stored_by_an_earlier_release_is_used_for_both_cms_and_shop() -> None:
    published = stored.published_of({"data": PublishedAddresses.of(many(3)).packed})
    assert published is not None and (len(published["cms"]), len(published["shop"])) == (3, 3)
    assert stored.published_of(None) is None


def test_simultaneous_syncs_lose_no_content(website: Website) -> None:
    threads = [
        Thread(target=content.put, args=(website, many(20, start * 20)), kwargs={"now": NOW}) for start in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    known = stored.load(website.id)
    assert (len(known.items), known.version) == (80, 4)


def test_content_over_the_limit_is_refused_and_changes_nothing(
    website: Website, monkeypatch: pytest.MonkeyPatch
) -> None:
    content.put(website, many(10), now=NOW)
    monkeypatch.setattr(content, "MOST_ITEMS", 15)
    with pytest.raises(Refused) as refused:
        content.put(website, many(6, start=10), now=NOW)
    assert refused.value.code == "too_many_items"
    monkeypatch.setattr(stored, "MAX_BLOCK_BYTES", 50)
    with pytest.raises(Refused) as refused:
        content.put(website, many(1, start=10), now=NOW)
    assert refused.value.code == "too_many_items"
    assert len(stored.load(website.id).items) == 10


def test_removing_the_website_removes_its_content(website: Website) -> None:
    content.put(website, many(30), now=NOW)
    websites.remove(OPERATOR, website.id)
    assert items.query("pages", keys.content_partition(website.id))[0] == []


def test_a_written_value_updates_only_its_own_field_of_the_content(website: Website) -> None:
    first, second = many(2)
    content.put(website, [first, second], now=NOW)
    wrote = {
        (first.cms_id, "title"): "New",
        (first.cms_id, "noindex"): "true",
        (second.cms_id, "canonical"): None,
        ("unknown", "title"): "Gone",
    }
    content.written(website.id, wrote)
    after = stored.load(website.id)
    assert after.items.keys() == {first.cms_id, second.cms_id}
    fields = after.items[first.cms_id].fields
    assert (fields.title, fields.noindex, fields.canonical) == ("New", True, first.fields.canonical)
    assert after.items[second.cms_id].fields.canonical is None
    assert after.items[second.cms_id].title == second.title
    assert (after.synced_at, after.items[first.cms_id].modified_at) == (NOW, first.modified_at)
    content.written(website.id, wrote)
    assert stored.load(website.id).version == after.version

"""Content items: the later state stands, in whatever order states come; published addresses in eight bytes each."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chalicelib.domain.content import (
    DELETED,
    PUBLISHED,
    REMEMBERED_SECONDS,
    ContentItem,
    PublishedAddresses,
    merged,
)

NOW = 1_800_000_000.0


def item(cms_id: str, at: float | None, title: str = "A", status: str = PUBLISHED, url: str = "") -> ContentItem:
    url = url or f"https://example.com/{cms_id}"
    return ContentItem(cms_id=cms_id, url=url, type="post", status=status, title=title, modified_at=at)


@given(
    st.lists(
        st.tuples(st.sampled_from("abc"), st.integers(0, 9), st.sampled_from([PUBLISHED, "draft", DELETED])),
        unique_by=lambda state: state[:2],
    ),
    st.randoms(use_true_random=False),
)
def test_the_latest_version_of_an_item_wins_in_any_order(states: list[tuple[str, int, str]], random: object) -> None:
    sent = [item(cms_id, NOW - 10 + at, str(at), status) for cms_id, at, status in states]
    in_order = merged({}, sorted(sent, key=lambda one: one.modified_at or 0), NOW).items
    random.shuffle(sent)  # type: ignore[attr-defined]
    known: dict[str, ContentItem] = {}
    for one in sent:
        known = merged(known, [one], NOW).items
    assert known == in_order
    assert merged(known, sent, NOW).items == known


def test_among_versions_without_a_time_the_last_received_version_wins() -> None:
    known = merged({}, [item("a", NOW, "first")], NOW).items
    after = merged(known, [item("a", None, "second")], NOW)
    assert (after.items["a"].title, after.taken) == ("second", 1)
    older = merged(known, [item("a", NOW - 1, "older"), item("b", None)], NOW)
    assert (older.items["a"].title, older.taken) == ("first", 1)


def test_a_version_dated_in_the_future_does_not_block_later_versions() -> None:
    in_2099 = 4_000_000_000.0
    known = merged({}, [item("a", in_2099, "first")], NOW).items
    assert known["a"].modified_at is None
    assert merged(known, [item("a", NOW, "second")], NOW).items["a"].title == "second"
    frozen = {"a": item("a", in_2099, "as it was stored before")}
    assert merged(frozen, [item("a", NOW - 5, "second")], NOW).items["a"].title == "second"
    a_little = merged({}, [item("a", NOW + 299, "first")], NOW).items
    assert merged(a_little, [item("a", NOW, "older")], NOW).items["a"].title == "first"


def test_a_deletion_is_remembered_for_a_limited_time() -> None:
    known = merged({}, [item("a", NOW, status=DELETED)], NOW).items
    assert merged(known, [item("a", NOW - 5)], NOW + 60).items["a"].status == DELETED
    assert merged(known, [], NOW + REMEMBERED_SECONDS).items == {}


IN_2099 = 4_000_000_000.0


@pytest.mark.parametrize("at", [None, IN_2099, NOW + 600])
@pytest.mark.parametrize("known", [{}, {"a": item("a", NOW - 5)}], ids=["unknown", "published"])
def test_a_deletion_without_a_valid_time_is_also_forgotten(at: float | None, known: dict[str, ContentItem]) -> None:
    found = merged(known, [item("a", at, status=DELETED)], NOW).items
    assert merged(found, [], NOW + REMEMBERED_SECONDS - 1).items == found
    assert merged(found, [], NOW + REMEMBERED_SECONDS).items == {}


def test_a_repeated_deletion_is_also_forgotten() -> None:
    found: dict[str, ContentItem] = {}
    kept = []
    for day in range(9):
        found = merged(found, [item("a", None, status=DELETED)] if day < 6 else [], NOW + day * 86_400.0).items
        kept.append("a" in found)
    assert kept == [True] * 7 + [False] * 2


@pytest.mark.parametrize("at", [None, IN_2099])
def test_a_deletion_stored_by_an_older_version_is_also_forgotten(at: float | None) -> None:
    stored = {"a": item("a", at, status=DELETED)}
    found = merged(stored, [], NOW).items
    assert set(found) == {"a"} and merged(found, [], NOW + REMEMBERED_SECONDS).items == {}


def test_a_restored_item_behaves_as_if_it_had_never_been_deleted() -> None:
    found = merged({}, [item("a", None, status=DELETED)], NOW).items
    # Older than the service learned of the deletion: the CMS restored an item that it had not changed since.
    back = merged(found, [item("a", NOW - 86_400.0)], NOW + 60).items
    assert back == {"a": item("a", NOW - 86_400.0)}
    again = merged(back, [item("a", None, status=DELETED)], NOW + 120).items
    assert set(merged(again, [], NOW + REMEMBERED_SECONDS + 60).items) == {"a"}


@given(st.sets(st.text(max_size=5), max_size=40), st.sets(st.text(max_size=5), max_size=40))
def test_the_set_of_published_addresses_contains_published_items_and_no_drafts(
    published: set[str], others: set[str]
) -> None:
    items = [item(str(number), None, url=f"https://example.com/{path}") for number, path in enumerate(published)]
    items += [
        item(f"d{number}", None, status="draft", url=f"https://example.com/{path}")
        for number, path in enumerate(others)
    ]
    addresses = PublishedAddresses.of(items)
    assert len(addresses) == len(published)
    assert all(f"https://example.com/{path}" in addresses for path in published)
    assert not any(f"https://example.com/{path}" in addresses for path in others - published)
    assert "" not in PublishedAddresses()

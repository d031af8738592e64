"""Content items: the later state stands, in whatever order states come; published addresses in eight bytes each."""

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
def test_the_latest_state_stands_whatever_the_order(states: list[tuple[str, int, str]], random: object) -> None:
    sent = [item(cms_id, NOW - 10 + at, str(at), status) for cms_id, at, status in states]
    in_order = merged({}, sorted(sent, key=lambda one: one.modified_at or 0), NOW).items
    random.shuffle(sent)  # type: ignore[attr-defined]
    known: dict[str, ContentItem] = {}
    for one in sent:
        known = merged(known, [one], NOW).items
    assert known == in_order
    assert merged(known, sent, NOW).items == known


def test_where_the_cms_does_not_say_the_last_one_stands() -> None:
    known = merged({}, [item("a", NOW, "first")], NOW).items
    after = merged(known, [item("a", None, "second")], NOW)
    assert (after.items["a"].title, after.taken) == ("second", 1)
    older = merged(known, [item("a", NOW - 1, "older"), item("b", None)], NOW)
    assert (older.items["a"].title, older.taken) == ("first", 1)


def test_a_time_in_the_future_freezes_nothing() -> None:
    in_2099 = 4_000_000_000.0
    known = merged({}, [item("a", in_2099, "first")], NOW).items
    assert known["a"].modified_at is None
    assert merged(known, [item("a", NOW, "second")], NOW).items["a"].title == "second"
    frozen = {"a": item("a", in_2099, "as it was stored before")}
    assert merged(frozen, [item("a", NOW - 5, "second")], NOW).items["a"].title == "second"
    a_little = merged({}, [item("a", NOW + 299, "first")], NOW).items
    assert merged(a_little, [item("a", NOW, "older")], NOW).items["a"].title == "first"


def test_a_deletion_is_remembered_for_a_while() -> None:
    known = merged({}, [item("a", NOW, status=DELETED)], NOW).items
    assert merged(known, [item("a", NOW - 5)], NOW + 60).items["a"].status == DELETED
    assert merged(known, [], NOW + REMEMBERED_SECONDS).items == {}


@given(st.sets(st.text(max_size=5), max_size=40), st.sets(st.text(max_size=5), max_size=40))
def test_published_addresses_are_found_and_others_are_not(published: set[str], others: set[str]) -> None:
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

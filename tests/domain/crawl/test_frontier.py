"""The frontier: order, traps, checkpoints."""

from hypothesis import given
from hypothesis import strategies as st

from chalicelib.domain.crawl.frontier import MAX_DATE_VARIANTS, MAX_FACET_VARIANTS, Frontier


def everything(frontier: Frontier) -> list[str]:
    taken = []
    while (url := frontier.take()) is not None:
        taken.append(url)
    return taken


def test_addresses_are_crawled_in_the_order_of_discovery() -> None:
    frontier = Frontier(10)
    for name in "cab":
        frontier.add(f"https://site.test/{name}")
    assert everything(frontier) == [f"https://site.test/{name}" for name in "cab"]


def test_an_address_is_added_only_once() -> None:
    frontier = Frontier(10)
    assert frontier.add("https://site.test/a")
    assert not frontier.add("https://site.test/a")
    assert len(frontier) == 1
    assert frontier.skipped_traps == 0


def test_addresses_taken_from_the_frontier_but_not_recorded_are_taken_again() -> None:
    frontier = Frontier(10)
    for number in range(4):
        frontier.add(f"https://site.test/{number}")
    frontier.take()
    frontier.recorded = 1
    frontier.take()
    frontier.untake()
    assert frontier.take() == "https://site.test/1"


def test_an_endless_calendar_is_cut() -> None:
    frontier = Frontier(10)
    for year in range(1900, 2100):
        for month in range(1, 13):
            frontier.add(f"https://site.test/calendar/{year}/{month:02d}")
    assert len(frontier) == MAX_DATE_VARIANTS
    assert frontier.skipped_traps == 200 * 12 - MAX_DATE_VARIANTS


def test_dated_articles_are_not_treated_as_a_calendar() -> None:
    frontier = Frontier(1000)
    for number in range(1000):
        frontier.add(f"https://site.test/2024/05/17/article-{number}")
    assert len(frontier) == 1000


def test_addresses_with_combined_filters_are_limited_but_single_ids_are_not() -> None:
    frontier = Frontier(1000)
    for number in range(1000):
        frontier.add(f"https://site.test/shop?color={number}&size=2")
        frontier.add(f"https://site.test/item?id={number}")
    assert len(frontier) == MAX_FACET_VARIANTS + 1000


def test_repeating_paths_and_session_ids_are_crawler_traps() -> None:
    frontier = Frontier(10)
    assert not frontier.add("https://site.test/a/b/a/b/a/b/a/b/")
    assert not frontier.add("https://site.test/?PHPSESSID=abc")
    assert not frontier.add("https://site.test/?" + "&".join(f"p{n}=1" for n in range(12)))
    assert frontier.add("https://site.test/en/products/shoes/running/men/trail/light/")


@given(
    st.lists(st.sampled_from([f"/p/{n}" for n in range(30)] + [f"/c/2020-{n:02d}" for n in range(1, 13)])), st.data()
)
def test_a_frontier_restored_from_its_log_continues_after_the_last_recorded_address(
    paths: list[str], data: st.DataObject
) -> None:
    whole = Frontier(10)
    steps = []
    for path in paths:
        whole.add("https://site.test" + path)
        if data.draw(st.booleans()):
            if whole.take() is not None:
                whole.recorded += 1
            for step in whole.pending_steps():
                steps.append(step)
                whole.committed(step)
    steps += whole.pending_steps()
    whole.untake()
    again = Frontier(10)
    for step in steps:
        again.replay(step)
    assert again.urls == whole.urls
    assert everything(again) == everything(whole)
    assert again.add("https://site.test/new") and again.pending_steps()[0].added == ["https://site.test/new"]


LOWER, UPPER, PLAIN = (f"https://site.test/{name}" for name in ("%ed%95%9c", "%ED%95%9C", "page"))


def named(frontier: Frontier, *pages: dict[str, str]) -> Frontier:
    """Pages that name addresses, each with how it writes them."""
    for page in pages:
        before = len(frontier)
        for url in page:
            frontier.add(url)
        frontier.count(page, {url: written for url, written in page.items() if url != written}, before)
    return frontier


def test_an_address_is_requested_in_the_spelling_in_which_it_is_linked() -> None:
    frontier = named(Frontier(10), {UPPER: LOWER, PLAIN: PLAIN})
    assert everything(frontier) == [UPPER, PLAIN]
    assert (frontier.spelling(UPPER), frontier.spelling(PLAIN)) == (LOWER, PLAIN)


def test_the_most_linked_spelling_is_used_and_on_a_tie_the_alphabetically_first() -> None:
    assert named(Frontier(10), {UPPER: LOWER}, {UPPER: UPPER}).spelling(UPPER) == UPPER
    assert named(Frontier(10), {UPPER: UPPER}, {UPPER: LOWER}).spelling(UPPER) == UPPER
    assert named(Frontier(10), {UPPER: UPPER}, {UPPER: LOWER}, {UPPER: LOWER}).spelling(UPPER) == LOWER
    assert named(Frontier(10), {UPPER: LOWER}, {UPPER: LOWER}, {UPPER: UPPER}).spelling(UPPER) == LOWER


def test_a_frontier_restored_from_its_log_requests_the_same_spellings_as_before() -> None:
    first = named(Frontier(10), {PLAIN: PLAIN, UPPER: UPPER})
    steps = first.pending_steps()
    for step in steps:
        first.committed(step)
    named(first, {UPPER: LOWER}, {UPPER: LOWER})
    more = first.pending_steps()
    assert [step.spelled for step in more] == [{UPPER: LOWER}]
    first.committed(more[0])
    assert first.pending_steps()[0].spelled == {}
    again = Frontier(10)
    for step in [*steps, *more]:
        again.replay(step)
    assert again.spelling(UPPER) == LOWER


def test_a_frontier_log_entry_with_many_long_spellings_is_split() -> None:
    long = {f"https://site.test/{n}/" + "%ED" * 600: f"https://site.test/{n}/" + "%ed" * 600 for n in range(600)}
    steps = named(Frontier(1000), long).pending_steps()
    assert len(steps) > 1
    assert {url: written for step in steps for url, written in step.spelled.items()} == long

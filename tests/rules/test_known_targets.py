"""What targets answered is known as long as a page names them, whether this audit asked for them or an earlier one."""

from collections.abc import Sequence

import pytest

from chalicelib.domain.page.facts import Image, Link, TargetFacts
from chalicelib.rules.known_targets import Known, KnownTargets, key_of, learned
from tests.rules.builders import address, page

OLDEST = 1_000.0
ELSEWHERE = "https://elsewhere.example/"
HIDDEN = [("robots", "noindex")]


def target(url: str, status: int = 404, at: int = 2_000, **known: object) -> TargetFacts:
    own = not url.startswith(ELSEWHERE)
    return TargetFacts(url if not own else address(url), own, status, fetched_at=at, **known)  # type: ignore[arg-type]


def known(
    *links: str,
    asked: Sequence[TargetFacts] = (),
    earlier: Sequence[TargetFacts] = (),
    canonical: str | None = None,
    read_now: bool = False,
    images: Sequence[str] = (),
    pages: Sequence[str] = (),
) -> Known:
    """What is known once a page was noted that links these addresses."""
    canonicals = [] if canonical is None else [(canonical, address(canonical), "html")]
    facts = page(
        "/from",
        links=[Link(address(link)) for link in links if not link.startswith(ELSEWHERE)],
        external_links=[Link(link) for link in links if link.startswith(ELSEWHERE)],
        images=[Image(address(src)) for src in images],
        canonicals=canonicals,
    )
    found = KnownTargets(asked, earlier, OLDEST)
    found.note(facts, read_now=read_now)
    return found.finish({address(path) for path in pages})


def answers(of: Known) -> dict[str, int]:
    return {key.url: target.status for key, target in of.targets.items()}


def test_an_earlier_answer_is_kept_while_some_page_links_to_its_address() -> None:
    gone, elsewhere = target("/gone"), target(ELSEWHERE)
    for earlier in (gone, elsewhere):
        path = "/gone" if earlier is gone else ELSEWHERE
        assert known(path, earlier=[earlier]).carried == [earlier]
        assert known("/other", earlier=[earlier]) == Known({}, [])


@pytest.mark.parametrize(
    ("earlier", "pages"), [(target("/gone", at=999), ()), (target("/gone"), ("/gone",))], ids=["too old", "a page"]
)
def test_an_answer_is_dropped_if_it_is_too_old_or_its_address_is_a_page_now(
    earlier: TargetFacts, pages: Sequence[str]
) -> None:
    assert known("/gone", earlier=[earlier], pages=pages).carried == []


def test_a_current_answer_replaces_the_earlier_one() -> None:
    now = target("/gone", 200)
    assert known("/gone", asked=[now], earlier=[target("/gone")]) == Known({(now.url, False): now}, [])


def test_a_redirect_is_kept_together_with_the_answers_of_its_targets() -> None:
    hops = [target("/a", 301, redirect_to=address("/b")), target("/b", 301, redirect_to=address("/c")), target("/c")]
    assert answers(known("/a", earlier=hops)) == {address("/a"): 301, address("/b"): 301, address("/c"): 404}
    asked, *later = hops
    assert known("/a", asked=[asked], earlier=later).carried == later
    loop = [target("/a", 301, redirect_to=address("/b")), target("/b", 301, redirect_to=address("/a"))]
    assert known("/a", earlier=loop).carried == loop


def test_a_head_request_does_not_remove_robots_signals_read_earlier() -> None:
    earlier, head = target("/c", 200, robots_meta=HIDDEN), target("/c", 200, at=3_000)
    (carried,) = known("/c", asked=[head], earlier=[earlier]).carried
    assert (carried.robots_meta, carried.fetched_at) == (HIDDEN, 2_000)
    whole = known(canonical="/c", read_now=True, asked=[head], earlier=[earlier])
    assert whole == Known({(head.url, False): head}, []), "the page was asked for whole, and hides itself no more"
    moved = target("/c", 404, at=3_000)
    assert known("/c", asked=[moved], earlier=[earlier]).carried == []


def test_an_external_website_that_does_not_answer_keeps_its_last_answer() -> None:
    earlier = target(ELSEWHERE)
    for silent in (target(ELSEWHERE, 0, error="timeout"), target(ELSEWHERE, 403), target(ELSEWHERE, 429)):
        assert known(ELSEWHERE, asked=[silent], earlier=[earlier]).carried == [earlier]
    nameless = target(ELSEWHERE, 0, error="dns")
    assert known(ELSEWHERE, asked=[nameless], earlier=[earlier]).carried == []


def test_an_address_requested_as_a_link_and_as_an_image_keeps_two_answers() -> None:
    image, link = target("/a.png", 200, image=True, bytes=9), target("/a.png", 200)
    found = known("/a.png", images=["/a.png"], asked=[link], earlier=[image])
    assert found.carried == [image] and len(found.targets) == 2


def test_the_latest_of_several_earlier_answers_counts() -> None:
    gone, back = target("/c"), target("/c", 200, at=3_000)
    assert known("/c", earlier=[gone, back]).carried == [back]
    hidden, head = target("/c", 200, robots_meta=HIDDEN), target("/c", 200, at=4_000)
    assert known("/c", asked=[head], earlier=[hidden, back]).carried == [], "it hides itself no more"


def test_an_answer_counts_if_it_is_newer_than_the_stored_reading_of_the_page() -> None:
    found = KnownTargets([], [target("/old", at=2_000), target("/new", at=2_000), target("/a.png", image=True)], OLDEST)
    read_at = {address("/old"): 2_001, address("/new"): 2_000, address("/a.png"): 1_000}
    assert list(found.since(read_at)) == [address("/new")]


REDIRECT = {"redirect_to": address("/b")}


@pytest.mark.parametrize(
    ("now", "says", "kept"),
    [
        (target("/a", 200), target("/a"), True),
        (target("/a", 404), target("/a"), False),
        (target("/a", 301, **REDIRECT), target("/a", 301, redirect_to=address("/c")), True),
        (target("/a", 200), None, False),
        (target("/a", 500), target("/a"), False),
        (target("/a", 0, error="timeout"), target("/a"), False),
        (target("/a", 200, robots_meta=HIDDEN), target("/a", 200), False),
        (target("/a", 200), target("/a", 200, robots_meta=HIDDEN), True),
        (target("/a", 200, image=True, bytes=9), target("/a", 200, image=True, bytes=900), True),
        (target("/a", 500, image=True), target("/a", 200, image=True), True),
        (target(ELSEWHERE, 403), target(ELSEWHERE), False),
        (target(ELSEWHERE, 200), target(ELSEWHERE), True),
    ],
)
def test_only_changed_answers_are_stored(now: TargetFacts, says: TargetFacts | None, kept: bool) -> None:
    before = {} if says is None else {key_of(says): says}
    assert learned([now], before, {}, ()) == ([now] if kept else [])


def test_a_page_is_stored_again_if_its_status_changed() -> None:
    gone = page("/a", status=404, fetched_at=2_000)
    back = target("/a", 200, at=3_000)
    assert learned([back], {}, {gone.url: gone}, ()) == [back]
    assert learned([target("/a", at=3_000)], {}, {gone.url: gone}, ()) == []
    assert learned([back], {key_of(back): back}, {gone.url: gone}, ()) == [], "a recheck has learned it before"


def test_a_canonical_address_is_stored_when_its_robots_signals_change() -> None:
    shown, hidden = target("/c", 200), target("/c", 200, robots_meta=HIDDEN)
    assert learned([hidden], {key_of(shown): shown}, {}, {hidden.url}) == [hidden]


def test_a_new_redirect_is_stored_together_with_its_targets() -> None:
    hops = [target("/a", 301, **REDIRECT), target("/b", 301, redirect_to=address("/c")), target("/c", 200)]
    gone = target("/a")
    assert learned(hops, {key_of(gone): gone}, {}, ()) == hops
    assert learned(hops[1:], {key_of(gone): gone}, {}, ()) == []

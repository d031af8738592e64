"""What targets answered is known as long as a page names them, whether this audit asked for them or an earlier one."""

from collections.abc import Sequence

import pytest

from chalicelib.domain.page.facts import Image, Link, TargetFacts
from chalicelib.rules.known_targets import Known, KnownTargets
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


def test_an_earlier_answer_is_kept_as_long_as_a_page_names_the_target() -> None:
    gone, elsewhere = target("/gone"), target(ELSEWHERE)
    for earlier in (gone, elsewhere):
        path = "/gone" if earlier is gone else ELSEWHERE
        assert known(path, earlier=[earlier]).carried == [earlier]
        assert known("/other", earlier=[earlier]) == Known({}, [])


@pytest.mark.parametrize(
    ("earlier", "pages"), [(target("/gone", at=999), ()), (target("/gone"), ("/gone",))], ids=["too old", "a page"]
)
def test_an_answer_that_is_too_old_or_of_a_page_is_not_kept(earlier: TargetFacts, pages: Sequence[str]) -> None:
    assert known("/gone", earlier=[earlier], pages=pages).carried == []


def test_what_was_answered_now_counts_and_need_not_be_stored_again() -> None:
    now = target("/gone", 200)
    assert known("/gone", asked=[now], earlier=[target("/gone")]) == Known({(now.url, False): now}, [])


def test_where_a_redirect_leads_is_kept_with_it() -> None:
    hops = [target("/a", 301, redirect_to=address("/b")), target("/b", 301, redirect_to=address("/c")), target("/c")]
    assert answers(known("/a", earlier=hops)) == {address("/a"): 301, address("/b"): 301, address("/c"): 404}
    asked, *later = hops
    assert known("/a", asked=[asked], earlier=later).carried == later
    loop = [target("/a", 301, redirect_to=address("/b")), target("/b", 301, redirect_to=address("/a"))]
    assert known("/a", earlier=loop).carried == loop


def test_what_a_page_said_of_itself_is_kept_when_only_its_head_is_asked_for_now() -> None:
    earlier, head = target("/c", 200, robots_meta=HIDDEN), target("/c", 200, at=3_000)
    (carried,) = known("/c", asked=[head], earlier=[earlier]).carried
    assert (carried.robots_meta, carried.fetched_at) == (HIDDEN, 2_000)
    whole = known(canonical="/c", read_now=True, asked=[head], earlier=[earlier])
    assert whole == Known({(head.url, False): head}, []), "the page was asked for whole, and hides itself no more"
    moved = target("/c", 404, at=3_000)
    assert known("/c", asked=[moved], earlier=[earlier]).carried == []


def test_another_website_that_says_nothing_now_is_known_by_what_it_said() -> None:
    earlier = target(ELSEWHERE)
    for silent in (target(ELSEWHERE, 0, error="timeout"), target(ELSEWHERE, 403), target(ELSEWHERE, 429)):
        assert known(ELSEWHERE, asked=[silent], earlier=[earlier]).carried == [earlier]
    nameless = target(ELSEWHERE, 0, error="dns")
    assert known(ELSEWHERE, asked=[nameless], earlier=[earlier]).carried == []


def test_an_address_asked_for_as_an_image_is_known_as_an_image_too() -> None:
    image, link = target("/a.png", 200, image=True, bytes=9), target("/a.png", 200)
    found = known("/a.png", images=["/a.png"], asked=[link], earlier=[image])
    assert found.carried == [image] and len(found.targets) == 2

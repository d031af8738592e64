"""Which images an audit asks for."""

from chalicelib.domain.crawl.targets import IMAGES_PER_PAGE, TARGETS_PER_HOST, Plan, Target, TargetQueue
from chalicelib.domain.page.facts import Image, Link, PageFacts, TargetFacts

HOST = "example.com"


def plan(*pages: PageFacts, limit: int = 200, allowed: str = "/") -> Plan:
    """The plan for these pages; robots.txt lets in what begins with ``allowed``."""
    made = Plan(
        HOST,
        limit,
        read=(),
        unread=(),
        allowed=lambda url: url.startswith(f"https://{HOST}{allowed}"),
    )
    for page in pages:
        made.note(page)
    return made


def showing(*sources: str, path: str = "/") -> PageFacts:
    return PageFacts(f"https://{HOST}{path}", images=[Image(source) for source in sources])


def own(count: int, first: int = 0) -> list[str]:
    return [f"https://{HOST}/images/{number}.jpg" for number in range(first, first + count)]


def test_each_image_is_asked_for_once() -> None:
    made = plan(showing(*own(2)), showing(*own(3), path="/b"))
    assert made.targets() == [Target(url, "image") for url in own(3)]


def test_a_gallery_does_not_take_the_whole_limit() -> None:
    made = plan(showing(*own(100)), showing(*own(2, 500), path="/b"))
    assert [target.url for target in made.targets()] == [*own(IMAGES_PER_PAGE), *own(2, 500)]


def test_images_without_an_address_or_behind_robots_txt_are_not_asked_for() -> None:
    assert plan(showing("", *own(1)), allowed="/pages/").targets() == []


def test_one_other_host_is_asked_for_a_few_images_only() -> None:
    pages = [showing(*(f"https://cdn.test/{page}-{n}.jpg" for n in range(9)), path=f"/{page}") for page in range(9)]
    assert len(plan(*pages).targets()) == TARGETS_PER_HOST


def test_where_an_image_redirects_is_asked_for_as_an_image() -> None:
    first, second = own(2)
    queue = TargetQueue(plan(showing(first)))
    assert queue.take() == Target(first, "image")
    queue.record(TargetFacts(first, True, 302, redirect_to=second, image=True))
    assert queue.take() == Target(second, "image", 1)


def test_an_image_that_is_linked_too_is_asked_for_once_as_an_image() -> None:
    first, second = own(2)
    page = showing(first)
    page.links = [Link(first), Link(second)]
    assert plan(page).targets() == [Target(second, "link"), Target(first, "image")]

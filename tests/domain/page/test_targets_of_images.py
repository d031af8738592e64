"""Which images an audit asks for."""

import pytest

from chalicelib.domain.page import targets
from chalicelib.domain.page.facts import Image, Link, PageFacts, TargetFacts
from chalicelib.domain.page.targets import TARGETS_PER_HOST, AskedBefore, Plan, Target, TargetQueue

HOST = "example.com"


def plan(*pages: PageFacts, limit: int = 200, allowed: str = "/", asked_before: AskedBefore | None = None) -> Plan:
    """The plan for these pages; robots.txt lets in what begins with ``allowed``."""
    made = Plan(
        HOST,
        limit,
        read=(),
        unread=(),
        allowed=lambda url: url.startswith(f"https://{HOST}{allowed}"),
        asked_before=asked_before,
    )
    for page in pages:
        made.note(page)
    return made


def showing(*sources: str, path: str = "/") -> PageFacts:
    return PageFacts(f"https://{HOST}{path}", images=[Image(source) for source in sources])


def own(count: int, first: int = 0) -> list[str]:
    return [f"https://{HOST}/images/{number}.jpg" for number in range(first, first + count)]


def test_each_image_is_requested_once() -> None:
    made = plan(showing(*own(2)), showing(*own(3), path="/b"))
    assert made.targets() == [Target(url, "image") for url in own(3)]


def test_shared_images_are_requested_before_images_of_single_pages() -> None:
    logo = f"https://{HOST}/logo.svg"
    pages = [showing(*own(100), logo), showing(logo, *own(2, 500), path="/b"), showing(*own(2, 600), path="/c")]
    asked = [target.url for target in plan(*pages, limit=10).targets()]
    assert asked == [logo, *own(1), *own(1, 500), *own(1, 600), *own(1, 1), *own(1, 501), *own(1, 601), *own(1, 2)]


def test_repeated_images_on_one_page_count_once() -> None:
    rule, logo = own(2)
    made = plan(showing(*[rule] * 9), showing(logo, path="/b"), showing(logo, path="/c"))
    assert [target.url for target in made.targets()] == [logo, rule]


def test_the_number_of_images_that_were_not_requested_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    queue = TargetQueue(plan(showing(*own(100)), showing(*own(100), path="/b"), limit=10))
    assert queue.files_left() == 100
    queue.record(TargetFacts(own(1)[0], True, 302, redirect_to=own(1, 900)[0], image=True))
    while (target := queue.take()) is not None:
        queue.record(TargetFacts(target.url, True, 200, image=True))
    assert queue.files_left() == 92  # where the first one led to is no image of a page
    monkeypatch.setattr(targets, "MOST_INTERNAL", 40)
    queue = TargetQueue(plan(showing(*own(100)), showing(*own(100), path="/b")))
    assert queue.files_left() == 100 and len(plan(showing(*own(100))).targets()) == 40


def test_disallowed_images_and_images_without_an_address_are_not_requested() -> None:
    assert plan(showing("", *own(1)), allowed="/pages/").targets() == []


def test_another_host_gets_only_a_few_image_requests() -> None:
    pages = [showing(*(f"https://cdn.test/{page}-{n}.jpg" for n in range(9)), path=f"/{page}") for page in range(9)]
    assert len(plan(*pages).targets()) == TARGETS_PER_HOST


def test_the_target_of_an_image_redirect_is_requested_as_an_image() -> None:
    first, second = own(2)
    queue = TargetQueue(plan(showing(first)))
    assert queue.take() == Target(first, "image")
    queue.record(TargetFacts(first, True, 302, redirect_to=second, image=True))
    assert queue.take() == Target(second, "image", 1)


def test_an_image_that_is_also_linked_is_requested_once() -> None:
    first, second = own(2)
    page = showing(first)
    page.links = [Link(first), Link(second)]
    assert plan(page).targets() == [Target(second, "link"), Target(first, "image")]


def before(*sources: str) -> AskedBefore:
    """What is known of a website of 200 pages, which may be asked for 160 images."""
    own_host = f"https://{HOST}/"
    known = [TargetFacts(source, source.startswith(own_host), 200, image=True) for source in sources]
    return AskedBefore(known, 200)


def test_a_partial_audit_requests_known_images_first() -> None:
    def asked(known: int) -> list[str]:
        made = plan(showing(*own(300)), limit=200, asked_before=before(*own(known, 290)))
        return [target.url for target in made.targets()]

    assert asked(160) == own(10, 290), "there is no room for others"
    assert asked(150) == [*own(10, 290), *own(10)]
    assert asked(5) == [*own(5, 290), *own(155)]


def test_only_known_images_of_another_host_are_requested() -> None:
    there = [f"https://cdn.test/{number}.jpg" for number in range(40)]
    made = plan(showing(*there, *own(1)), asked_before=before(*there[10 : 10 + TARGETS_PER_HOST]))
    assert [target.url for target in made.targets()] == [*there[10 : 10 + TARGETS_PER_HOST], *own(1)]

"""Where elements end, as positions in document order."""

import random

import pytest

from chalicelib.domain.page.markup import Spans, tag_ids
from chalicelib.domain.page.tree import Found, parse

NAMES = ("article", "section", "div", "h2", "p", "header")
SPANNING = tag_ids("article")
ASKED = tag_ids("article h2 header")


def elements(html: str) -> Found:
    root, _, _ = parse(html, "text/html")
    assert root is not None
    return list(enumerate(root.traverse(), start=1))


def drawn(source: random.Random, nodes: int, deepest: int) -> str:
    """A page of nested and neighbouring elements."""
    pieces: list[str] = []
    opened: list[str] = []
    for _ in range(nodes):
        if opened and (len(opened) >= deepest or source.random() < 0.35):
            pieces.append(f"</{opened.pop()}>")
            continue
        name = source.choice(NAMES)
        pieces.append(f"<{name}>x")
        if name not in ("p", "h2"):
            opened.append(name)
    return "".join(pieces)


def check(html: str) -> int:
    """Asserts that a span is the same whether it is walked through or found among what is asked; gives how many."""
    everything = elements(html)
    found = [item for item in everything if item[1].tag_id in SPANNING]
    among = [item for item in everything if item[1].tag_id in ASKED]
    walked, quick = Spans(found), Spans(found, among)
    assert walked.starts == quick.starts
    assert [position in walked for position, _ in among] == [position in quick for position, _ in among]
    return len(found)


@pytest.mark.parametrize("seed", range(40))
def test_a_span_of_tags_contains_the_same_elements_as_a_walk_of_the_tree(seed: int) -> None:
    source = random.Random(seed)
    check(drawn(source, source.choice((10, 200, 2_000)), source.choice((3, 30, 400))))


@pytest.mark.parametrize("levels", [100, 255, 300, 500])
def test_spans_of_tags_are_correct_for_deeply_nested_pages(levels: int) -> None:
    inside = "<div>" * levels + "<h2>x</h2>" * 40 + "</div>" * levels
    assert check(f"<article>{inside}</article><h2>y</h2><article>{inside}</article><header>z</header>") == 2


def test_a_span_of_tags_can_contain_the_last_element_of_the_page() -> None:
    assert check("<h2>a</h2><article>" + "<p>x</p>" * 100 + "<h2>b</h2></article>") == 1
    assert check("<article>" + "<p>x</p>" * 100 + "</article>") == 1

"""Questions that a website's own headings ask."""

from chalicelib.domain.page.facts import PageFacts
from chalicelib.domain.visibility.proposals import of_headings


def page(path: str, *headings: tuple[int, str], lang: str | None = "en-GB") -> PageFacts:
    return PageFacts(url=f"https://acme.example/{path}", status=200, is_html=True, lang=lang, headings=list(headings))


def test_question_headings_are_proposed_once_and_sorted_by_pages() -> None:
    found = of_headings(
        [
            page("a", (1, "Our boots"), (2, "How do I clean  boots?"), (2, "Sizes"), (4, "Which soles are there?")),
            page("b", (3, "Which boots keep dry?"), (2, "Need help?")),
            page("c", (2, "which boots keep DRY?"), lang="xx-nonsense-1"),
            page("d", (2, "Wie pflege ich meine Schuhe?"), lang="de"),
            page("e", (2, "W" * 290 + " what is that long question about?")),
        ]
    )
    assert [(one.text, one.locale, one.source, one.weight) for one in found] == [
        ("Which boots keep dry?", "en-GB", "heading on https://acme.example/b", 2),
        ("How do I clean boots?", "en-GB", "heading on https://acme.example/a", 1),
        ("Wie pflege ich meine Schuhe?", "de", "heading on https://acme.example/d", 1),
    ]

"""The draft of llms.txt."""

import random
import re
import string

from hypothesis import given, settings
from hypothesis import strategies as st

from chalicelib.domain.page.facts import TextFile
from chalicelib.domain.readiness.draft import Candidate, draft_of
from chalicelib.domain.readiness.llms import kind_of
from chalicelib.domain.readiness.written import MOST_CHARACTERS
from chalicelib.rules.aeo.seo_aeo_006_007_llms_txt_content import faults_of
from tests.adversaries.cost import MOST_GROWTH, growth
from tests.rules.builders import page, site_of

SITE = "https://example.com/"
# How readers of the format find a link: what is in square brackets, then what is in round ones.
LINK = re.compile(r"^- \[([^\]]+)\]\(([^)]+)\)$", re.MULTILINE)


def candidate(path: str, title: str = "A page", depth: int | None = 1, inlinks: int = 1, **more: bool) -> Candidate:
    return Candidate(SITE + path, title, depth, inlinks, more.get("optional", False))


def test_pages_are_grouped_by_section_and_sorted_by_depth() -> None:
    draft = draft_of(
        "Example",
        "All there is.",
        [
            candidate("blog/b", "B", depth=2, inlinks=9),
            candidate("imprint", "Imprint", optional=True),
            candidate("", "Home", depth=0),
            candidate("blog/a", "A", depth=2, inlinks=3),
            candidate("en/our-shop/tents", "Tents", depth=1),
            candidate("de/our-shop/zelte", "Zelte", depth=None),
            candidate("alone/here", "Alone", depth=3),
            candidate("about", "About", depth=1),
        ],
    )
    assert draft.text == (
        "# Example\n\n> All there is.\n"
        f"\n## Pages\n\n- [Home]({SITE})\n- [About]({SITE}about)\n- [Alone]({SITE}alone/here)\n"
        f"\n## Our shop\n\n- [Tents]({SITE}en/our-shop/tents)\n- [Zelte]({SITE}de/our-shop/zelte)\n"
        f"\n## Blog\n\n- [B]({SITE}blog/b)\n- [A]({SITE}blog/a)\n"
        f"\n## Optional\n\n- [Imprint]({SITE}imprint)\n"
    )
    assert [(one.section, one.title) for one in draft.pages][:4] == [
        ("Pages", "Home"),
        ("Pages", "About"),
        ("Pages", "Alone"),
        ("Our shop", "Tents"),
    ]


def test_a_draft_without_pages_has_only_a_heading() -> None:
    assert draft_of("Example", None, []).text == "# Example\n"
    assert draft_of("\u200b", "", []).text == "# Website\n"


def test_markdown_characters_in_titles_and_addresses_are_escaped() -> None:
    draft = draft_of(
        "[A](b)\n# c",
        "> *x*\n\n# y &lt; AT&T",
        [
            candidate("a_(b)/c?d=[1]&e=f", "A [new](https://evil.example/) *page* <b>_`x`\n\n# Heading\u202e"),
            candidate("optional/a", ""),
            candidate("optional/b", " "),
        ],
    )
    assert draft.text == (
        "# &#91;A&#93;(b) # c\n\n> > \\*x\\* # y &amp;lt; AT&T\n\n## Pages\n\n"
        r"- [A &#91;new&#93;(https://evil.example/) \*page\* \<b>\_\`x\` # Heading]"
        f"({SITE}a_%28b%29/c?d=%5B1%5D&e=f)\n"
        f"\n## Optional pages\n\n- [/optional/a]({SITE}optional/a)\n- [/optional/b]({SITE}optional/b)\n"
    )
    assert draft.pages[0].url == f"{SITE}a_(b)/c?d=[1]&e=f"


_words = st.text(st.characters(exclude_categories=("Cs",)), max_size=60)
_paths = st.text(string.ascii_letters + "/-_.()[]?&=%", max_size=40)


@settings(max_examples=150)
@given(st.lists(st.tuples(_paths, _words, st.booleans()), max_size=12, unique_by=lambda one: one[0]), _words, _words)
def test_every_draft_is_a_valid_llms_txt(pages: list[tuple[str, str, bool]], name: str, summary: str) -> None:
    wanted = [candidate(path, title, optional=optional) for path, title, optional in pages]
    draft = draft_of(name, summary, wanted)
    assert draft == draft_of(name, summary, reversed(wanted))
    assert len(LINK.findall(draft.text)) == len(draft.pages) == len(pages)
    lines = draft.text.split("\n")
    assert lines[0].startswith("# ") and all(line[:1] in ("", "#", ">", "-") for line in lines)
    assert sum(line.startswith("#") for line in lines) == 1 + len({one.section for one in draft.pages})
    assert all(one.isprintable() for line in lines for one in line)


def test_a_draft_passes_the_llms_txt_check_of_the_audit() -> None:
    text = draft_of("Example", "What there is to say.", [candidate(f"p{number}", "A [b]") for number in range(9)]).text
    file = TextFile(SITE + "llms.txt", 200, text, len(text), "text/plain")
    assert kind_of(file) == "ok"
    assert list(faults_of(file, site_of([page("/")]))) == []


def many(count: int) -> list[Candidate]:
    made = [
        candidate(f"section-{number % 40}/page-{number}", f"Title {number} of [many]", number % 7, number % 11)
        for number in range(count)
    ]
    random.Random(4).shuffle(made)
    return made


def test_a_draft_of_many_pages_is_nearly_as_long_as_allowed_and_not_longer() -> None:
    draft = draft_of("Example", None, many(20_000))
    assert MOST_CHARACTERS - 200 < len(draft.text) <= MOST_CHARACTERS
    depths = {int(one.url.rpartition("-")[2]) % 7 for one in draft.pages}
    assert depths == {0}, "the nearest first"


def test_an_address_that_does_not_fit_is_skipped_and_others_are_kept() -> None:
    pages = [candidate("x" * 59_980, depth=0), candidate("a", depth=1)]
    assert [one.url for one in draft_of("Example", None, pages).pages] == [SITE + "a"]


def test_creating_a_draft_takes_linear_time() -> None:
    pages = many(24_000)
    factor, _ = growth(
        lambda data: draft_of("Example", None, pages[: len(data)]), [b"x" * size for size in (6_000, 12_000, 24_000)]
    )
    assert factor <= MOST_GROWTH

"""The first paragraphs of the main text, from which descriptions are taken."""

import pytest

from chalicelib.domain.page.extract_paragraphs import LONGEST, MOST
from tests.domain.page.reading import page, read

TEXT = "Our tents for winter stand through any storm that a mountain can send to them."
MORE = "Every seam of them is taped by hand in our own workshop and repaired for free."


def paragraphs(body: str) -> list[str]:
    return read(page("", body)).paragraphs


def test_the_first_paragraphs_are_kept_in_order_with_one_space() -> None:
    body = f"<main><h1>Tents</h1><p>{TEXT}</p><p>Short.</p><div><p>{MORE[:30]}\n <em>{MORE[30:]}</em></p></div></main>"
    assert paragraphs(body) == [TEXT, MORE]


def test_at_most_three_are_kept_and_long_ones_are_cut_between_words() -> None:
    assert paragraphs(f"<p>{TEXT}</p>" * 9) == [TEXT] * MOST
    (cut,) = paragraphs(f"<p>It is so. {'word ' * 200}</p>")
    assert len(cut) <= LONGEST and cut.endswith("word")


@pytest.mark.parametrize(
    "elsewhere",
    [
        "<nav><p>{}</p></nav>",
        "<aside><p>{}</p></aside>",
        "<form><p>{}</p></form>",
        "<figure><figcaption><p>{}</p></figcaption></figure>",
        "<table><tr><td><p>{}</p></td></tr></table>",
        "<blockquote><p>{}</p></blockquote>",
        "<ul><li><p>{}</p></li></ul>",
        "<header><p>{}</p></header>",
        "<footer><p>{}</p></footer>",
        "<div class='cookie-notice'><div><p>{}</p></div></div>",
        "<div id=newsletter><p>{}</p></div>",
        "<p class='byline'>{}</p>",
        "<p hidden>{}</p>",
        "<div style='display:none'><p>{}</p></div>",
        "<p>{} <code>for tent in tents: tent.open(); tent.dry(); tent.close()</code></p>",
        "<p>Tents of all kinds and sizes | Poles and pegs | Bags for winter and summer | About us</p><aside>{}</aside>",
        "<pre><p>{}</p></pre>",
    ],
)
@pytest.mark.parametrize("around", ["{}", "<article>{}</article>"])
def test_what_is_no_text_of_the_page_is_left_out(elsewhere: str, around: str) -> None:
    found = paragraphs(around.format(elsewhere.format(MORE)) + f"<p>{TEXT}</p>")
    if "<header>" in elsewhere and "article" in around:
        assert found == [MORE]  # what introduces an article belongs to it; without <main> it is the main text
    elif "article" in around:
        assert found == []  # the only article is the main text
    else:
        assert found == [TEXT]


def test_the_header_of_an_article_belongs_to_it() -> None:
    body = f"<header><p>{TEXT}</p></header><main><article><header><p>{MORE}</p></header></article></main>"
    assert paragraphs(body) == [MORE]


def test_a_paragraph_goes_on_behind_a_line_break_and_ends_where_the_next_block_begins() -> None:
    assert paragraphs(f"<p>{TEXT}<br>{MORE}</p><div>Behind it</div>") == [f"{TEXT} {MORE}"]


def test_addresses_are_masked() -> None:
    (found,) = paragraphs(f"<p>{TEXT} Write to ann.example@tents.example about it.</p>")
    assert "a***@***" in found and "ann.example" not in found


def test_names_that_are_set_as_code_stay_in_their_sentence() -> None:
    assert paragraphs(
        "<p>The command <code>dpkg -i</code> unpacks a package, and <kbd>apt</kbd> fetches it before.</p>"
    ) == ["The command dpkg -i unpacks a package, and apt fetches it before."]


def test_boxes_of_text_are_paragraphs_where_the_page_has_no_others() -> None:
    assert paragraphs(f"<main><div><div>{TEXT}</div><div>{MORE}<ul><li>Pegs</li></ul></div></div></main>") == [
        TEXT,
        MORE,
    ]
    assert paragraphs(f"<main><div>{MORE}</div><p>{TEXT}</p></main>") == [TEXT]
    assert paragraphs(f"<nav><div>{TEXT}</div></nav><div class='cookie-bar'><div>{MORE}</div></div>") == []


@pytest.mark.parametrize(
    "layout",
    ["elementor-widget-container", "so-widget-sow-editor", "site has-sidebar", "content-sidebar-wrap", "with-sidebar"],
)
def test_a_layout_that_builders_call_after_its_parts_is_read(layout: str) -> None:
    assert paragraphs(f"<div class='{layout}'><h1>Tents</h1><p>{TEXT}</p></div>") == [TEXT]


@pytest.mark.parametrize("box", ["sidebar", "widget area", "notice"])
def test_a_box_that_is_called_so_is_not(box: str) -> None:
    assert paragraphs(f"<h1>Tents</h1><p>{TEXT}</p><div class='{box}'><p>{MORE}</p></div>") == [TEXT]

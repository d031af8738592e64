"""The first paragraphs of the main text, from which descriptions are taken."""

import pytest

from chalicelib.domain.page import extract_paragraphs
from chalicelib.domain.page.extract_paragraphs import LONGEST, MOST
from tests.domain.page.reading import page, read

TEXT = "Our tents for winter stand through any storm that a mountain can send to them."
MORE = "Every seam of them is taped by hand in our own workshop and repaired for free."


def paragraphs(body: str) -> list[str]:
    return read(page("", body)).paragraphs


def test_the_first_paragraphs_are_kept_in_order_with_normalised_spaces() -> None:
    body = (
        f"<main><h1>Tents</h1><p>{TEXT}</p><p>Too short.</p><div><p>{MORE[:30]}\n <em>{MORE[30:]}</em></p></div></main>"
    )
    assert paragraphs(body) == [TEXT, MORE]


def test_at_most_eight_paragraphs_are_kept_and_long_ones_are_cut() -> None:
    assert paragraphs(f"<p>{TEXT}</p>" * 9) == [TEXT] * MOST
    (cut,) = paragraphs(f"<p>It is so. {'word ' * 200}</p>")
    assert len(cut) <= LONGEST and cut.endswith("word")


def test_a_quotation_below_the_main_heading_is_the_lead_of_the_page() -> None:
    lead = f"<h1>Tents</h1> <blockquote><p>{TEXT}</p></blockquote>"
    assert paragraphs(f"{lead}<p>{MORE}</p><blockquote><p>{MORE}</p></blockquote>") == [TEXT, MORE]
    assert paragraphs(f"<h1>Tents</h1><p>{MORE}</p><blockquote><p>{TEXT}</p></blockquote>") == [MORE]
    assert paragraphs(f"<nav>{lead}</nav><p>{MORE}</p>") == [MORE]
    for said in (f"“{TEXT}”", f"{TEXT} So we like it.", f"{TEXT} <cite>Ada</cite>"):
        assert paragraphs(f"<h1>Tents</h1><blockquote><p>{said}</p></blockquote><p>{MORE}</p>") == [MORE], said


def test_a_long_quotation_below_the_main_heading_is_searched_once(monkeypatch: pytest.MonkeyPatch) -> None:
    searched = []
    is_lead = extract_paragraphs._is_lead
    monkeypatch.setattr(extract_paragraphs, "_is_lead", lambda box: searched.append(box) or is_lead(box))
    voices = "".join(f"<p>So we say of tent {number} that it stands in snow.</p>" for number in range(40))
    assert paragraphs(f"<h1>Tents</h1><blockquote>{voices}</blockquote><p>{MORE}</p>") == [MORE]
    assert len(searched) == 1


def test_white_space_around_code_is_kept_and_none_is_added() -> None:
    body = (
        "<p>Open the tent's <b>menu:</b> <code>pitch</code> <i>or</i> <code>dry</code>, (<code>stow</code>)-able.</p>"
    )
    assert paragraphs(body) == ["Open the tent's menu: pitch or dry, (stow)-able."]


def test_elements_that_a_page_invents_belong_to_the_line_as_browsers_show_them() -> None:
    facts = read(page("", f"<h1><n>Winter</n> tents</h1><p>Our <v>tents</v>{TEXT[9:]}</p><my-card>{MORE}</my-card>"))
    assert facts.paragraphs == [TEXT]
    assert facts.headings == [(1, "Winter tents")]
    assert paragraphs(f"<p>Tents stand: <my-box>{TEXT}</my-box></p>") == []  # a style may set it apart


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
def test_text_outside_the_main_content_is_not_a_paragraph(elsewhere: str, around: str) -> None:
    found = paragraphs(around.format(elsewhere.format(MORE)) + f"<p>{TEXT}</p>")
    if "<header>" in elsewhere and "article" in around:
        assert found == [MORE]  # what introduces an article belongs to it; without <main> it is the main text
    elif "article" in around:
        assert found == []  # the only article is the main text
    else:
        assert found == [TEXT]


def test_the_header_of_an_article_belongs_to_the_article() -> None:
    body = f"<header><p>{TEXT}</p></header><main><article><header><p>{MORE}</p></header></article></main>"
    assert paragraphs(body) == [MORE]


def test_a_paragraph_continues_after_a_line_break_and_ends_at_the_next_block() -> None:
    assert paragraphs(f"<p>{TEXT}<br>{MORE}</p><div>Behind it</div>") == [f"{TEXT} {MORE}"]


def test_email_addresses_in_paragraphs_are_masked() -> None:
    (found,) = paragraphs(f"<p>{TEXT} Write to ann.example@tents.example about it.</p>")
    assert "a***@***" in found and "ann.example" not in found


def test_inline_code_stays_in_its_sentence() -> None:
    assert paragraphs(
        "<p>The command <code>dpkg -i</code> unpacks a package, and <kbd>apt</kbd> fetches it before.</p>"
    ) == ["The command dpkg -i unpacks a package, and apt fetches it before."]


def test_a_paragraph_with_a_long_inline_code_sample_is_left_out() -> None:
    sample = "for tent in tents: tent.open(); tent.dry(); tent.close()"
    assert paragraphs(f"<p>{TEXT} <code>{sample}</code> {MORE}</p>") == []
    assert paragraphs(f"<div>{TEXT}<pre>{sample}</pre>{MORE}</div>") == [TEXT, MORE]
    assert paragraphs(f"<div>{TEXT}<pre><code>{sample}</pre></code><p>{MORE}</p></div>") == [TEXT, MORE]  # misnested


def test_text_in_divs_and_outside_any_element_counts_as_paragraphs() -> None:
    assert paragraphs(f"<main><div><div>{TEXT}</div><div>{MORE}<ul><li>Pegs</li></ul></div></div></main>") == [
        TEXT,
        MORE,
    ]
    assert paragraphs(f"<main><div>{MORE}</div><p>{TEXT}</p></main>") == [MORE, TEXT]
    assert paragraphs(f"<h1>Tents</h1><h3>What they are</h3>{TEXT}<h3>How</h3>{MORE} <b>Yes</b>.") == [
        TEXT,
        f"{MORE} Yes.",
    ]
    assert paragraphs(f"<nav><div>{TEXT}</div></nav><div class='cookie-bar'><div>{MORE}</div></div>") == []
    assert paragraphs(f"<ul><li>{TEXT}</li><li>{MORE}</li></ul><table><tr><td>{TEXT}</td></tr></table>") == []


def test_a_div_in_the_only_list_item_is_a_paragraph() -> None:
    assert paragraphs(f"<ul> <li><hr><div>{TEXT}</div></li> </ul>") == [TEXT]
    assert paragraphs(f"<ul><li><div>{TEXT}</div></li><li><div>{MORE}</div></li></ul>") == []


def test_a_summary_element_outside_details_is_a_paragraph() -> None:
    assert paragraphs(f"<summary><p>{TEXT}</p></summary>") == [TEXT]
    assert paragraphs(f"<div><summary><div>{TEXT}</div><p>{MORE}</p></summary></div>") == [TEXT, MORE]
    assert paragraphs(f"<details><summary><p>{TEXT}</p></summary><p>{MORE}</p></details>") == [MORE]
    assert paragraphs(f"<aside><summary><p>{TEXT}</p></summary></aside>") == []


def test_a_line_consisting_of_the_page_name_a_dash_and_text_is_a_paragraph() -> None:
    line = "tent-pitch - set up a tent for the night"
    assert paragraphs(f"<h2>Name</h2><p>tent-pitch -\n set up a tent for the night</p><p>{TEXT}</p>") == [line, TEXT]
    assert paragraphs(f"<table><tr><td><p>{line}</p></td></tr></table>") == [line]
    assert paragraphs(f"<nav><p>{line}</p></nav><ul><li><p>{line}</p></li></ul>") == []


def test_each_paragraph_stores_the_number_of_headings_before_it() -> None:
    body = f"<h1>Tents</h1><h2>Name</h2><p>{TEXT}</p><p>{MORE}</p><h2>Use</h2><h3>Now</h3><p>{TEXT}</p>"
    facts = read(page("", body))
    assert (facts.paragraphs, facts.sections) == ([TEXT, MORE, TEXT], [0, 0, 2])


@pytest.mark.parametrize(
    "heading", ["Constant Summary", "Instance methods", "See also", "Licence", "3.1 Examples", "Bugs", "Lizenz"]
)
def test_text_below_the_heading_of_an_appendix_is_left_out(heading: str) -> None:
    assert paragraphs(f"<h1>Tents</h1><p>{TEXT}</p><h2>{heading}</h2><p>{MORE}</p>") == [TEXT]
    assert paragraphs(f"<h1>{heading}</h1><p>{MORE}</p>") == [MORE]  # what the page is about
    assert paragraphs(f"<h1>Tents</h1><p>{TEXT}</p><h2>{heading} of a long night</h2><p>{MORE}</p>") == [TEXT, MORE]


@pytest.mark.parametrize(
    "layout",
    ["elementor-widget-container", "so-widget-sow-editor", "site has-sidebar", "content-sidebar-wrap", "with-sidebar"],
)
def test_layout_boxes_are_read_even_if_a_page_builder_names_them_sidebar(layout: str) -> None:
    assert paragraphs(f"<div class='{layout}'><h1>Tents</h1><p>{TEXT}</p></div>") == [TEXT]


@pytest.mark.parametrize("box", ["sidebar", "widget area", "notice", "note", "admonition warning", "versionadded"])
def test_text_in_sidebars_and_notices_is_not_a_paragraph(box: str) -> None:
    assert paragraphs(f"<h1>Tents</h1><p>{TEXT}</p><div class='{box}'><p>{MORE}</p></div>") == [TEXT]


@pytest.mark.parametrize(
    ("inside", "kept"),
    [
        ("Our tents <span hidden>press the key</span> stand through any storm that a mountain can send.", None),
        ("Our <b><i style='display:none'>old</i></b> tents stand through any storm that a mountain sends.", None),
        ("Our tents <span hidden=until-found>of linen</span> stand through any storm of all mountains.", "of linen"),
        ("Our tents <span hidden>&nbsp;→ </span> stand through any storm that a mountain can send.", "Our tents stand"),
        ("Our tents <i aria-hidden=true>tent</i> stand through any storm that a mountain can send.", "Our tents stand"),
        (f"{TEXT}<span hidden>Copied to the clipboard</span>", TEXT),
        (f"{TEXT} <span hidden>Copied to the clipboard</span> {MORE}", f"{TEXT} {MORE}"),
        (f"<span hidden>Copied to the clipboard</span>{TEXT}", TEXT),
    ],
)
def test_a_sentence_with_hidden_words_is_left_out(inside: str, kept: str | None) -> None:
    found = paragraphs(f"<main><h1>Tents</h1><p>{inside}</p><p>{MORE}</p></main>")
    assert found[-1] == MORE and len(found) == (1 if kept is None else 2)
    assert kept is None or (kept in found[0] and "\x1c" not in found[0])


def test_many_hidden_words_are_processed_quickly() -> None:
    hidden = "<span hidden>word</span> " * 20_000
    assert paragraphs(f"<p>{TEXT[:-1]} {hidden}</p><p>{MORE}</p>") == [MORE]  # the sentence has no stop
    assert paragraphs(f"<p>{TEXT} {hidden}</p><p>{MORE}</p>") == [TEXT, MORE]
    assert paragraphs(f"<p>{TEXT[:-1]} {hidden}here.</p><p>{MORE}</p>") == [MORE]


def test_hidden_words_are_removed_from_text_and_lists() -> None:
    links = "".join(f"<li><a href=/{n}>Tent <span hidden>old</span>number {n}</a></li>" for n in "abc")
    facts = read(page("", f"<main><p>Tents <b hidden>of linen</b> here.</p><ul>{links}</ul></main>"))
    assert facts.text == "Tents here. Tent number a Tent number b Tent number c"
    assert facts.listed == ["Tent number a", "Tent number b", "Tent number c"]

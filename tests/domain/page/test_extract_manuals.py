"""What manuals and other generated websites write, as found on real ones (docs/real-websites.md)."""

import pytest

from tests.domain.page.reading import page, read

WORDS = " ".join(f"word{number}" for number in range(20))


@pytest.mark.parametrize("sign", ["¶", "#", "§", "🔗"])
def test_a_self_link_inside_a_heading_is_not_part_of_its_text(sign: str) -> None:
    facts = read(page("", f"<h1>Tuple Objects<a class=headerlink href='#tuple'>{sign}</a></h1>"))
    assert facts.headings == [(1, "Tuple Objects")]


def test_a_hash_or_section_sign_in_the_text_of_a_heading_is_kept() -> None:
    facts = read(
        page("", "<h1>Learn C#</h1><h2><a href='/c'>Learn C#</a></h2><h2>Law of <a href='#law'>§</a> 5 #</h2>")
    )
    assert [text for _, text in facts.headings] == ["Learn C#", "Learn C#", "Law of § 5 #"]


def test_an_icon_that_links_to_its_heading_is_not_part_of_the_text() -> None:
    facts = read(page("", "<h1>Plugins<a class=headerlink href='#plugins'>\uf0c1</a></h1>"))
    assert facts.headings == [(1, "Plugins")]


def test_the_subtitle_of_a_heading_is_not_part_of_its_text() -> None:
    facts = read(page("", "<h1>Dashboard <small>Control panel</small></h1><h2><small>Terms</small></h2>"))
    assert facts.headings == [(1, "Dashboard"), (2, "Terms")]


def test_the_label_of_a_remark_is_no_heading_of_a_section() -> None:
    remarks = "".join(
        f"<div class='{kind}'><h3 class=title>Fontos</h3><p>A sátor nedves.</p></div>"
        for kind in ("important", "note", "admonition custom")
    )
    sections = (
        "<div class=notes><h3>Notes</h3></div><div class=tip><h2>Tip</h2></div>"
        "<div class=note><h3>How to pitch a tent</h3></div><div class=note><p>Dry</p><h3>Snow</h3></div>"
    )
    facts = read(page("", f"<h1>Tents</h1>{remarks}{sections}"))
    assert facts.headings == [(1, "Tents"), (3, "Notes"), (2, "Tip"), (3, "How to pitch a tent"), (3, "Snow")]


def test_names_of_authors_set_as_headings_by_docbook_are_left_out() -> None:
    people = "<h3 class=author>Ann Example</h3><h3 class='editor'>Bo Example</h3>"
    facts = read(page("", f"<h1>Tents</h1>{people}<h2 class='author-list'>Authors</h2>"))
    assert facts.headings == [(1, "Tents"), (2, "Authors")]


@pytest.mark.parametrize(
    ("box", "shown"),
    [
        ("<div class=title>acme::Tent Class Reference</div>", "acme::Tent Class Reference"),
        (
            "<div class=title>Span&lt; T &gt; Struct Reference<span class=mlabels><span>abstract</span></span>"
            "<div class=ingroups><a href=/g>Tents</a> &raquo; <a href=/h>Poles</a></div></div>",
            "Span< T > Struct Reference",
        ),
        ("<div class=title><code>main</code> page</div>", "main page"),
        ("<div class=title hidden>Tent</div>", None),
        ("<div class=title> </div>", None),
        ("<div class=other>Tent</div>", None),
    ],
)
def test_a_doxygen_header_shows_the_title_but_is_not_a_heading(box: str, shown: str | None) -> None:
    facts = read(page("", f"<div class=header><div class=headertitle>{box}</div></div><h2>Functions</h2>"))
    assert facts.shown_title == shown
    assert facts.headings == [(2, "Functions")] and facts.h1_count == 0


def test_a_title_class_outside_doxygen_headers_is_ignored() -> None:
    assert read(page("", "<div class=card><div class=title>Tents</div></div>")).shown_title is None


def test_a_question_with_a_permalink_after_it_is_a_question() -> None:
    facts = read(page("", f"<h2>Is it quick enough?<a href='#quick'>¶</a></h2><p>{WORDS}</p>"))
    assert facts.questions == 1
    assert facts.unanswered == []


@pytest.mark.parametrize("role", ["navigation", "complementary", "banner", "contentinfo", "search"])
def test_headings_in_boxes_with_a_sidebar_role_are_not_content(role: str) -> None:
    sidebar = f"<div role={role!r}><h4>Previous topic</h4><a href='/before'>Before</a></div>".replace("'", '"')
    facts = read(page("", f"{sidebar}<div role='main'><h1>Buffers</h1><h2>Old ones</h2></div>{sidebar}"))
    assert facts.headings == [(1, "Buffers"), (2, "Old ones")]
    assert facts.words == 3


@pytest.mark.parametrize("tag", ["div", "section"])
def test_headings_outside_role_main_are_not_content(tag: str) -> None:
    beside = "<h1>The project</h1><h3>Release 2</h3>"
    facts = read(page("", f'{beside}<{tag} role="main"><h1>Buffers</h1><h2>Old ones</h2></{tag}><h5>More</h5>'))
    assert facts.headings == [(1, "The project"), (1, "Buffers"), (2, "Old ones")]


def test_text_in_a_box_with_the_navigation_role_is_not_content() -> None:
    facts = read(page("", '<div role="navigation"><p>Up, next, previous</p></div><p>Two words</p>'))
    assert facts.words == 2


@pytest.mark.parametrize(
    ("below", "counted"),
    [
        ("<p><strong>Table of contents</strong></p><dl><dt>1. Tents</dt></dl>", (1, [])),
        ("<p>You usually type</p><div><p><code>telnet localhost</code></p></div><p>for tests.</p>", (0, [])),
        ("<p>You usually type</p><pre>telnet localhost</pre>", (0, [])),
        ("<p>See the next question.</p><ul><li>one</li></ul>", (1, [("3.2. What is a packet sniffer?", 4)])),
        ("<p>No</p><p>But nearly.</p>", (1, [("3.2. What is a packet sniffer?", 1)])),
        ("There are <i>two</i> kinds:<dl><dt>1. Wires</dt></dl>", (1, [])),
        ("There are two kinds. <ul><li>one</li></ul>", (1, [("3.2. What is a packet sniffer?", 4)])),
    ],
)
def test_a_line_that_introduces_a_list_or_example_is_not_an_answer(
    below: str, counted: tuple[int, list[object]]
) -> None:
    facts = read(page("", f"<h2>3.2. What is a packet sniffer?</h2>{below}"))
    assert (facts.questions, facts.unanswered) == counted


@pytest.mark.parametrize(
    ("below", "counted"),
    [
        # Short paragraphs one below the other are one answer, as far as no other thing stands between.
        (
            "<p>Write to us.</p> <p>Or call the office, where somebody answers on every day from nine to five.</p>",
            (1, []),
        ),
        ("<p>Write to us.</p><p>Or call us.</p>", (1, [("1. How do I order?", 3)])),
        ("<p>Write to us.</p><h3>By telephone</h3><p>Call us from nine to five.</p>", (1, [("1. How do I order?", 3)])),
        (f"<p>Write to us.</p><p>{WORDS * 9}</p>", (1, [])),
        # What only links the page that answers points elsewhere.
        ("<p>See <a href=/orders>Orders and returns</a>.</p>", (0, [])),
        ("<p>Our <a href=/orders>list</a> says that and more</p>", (1, [("1. How do I order?", 6)])),
    ],
)
def test_consecutive_short_paragraphs_count_as_one_answer(below: str, counted: tuple[int, list[object]]) -> None:
    facts = read(page("", f"<h2>1. How do I order?</h2>{below}"))
    assert (facts.questions, facts.unanswered) == counted


@pytest.mark.parametrize(
    ("question", "below", "answered"),
    [
        ("2. Can you support my compiler?", "No. These tools are too bloated for that.", True),
        ("Darf ich das?", "Ja, an den meisten Orten jedenfalls.", True),
        ("2. Can you support my compiler?", "No.", False),
        ("2. Can you support my compiler?", "Nobody has asked for it.", False),
        ("2. How do I compile it?", "No. These tools are too bloated for that.", False),
    ],
)
def test_yes_or_no_with_a_reason_answers_a_yes_no_question(question: str, below: str, answered: bool) -> None:
    facts = read(page("", f"<h2>{question}</h2><p>{below}</p>"))
    assert (facts.questions, not facts.unanswered) == (1, answered)


@pytest.mark.parametrize(
    ("question", "below", "answered"),
    [
        ("3.5 How can I read from the standard input?", "Use <samp>-</samp> as file name.", True),
        ("Wie kann ich die Datei lesen?", "Mit einem Strich als Dateiname.", True),
        ("5.5 Will I receive spam if I subscribe?", "Highly unlikely.", True),
        ("Is it safe in the rain?", "Usually.", True),
        ("How can I read the file?", "Please see the manual.", False),
        ("How can I read the file?", "Use it", False),
        ("How can I read the file?", "Try it.", False),
        ("Why is the file empty?", "Use another file name.", False),
        ("Why is the file empty?", "Highly unlikely.", False),
        ("Is it safe in the rain?", "A tent of wool.", False),
    ],
)
def test_a_how_to_or_how_likely_question_can_be_answered_by_one_short_sentence(
    question: str, below: str, answered: bool
) -> None:
    facts = read(page("", f"<h2>{question}</h2><p>{below}</p>"))
    assert (facts.questions, not facts.unanswered) == (1, answered)


@pytest.mark.parametrize(
    ("question", "below", "answered"),
    [
        ("Where can I get a tent?", "Our latest tents are available from <a href=/shop>camp.test</a>.", True),
        ("2.1 Wo gibt es Zelte?", "Unsere neuesten gibt es alle im <a href=/laden>Laden</a>.", True),
        ("Où trouver une tente ?", "La plus récente est disponible chez <a href=/boutique>nous</a>.", True),
        ("Where can I get a tent?", "Our latest tents are available.", False),
        ("Waarom een tent?", "De nieuwste is te vinden bij <a href=/winkel>ons</a>.", False),
        ("A5.1 Where can I get a tent?", "Our latest tents are available from <a href=/shop>us</a>,", True),
        ("Which tent is new?", "Our latest ones are available from <a href=/shop>us</a>.", False),
    ],
)
def test_a_where_question_can_be_answered_by_a_short_sentence_with_a_link(
    question: str, below: str, answered: bool
) -> None:
    for answer in (f"<p>{below}</p>", below):
        facts = read(page("", f"<h2>{question}</h2>{answer}"))
        assert (facts.questions, not facts.unanswered) == (1, answered)


@pytest.mark.parametrize(
    ("below", "counted"),
    [
        ("Yes, at the website of our <a href=/book>book of tents</a>.", (1, [])),
        ("Yes, in <a href=/book>http://camp.test/book-of-tents.html</a>", (0, [])),
        ("Just visit the <a href=/book>book</a> and look around.", (0, [])),
        ("Just visit the book and look around.", (1, [("A2.3 Is there a book of tents?", 7)])),
        ("It has a <b>red</b> cover.", (1, [("A2.3 Is there a book of tents?", 5)])),
        (f"Yes. <p>{WORDS}</p>", (1, [])),
        ("Yes. <p>One.</p>", (1, [("A2.3 Is there a book of tents?", 1)])),
    ],
)
def test_text_outside_of_paragraphs_is_read_as_a_paragraph(below: str, counted: tuple[int, list[object]]) -> None:
    facts = read(page("", f"<a href='#q23'><h3>A2.3 Is there a book of tents?</h3></a>\n\n{below}"))
    assert (facts.questions, facts.unanswered) == counted


ITEMS = "<li>Light ones for walks</li><li>Heavy ones for winter</li>"
PAGES = "<li><a href=/light>Light ones for walks</a></li><li><a href=/heavy>Heavy ones</a></li>"


@pytest.mark.parametrize(
    ("below", "answered"),
    [
        (f"<p>There are two kinds.</p><ul>{ITEMS}</ul>", True),
        (f"<p>There are two kinds.</p>\n<div class=itemizedlist><ol>{ITEMS}</ol></div>", True),
        ("<p>There are two kinds.</p><dl><dt>Light</dt><dd>for walks</dd><dt>Heavy</dt></dl>", True),
        ("<p>There are two kinds.</p><ul><li>Light ones</li></ul>", False),
        (f"<p>That depends.</p><ul>{ITEMS}</ul>", False),
        (f"There are two kinds.<ul>{ITEMS}</ul>", True),
        (f"<p>Es gibt zwei Arten.</p><section><div><ul>{ITEMS}</ul></div></section>", True),
        (f"<p>There are two. Both are new.</p><ul>{ITEMS}</ul>", False),
        (f"<p>There are two kinds.</p><p>Both are new.</p><ul>{ITEMS}</ul>", False),
        (f"<p>There are two kinds.</p><h3>More</h3><ul>{ITEMS}</ul>", False),
        (f"<p>See the next chapter.</p><ul>{ITEMS}</ul>", False),
        (f"<p>There are two kinds.</p><ul class=menu>{PAGES}</ul>", False),
        (f"<p>There are two kinds.</p><div class=sidebar><ul>{ITEMS}</ul></div>", False),
        (f"<p>There are two kinds.</p><div>New <ul>{ITEMS}</ul></div>", False),
        ("<p>There are two kinds.</p>", False),
    ],
)
def test_a_list_directly_below_one_short_sentence_is_an_answer(below: str, answered: bool) -> None:
    facts = read(page("", f"<h2>Which tents are there in summer?</h2>{below}"))
    assert (facts.questions, not facts.unanswered) == (1, answered)


LONG = " ".join(["and so on with many more words of the same kind"] * 12) + "."


@pytest.mark.parametrize(
    ("question", "sentence", "answered"),
    [
        ("1.2.2. Is it close enough?", "The precision of these numbers is sufficient for most of them.", True),
        ("Darf ich das?", "Zelten ist in diesem Land an vielen Orten erlaubt.", True),
        ("Is it close enough?", "Yes… no. It is about as close as a number of this size can be.", True),
        ("Is it close enough?", "No. No. No. It is about as close as a number of this size can be.", False),
        ("J.7.2 Is it close enough?", "People call this problem of small numbers “the paradox of tents.”", True),
        ("Is it close enough?", "That depends.", False),
        ("Why is it close?", "The precision of these numbers is sufficient for most of them.", False),
        ("Island in the sun?", "The precision of these numbers is sufficient for most of them.", False),
    ],
)
def test_a_yes_no_question_can_be_answered_by_a_short_first_sentence(
    question: str, sentence: str, answered: bool
) -> None:
    facts = read(page("", f"<h2>{question}</h2><p>{sentence} {LONG}</p>"))
    assert (facts.questions, not facts.unanswered) == (1, answered)


def functions(paragraphs: int, inside: str = "<h4>f(x)</h4>", headings: str = "<h3>Module</h3><h3>Exports</h3>") -> str:
    """A manual's page with one function, marked as an article, below so many paragraphs."""
    text = f"<p>{WORDS}</p>"
    return page("", f"<h1>maps</h1>{headings}{text * paragraphs}<article>{inside}<div>{text}</div></article>")


@pytest.mark.parametrize(
    ("html", "words"),
    [
        (functions(3), 84),
        (functions(1), 21),  # half of the text: it is the text
        (functions(3, "<h2>f(x)</h2>"), 21),  # it has chapters of its own
        (functions(3, headings=""), 21),
    ],
)
def test_a_small_article_among_other_content_is_not_the_main_content(html: str, words: int) -> None:
    assert read(html).words == words


@pytest.mark.parametrize(
    ("body", "listing"),
    [
        (f"<h1>maps.py</h1><pre>{WORDS * 5}</pre>", True),
        (f"<h1>maps.py</h1><div class='highlight'><pre>{WORDS * 5}</pre></div>", True),
        (f'<h1>maps.hpp</h1><div class="fragment"><div class=line>{WORDS * 5}</div></div>', True),
        (f"<p>A menu, and a licence: {WORDS}</p><pre>{WORDS * 2}</pre>", True),
        (f"<h1>Maps</h1><p>{WORDS}</p><pre>{WORDS}</pre>", False),
        (f"<h1>Maps</h1><p><code>{WORDS * 5}</code></p>", False),
        ("<h1>Maps</h1>" + f"<pre>{WORDS * 5}</pre>" * 6, False),
        (f"<h1>Maps</h1><p>{WORDS}</p>", False),
        ("", False),
    ],
)
def test_a_page_that_shows_one_program_is_a_code_listing(body: str, listing: bool) -> None:
    assert read(page("", body)).listing is listing


@pytest.mark.parametrize(
    ("body", "author"),
    [
        ("<h3 class=author>Ada</h3><a href='mailto:ada@demo.test'>write</a>", True),
        ('<div class="author">Ada</div><a href="mailto:ada@demo.test">write</a>', True),
        ('<span class="author vcard">admin</span><a href="mailto:ada@demo.test">write</a>', False),
        ('<div class="author">Ada</div>', None),
        ('<a href="mailto:ada@demo.test">write</a>', False),
    ],
)
def test_an_author_next_to_a_mailto_link_is_recognised(body: str, author: bool | None) -> None:
    contact = read(page("", body)).contact
    assert (contact.author if contact is not None else None) is author


@pytest.mark.parametrize("box", ["div class=sidebar", "aside", "section class='Sidebar note'"])
def test_a_sidebar_box_below_a_question_is_not_its_answer(box: str) -> None:
    beside = f"<{box}><div><p class=title><strong>CULTURE</strong> Origin of the name</p></div><p>It is one.</p>"
    beside += f"</{box.split()[0]}>"
    assert read(page("", f"<h2>1.1. What is a tent?</h2>{beside}<p>{WORDS}</p>")).unanswered == []
    facts = read(page("", f"<h2>1.1. What is a tent?</h2>{beside}<p>A roof of cloth.</p>"))
    assert facts.unanswered == [("1.1. What is a tent?", 4)]


@pytest.mark.parametrize("number", ["3.2. ", "Chapter 4. ", "A.1 ", "12: ", "A5.1 ", "Q12: ", "Q3. ", ""])
def test_a_section_number_before_a_question_is_ignored(number: str) -> None:
    facts = read(page("", f"<h2>{number}How to pitch a tent</h2><p>Quickly.</p>"))
    assert facts.questions == 1


@pytest.mark.parametrize(
    "heading",
    [
        "10 tents and how to pitch them",
        "Chapter 4. Tents in the rain",
        "How do I…?",
        "#attr_info ⇒ a SymbolHash?",
        "find a macro -> Macro?",
        ".child of the base?",
    ],
)
def test_numbered_titles_incomplete_questions_and_signatures_are_ignored(heading: str) -> None:
    assert read(page("", f"<h2>{heading}</h2><p>Quickly.</p>")).questions == 0


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("the form name[/version]. For example", []),
        ("ls [/path] [/other]", []),
        ("text[/vc_column]", ["[/vc_column]"]),
        ("[accordion] hidden text [/accordion]", ["[/accordion]"]),
    ],
)
def test_command_line_options_are_not_shortcodes(text: str, found: list[str]) -> None:
    assert [excerpt for _, excerpt in read(page("", f"<p>{text}</p>")).placeholders] == found


@pytest.mark.parametrize(
    ("content", "at_once"),
    [
        ("0; url=/next", True),
        ("0;URL=/next", True),
        ("0.5; url=/next", True),
        ("; url=/next", True),
        ("1; url=/next", False),
        ("10; url=/next", False),
        ("0; url=/shop/page", False),  # itself
        ("0; url=#top", False),
        ("0", False),
    ],
)
def test_only_an_immediate_meta_refresh_counts_as_forwarding(content: str, at_once: bool) -> None:
    assert read(page(f'<meta http-equiv=refresh content="{content}">')).forwards is at_once


@pytest.mark.parametrize("folder", ["https://demo.test/fr/", "https://demo.test/manual/", "https://demo.test/"])
@pytest.mark.parametrize("name", ["index.html", "default.aspx"])
def test_a_folder_and_its_index_file_get_the_same_structure_hash(folder: str, name: str) -> None:
    html = page("", '<div id="index-page"><div class="manual-menu">menu</div></div><div id="demo-box">text</div>')
    assert read(html, url=folder + name).shape == read(html, url=folder).shape

"""Placeholders, questions and contact data of a page."""

import pytest

from chalicelib.domain.page.facts import LINK_IN_CONTENT, LINK_IN_NAV
from tests.domain.page.reading import page, read

ANSWER = (
    "Parcels leave our warehouse within one working day and reach the mainland two days later, islands take longer."
)


def placeholders(body: str, head: str = "") -> list[tuple[str, str]]:
    return read(page(head, f"<main><p>Some words of text.</p>{body}</main>")).placeholders


def asked(body: str, language: str = "en") -> tuple[int, list[tuple[str, int]]]:
    facts = read(f"<!doctype html><html lang={language}><body><main><h1>Help</h1>{body}</main></body></html>")
    return facts.questions, facts.unanswered


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ("<p>Lorem ipsum dolor sit amet, consectetur adipiscing elit.</p>", "lorem"),
        ("<p>Care: {{ product.care }}</p>", "template"),
        ("<p>{{product.title | escape}}</p>", "template"),
        ("<p>{% include 'footer' %}</p>", "template"),
        ("<p>Since {{ page.date | date: '%Y' | upcase }}</p>", "template"),
        ("<p>Dear {{ FIRST_NAME }},</p>", "template"),
        ("<p>Sed ut consectetur adipiscing elit.</p>", "lorem"),
        ("<blockquote>“Lorem ipsum dolor sit amet, sed do eiusmod tempor.”</blockquote>", "lorem"),
        ('<p>[gallery ids="1,2,3"]</p>', "shortcode"),
        ("<p>[contact-form-7 id=123 title=”Contact”]</p>", "shortcode"),
        ("<p>[vc_row][vc_column]Text[/vc_column][/vc_row]</p>", "shortcode"),
        ("<p>See [our tents](https://x.test/tents).</p>", "markdown"),
        ("<p>\n## How to pitch\n</p>", "markdown"),
        ('<p>Call us at [phone number="1"] today.</p>', "shortcode"),
        ('<p>Our houses [gallery ids="1"]</p>', "shortcode"),
        ("<p>Lorem ipsum dolor sit amet</p><pre>&lt;p&gt;Text&lt;/p&gt;</pre>", "lorem"),
    ],
)
def test_leftover_placeholders_in_the_text_are_found(body: str, kind: str) -> None:
    assert [found for found, _ in placeholders(body)][:1] == [kind]


@pytest.mark.parametrize(
    "body",
    [
        '<p>Use <code>{{ name }}</code> and <code>[gallery ids="1"]</code>.</p>',
        "<pre>{% if x %}\n## Not a heading\n[a](https://x.test/)</pre>",
        "<p>Lorem ipsum is a filler text.</p>",
        "<p>He said [sic] it was [1] of {2} and {{}}.</p>",
        "<p>Indices {{firstIndex, otherIndices...}} of {{X}}, {{ 1, 2 }} and {{a + b}}.</p>",
        "<p>The value {{ name }} is filled in.</p><pre>Hello {{ name }}!</pre>",
        "<p>New: the template tag {% querystring %} was added.</p>",
        "<p>Random words instead of the common paragraph (“Lorem ipsum dolor sit amet…”).</p>",
        "<p>Double curly braces such as {{ user.name }} print a value.</p>",
        "<p>Jinja was made in 2008.</p>" + "<p>Words of text.</p>" * 20 + "<p>Use {{ user.name }}.</p>",
        "<p>Write [our tents](https://x.test/tents) in Markdown.</p>",
        "<p>The shortcode [gallery ids='1,2'] shows images.</p>",
        '<p>Saves putting [[meta license="foo"]] in every page.</p>',
        '<p>Then [[gallery ids="1"]] shows them.</p>',
        '<p>You get a player by writing [audio src="a.mp3"] there.</p>',
        '<p>It can have values, for example [chart type="bar"].</p>',
        "<p>Lorem ipsum dolor sit amet. Bold.</p><pre>&lt;b&gt;Lorem ipsum dolor sit amet. Bold.&lt;/b&gt;</pre>",
        "<p>Old <tt>{{ name }}</tt></p>",
        "<div class=fragment><div class=line>auto x = {{name}};</div></div>",
        "<p>Brackets of {{name}}</p><div class=fragment><div class=line>{{name}}</div></div>",
        "<dl><dt class='sig sig-object py'>render({{name}})</dt></dl>",
        "<div class=member-signature>{{name}}</div><table><tr><td class=blob-code>{{name}}</td></tr></table>",
        "<div class=syntaxhighlighter><div class=line>{% for x in y %}</div></div>",
        '<p>Selectors such as [type="text"] match inputs.</p>',
        "<p>[b]bold[/b] and [quote]text[/quote] in a forum.</p>",
        "<p>Track #1 and ## 2 of the album; a[0](x) is a call.</p>",
        "<script type=text/template>{{ x }}</script><template>{{ y }}</template>",
    ],
)
def test_text_similar_to_a_placeholder_is_not_reported(body: str) -> None:
    assert placeholders(body) == []


@pytest.mark.parametrize("mark", ["v-cloak", "x-data='{}'", "ng-app=shop", "data-bind='text: x'"])
def test_template_code_that_a_script_will_replace_is_not_a_placeholder(mark: str) -> None:
    assert placeholders(f"<div {mark}><p>{{{{ price }}}}</p></div>") == []


def test_email_addresses_in_placeholders_are_masked() -> None:
    ((_, excerpt),) = placeholders("<p>[ada@example.com](https://x.test/)</p>")
    assert excerpt == "[a***@***](https://x.test/)"


def test_a_question_followed_by_a_short_answer_is_answered() -> None:
    assert asked(f"<h2>How long does delivery take?</h2><p>{ANSWER}</p>") == (1, [])


@pytest.mark.parametrize(
    "below",
    [
        "<ul><li>Two days</li></ul>",
        "<table><tr><td>Mainland</td><td>2</td></tr></table>",
        "<p>It depends:</p><ol><li>Two days</li></ol>",
        f"<div class=answer><div><p>{ANSWER}</p></div></div>",
        f"<div>{ANSWER}</div>",
        "<div>Parcels leave <a href=/w>our warehouse</a> within one working day and reach the <b>mainland</b> "
        "two days later.</div>",
    ],
)
def test_lists_tables_and_nested_paragraphs_count_as_answers(below: str) -> None:
    assert asked(f"<h3>How long does delivery take?</h3>{below}") == (1, [])


def test_an_answer_in_an_accordion_is_found() -> None:
    assert asked(f"<details><summary><h3>Can I return boots?</h3></summary><p>{ANSWER}</p></details>") == (1, [])
    assert asked(f"<div><h3><button>Can I return boots?</button></h3></div><div><p>{ANSWER}</p></div>") == (1, [])


def test_an_answer_that_is_too_short_or_too_long_is_listed_with_its_length() -> None:
    question = "Which tent is right for autumn?"
    assert asked(f"<h2>{question}</h2><p>That depends.</p>") == (1, [(question, 2)])
    assert asked(f"<h2>{question}</h2><p>{'word ' * 121}</p>") == (1, [(question, 121)])
    assert asked(f"<h2>{question}</h2><p>{'word ' * 120}</p>") == (1, [])
    assert asked(f"<h2>{question}</h2><p>{'word ' * 15}</p>") == (1, [])


LONG = "A further thought about the weather in the hills. " * 14  # 126 words


@pytest.mark.parametrize(
    ("first", "found"),
    [
        ("Delivery to the mainland needs two working days after the order.", []),
        ("A delivered parcel is what most of our customers see after two days.", []),
        ("Two days.", [("How long does delivery take?", 128)]),  # too short to be quoted alone
        ("Parcels reach the mainland within two working days of the order.", [("How long does delivery take?", 137)]),
        ("Delivery " + "and then " * 20 + "ends.", [("How long does delivery take?", 168)]),
    ],
)
def test_the_first_sentence_of_a_long_paragraph_can_be_the_answer(first: str, found: list[tuple[str, int]]) -> None:
    question = "How long does delivery take?"
    assert asked(f"<h2>{question}</h2><p>{first} {LONG}</p>") == (1, found)
    assert asked(f"<h2>{question}</h2><div>{first} {LONG}</div>") == (1, found)


@pytest.mark.parametrize(
    "heading",
    [
        "Ready to start?",
        "Need help with your order?",
        "Noch Fragen zu deiner Bestellung?",
        "Questions?",
        "What we do",
        "Our tents",
        "Which",
    ],
)
def test_headings_that_are_not_real_questions_are_ignored(heading: str) -> None:
    assert asked(f"<h2>{heading}</h2><p>Short.</p>") == (0, [])


@pytest.mark.parametrize(
    ("heading", "language", "questions"),
    [
        ("Why this book?", "en", 0),
        ("1. Warum dieses Buch?", "de", 0),
        ("Pourquoi ce livre ?", "fr", 0),
        ("Where do we go from here?", "en", 0),
        ("What is in this chapter?", "en", 0),
        ("Who is this guide for?", "en", 0),
        ("Why this tent?", "en", 1),
        ("Which book is on tents?", "en", 1),
        ("Where are the tents in this guide?", "en", 1),
        ("Which tent is next?", "en", 1),
    ],
)
def test_a_question_about_the_text_itself_is_ignored(heading: str, language: str, questions: int) -> None:
    assert asked(f"<h2>{heading}</h2><p>Short.</p>", language)[0] == questions


@pytest.mark.parametrize(
    ("below", "found"),
    [
        ("<p>Delivery to the mainland takes us two days, as ever.</p>", []),
        ("<div>Delivery to the mainland takes us two days, as ever.</div>", []),
        ("<p>Answer: Delivery to the mainland takes us two days.</p>", []),
        ("<p>Delivery is quick.</p>", [3]),  # too few words to say how long
        ("<p>Parcels reach the islands within two days, as ever.</p>", [9]),  # no word of the question
        ("<p>Delivery to the mainland takes us two days and</p>", [9]),  # no sentence
        ("<p>See what we say on delivery to the mainland below.</p>", [10]),  # elsewhere
    ],
)
def test_a_short_complete_sentence_about_the_question_is_an_answer(below: str, found: list[int]) -> None:
    assert [length for _, length in asked(f"<h2>How long does delivery take?</h2>{below}")[1]] == found


@pytest.mark.parametrize(
    ("question", "below", "found"),
    [
        ("Tents leak. What's wrong?", "<p>Most likely, you need to close the doors.</p>", []),
        ("Tents leak. What is the problem?", "<p>Close the doors.</p>", [3]),  # too few words
        ("Tents leak. What’s wrong?", "<p>See the chapter about doors and windows.</p>", [7]),  # elsewhere
        ("Tents leak. What's wrong?", "<p>Doors, windows, and all of that</p>", [6]),  # no sentence
        ("What's wrong with tents that leak at night?", "<p>Most likely, you need to close the doors.</p>", [8]),
        ("Was läuft hier falsch?", "<p>Die Türen müssen geschlossen werden.</p>", []),
    ],
)
def test_a_why_question_can_be_answered_by_one_short_sentence(question: str, below: str, found: list[int]) -> None:
    assert [length for _, length in asked(f"<h2>{question}</h2>{below}")[1]] == found


@pytest.mark.parametrize(
    ("question", "below", "found"),
    [
        ("How much faster is the large tent?", "<p>Much faster (factor of 2-3).</p>", []),
        ("1. How often are tents tested?", "<p>About 3 times a year.</p>", []),
        ("Wie viele Zelte habt ihr?", "<p>Es sind genau 12.</p>", []),
        ("How much faster is the large tent?", "<p>Much faster, we think.</p>", [4]),  # no number
        ("How long does delivery take?", "<p>2 days.</p>", [2]),  # cannot stand alone
        ("How many tents do you have?", "<p>See chapter 3 for that.</p>", [5]),  # elsewhere
        ("Which tent is the best of all?", "<p>That would be number 3.</p>", [5]),  # does not ask for a number
    ],
)
def test_a_short_sentence_with_a_number_answers_how_much(question: str, below: str, found: list[int]) -> None:
    assert [length for _, length in asked(f"<h2>{question}</h2>{below}")[1]] == found


@pytest.mark.parametrize(
    ("below", "found"),
    [
        ("<p>If …</p><ul><li>it rains,</li></ul><p>close the doors.</p>", (1, [])),
        ("<p>Whenever ...</p><ol><li>it rains,</li></ol><p>close the doors.</p>", (1, [])),
        ("<p>It depends …</p><p>Close them.</p>", (1, [("What stops the tents?", 3)])),
        ("<p>That depends.</p><ul><li>More</li></ul>", (1, [("What stops the tents?", 2)])),
    ],
)
def test_a_sentence_that_goes_on_in_a_list_is_an_answer(below: str, found: tuple[int, list[object]]) -> None:
    assert asked(f"<h2>What stops the tents?</h2>{below}") == found


@pytest.mark.parametrize(
    ("below", "found"),
    [
        ("<p>At the prompt, type:</p><blockquote><p>tents stop</p></blockquote><p>That is all.</p>", (1, [])),
        ("<p>At the prompt, type:</p><p>tents stop</p>", (1, [])),
        ("<div>At the prompt, type:<br></div><div>tents stop</div>", (1, [])),
        ("<blockquote><p>tents stop</p></blockquote>", (1, [("What stops the tents?", 2)])),
        ("<p>At the prompt.</p><blockquote><p>tents stop</p></blockquote>", (1, [("What stops the tents?", 3)])),
    ],
)
def test_text_after_a_line_ending_with_a_colon_is_the_answer(below: str, found: tuple[int, list[object]]) -> None:
    assert asked(f"<h2>What stops the tents?</h2>{below}") == found


@pytest.mark.parametrize(
    "below",
    [
        "<p><b>Answer:</b> Check out the <a href=/start>first steps</a> of our long guide to tents.</p>",
        "<p>See our <a href=/orders>list</a> for that and more.</p>",
        "<p>Please refer to the <a href=/orders>list</a> of all that is sent by us.</p>",
    ],
)
def test_a_short_answer_that_only_points_to_a_link_is_ignored(below: str) -> None:
    assert asked(f"<h2>How do I order?</h2>{below}") == (0, [])


@pytest.mark.parametrize("target", ["/blog/coffee", "#!", "#", ""])
def test_the_title_of_a_linked_card_is_not_a_question(target: str) -> None:
    card = f"<a href='{target}'><h3>How long does delivery take?</h3><p>A look at what our vans do all day.</p></a>"
    assert asked(card) == (0, [])
    assert asked("<a name=delivery><h3>How long does delivery take?</h3><p>That depends.</p></a>")[0] == 1


def test_a_linked_heading_of_an_accordion_is_a_question() -> None:
    accordion = "<a href='#one'><h3>How long does delivery take?</h3></a><div id=one><p>That depends.</p></div>"
    assert asked(accordion) == (1, [("How long does delivery take?", 2)])


QUESTION = "How long does delivery take?"


@pytest.mark.parametrize(
    "heading",
    [
        f"<h2><a href=/help/delivery>{QUESTION}</a></h2>",
        f"<h2>1. <a href=/help/delivery>{QUESTION}</a> <a href='#x'>¶</a></h2>",
        f"<a href=/help/delivery><h2>{QUESTION}</h2></a>",
        f"<aside><h2>{QUESTION}</h2></aside>",
        f"<div class='widget widget_text'><div><h2>{QUESTION}</h2></div></div>",
        f"<h2 class=sidebar-title>{QUESTION}</h2>",
        f"<div class=Sidebar><h2>{QUESTION}</h2></div>",
    ],
)
def test_a_question_that_links_to_another_page_is_ignored(heading: str) -> None:
    assert asked(f"{heading}<p>Two days.</p>") == (0, [])


@pytest.mark.parametrize(
    "heading",
    [
        f"<h2><a href='#delivery'>{QUESTION}</a></h2>",
        f"<h2><a href='/shop/page#delivery'>{QUESTION}</a></h2>",
        f"<h2><a name=delivery>{QUESTION}</a></h2>",
        "<h2>How long does <a href=/delivery>delivery</a> take?</h2>",
        f"<div class=with-sidebar><h2>{QUESTION}</h2></div>",
    ],
)
def test_a_question_counts_even_if_it_has_a_jump_link_or_a_linked_word(heading: str) -> None:
    assert asked(f"{heading}<p>Two days.</p>") == (1, [(QUESTION, 2)])


def test_questions_without_a_question_mark_are_found_by_page_language() -> None:
    assert asked("<h2>How to pitch a tent</h2><p>Short.</p>") == (1, [("How to pitch a tent", 1)])
    assert asked("<h2>Wie man ein Zelt aufbaut</h2><p>Kurz.</p>", "de-AT")[0] == 1
    assert asked("<h2>Come and see our tents</h2><p>Short.</p>") == (0, [])
    assert asked("<h2>Come si monta la tenda</h2><p>Breve.</p>", "it")[0] == 1


@pytest.mark.parametrize(
    ("heading", "questions"),
    [
        ("Comment installer une tente", 1),
        ("Comment choisir un sac de couchage", 1),
        ("3.2. Comment rendre une tente étanche", 1),
        ("Comment tout cela fonctionne ensemble", 0),
        ("Comment la pluie entre dans une tente", 0),
        ("Comment la pluie entre dans une tente ?", 1),  # its mark says so
        ("Pourquoi la pluie entre dans une tente", 1),
    ],
)
def test_the_french_word_comment_starts_a_question_only_before_an_infinitive(heading: str, questions: int) -> None:
    assert asked(f"<h2>{heading}</h2><p>Court.</p>", "fr")[0] == questions


@pytest.mark.parametrize(
    "below", ["<h3>Mainland</h3><p>Two days.</p>", "<form><button>Ask</button></form>", "", "<p></p>"]
)
def test_a_question_without_following_text_is_ignored(below: str) -> None:
    assert asked(f"<h2>How long does delivery take?</h2>{below}") == (0, [])


def test_phone_numbers_in_the_content_and_in_the_footer_are_distinguished() -> None:
    facts = read(
        page(
            "",
            '<main><a href="tel:+44%201632%20960144">Call</a></main><footer><a href="TEL:01632960987">x</a></footer>',
        )
    )
    assert facts.contact is not None
    assert (facts.contact.telephones, facts.contact.site_telephones) == (["+44 1632 960144"], ["01632960987"])
    assert facts.uncrawlable_links == 0


@pytest.mark.parametrize(
    ("href", "mail"),
    [("mailto:ada@example.com", True), ("MAILTO:ada%40example.com?subject=x", True), ("mailto:?body=a@b.c", False)],
)
def test_a_mailto_link_is_counted_without_storing_the_address(href: str, mail: bool) -> None:
    facts = read(page("", f"<footer><a href='{href}'>Write</a></footer>"))
    assert (facts.contact is not None and facts.contact.mail) is mail
    assert (facts.uncrawlable_links, facts.links) == (0, [])


def test_a_postal_address_is_read_and_its_email_address_is_masked() -> None:
    facts = read(page("", "<footer><address>4 Quarry Road<br>HD1 4QT ada@example.com</address></footer>"))
    assert facts.contact is not None
    assert facts.contact.addresses == ["4 Quarry Road HD1 4QT a***@***"]
    assert read(page("", "<p>Text</p>")).contact is None


def test_links_are_flagged_as_content_or_navigation() -> None:
    facts = read(page("", "<nav><a href=/a>a</a><a href=/b>b</a></nav><main><a href=/b>b</a><a href=/c>c</a></main>"))
    assert [link.flags for link in facts.links] == [LINK_IN_NAV, LINK_IN_NAV | LINK_IN_CONTENT, LINK_IN_CONTENT]


def test_headings_of_navigation_sidebar_and_footer_are_not_content() -> None:
    body = "<h1>A</h1><h2>B</h2><aside><h4>Side</h4></aside><nav><h3>Menu</h3></nav><footer><h5>Legal</h5></footer>"
    assert read(page("", body)).headings == [(1, "A"), (2, "B")]


@pytest.mark.parametrize(
    ("attributes", "kept"),
    [
        ('style="aspect-ratio: 3/2"', True),
        ('style="position: absolute; inset: 0"', True),
        ('class="w-full h-64 object-cover"', True),
        ('class="md:aspect-video"', True),
        ('class="hero the-h-word"', False),
        ("", False),
    ],
)
def test_image_dimensions_can_be_set_by_style_or_class(attributes: str, kept: bool) -> None:
    (image,) = read(page("", f"<img src=/a.jpg alt=a {attributes}> Text")).images
    assert image.aspect_ratio is kept


@pytest.mark.parametrize(
    ("body", "moves"),
    [
        ("<p>Text</p><img src=a>", False),
        ("<p>Text</p><div><a href=/><img src=a></a> </div>\n<script>go()</script><!-- end -->", False),
        ("<p>Text</p><address>Made by <img src=a> 1.4</address>", False),
        ("<p>Text</p><footer><p><img src=a></p><p>Imprint</p></footer>", False),
        ("<p>Text</p><div class='container site-footer'><img src=a> Imprint</div>", False),
        ("<p>Text</p><div id=footer><div><img src=a></div> Imprint</div>", False),
        ("<p><img src=a> Text</p>", True),
        ("<p>Text</p><img src=a><p>More</p>", True),
        ("<p>Text</p><img src=a><img src=b width=9 height=9>", True),
        ("<article>Text<footer><img src=a></footer></article><article>Text</article>", True),
        ("<p>Text</p><img src=a>" + "<br>" * 200 + "More", True),
        ("<p>Text</p><div class=no-footers><img src=a> Text</div>", True),
    ],
)
def test_an_image_with_nothing_below_it_moves_nothing(body: str, moves: bool) -> None:
    assert read(page("", body)).images[0].aspect_ratio is not moves


@pytest.mark.parametrize(
    ("body", "shown"),
    [
        ("<ul class='dropdown-menu dropdown-menu-right'><li><a href=/><img src=a></a></ul>", False),
        ("<div class='modal fade'><div class=modal-body><img src=a></div></div>", False),
        ("<div class=offcanvas><img src=a></div>", False),
        ("<div class='panel-collapse collapse'><img src=a></div>", False),
        ("<div class='tab-pane fade'><img src=a></div>", False),
        ("<details><summary>More</summary><p><img src=a></details>", False),
        ("<dialog><img src=a></dialog>", False),
        ("<div popover><img src=a></div>", False),
        ("<div class='dropdown-menu show'><img src=a></div>", True),
        ("<div class='modal is-active'><img src=a></div>", True),
        ("<div class='modal modal-open'><img src=a></div>", True),
        ("<div class=modal><div class='dropdown-menu d-md-block'><img src=a></div></div>", False),
        ("<div class='panel-collapse collapse in'><img src=a></div>", True),
        ("<div class='collapse navbar-collapse'><img src=a></div>", True),
        ("<div class='sidebar collapse d-md-block'><img src=a></div>", True),
        ("<div class='tab-pane active'><img src=a></div>", True),
        ("<div class=modal-gallery><img src=a></div>", True),
        ("<details open><summary>More</summary><img src=a></details>", True),
        ("<details><summary><img src=a> More</summary>Text</details>", True),
        ("<dialog open><img src=a></dialog>", True),
    ],
)
def test_an_image_in_a_part_that_is_closed_at_first_is_known(body: str, shown: bool) -> None:
    assert read(page("", f"{body}<p>Text</p>")).images[0].closed is not shown


def test_closed_parts_are_looked_for_until_five_images_are_shown():
    menu, image = "<div class=dropdown-menu><img src=/a alt=a></div>", "<img src=/b alt=b>"
    facts = read(page("", menu * 9 + image * 4 + menu + image + menu))
    assert [image.closed for image in facts.images] == [True] * 9 + [False] * 4 + [True] + [False] * 2


def test_an_image_with_a_srcset_is_responsive() -> None:
    facts = read(page("", '<img src=/a.jpg srcset="/a-2.jpg 2x" alt=a><img src=/b.jpg alt=b>'))
    assert [image.responsive for image in facts.images] == [True, False]

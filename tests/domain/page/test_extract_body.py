"""Headings, main content, security and the other facts of a page's body."""

import pytest

from chalicelib.domain.page.facts import LINK_IN_NAV, MANY_ELEMENTS, PageFacts
from tests.domain.page.reading import page, read

WORDS = " ".join(f"word{number}" for number in range(60))


def test_headings_are_read_in_order_with_normalised_spaces():
    facts = read(page("", "<h1>One\n <em>two</em></h1><h3>A<br>b</h3><h2><span>C</span><span>d</span></h2>"))
    assert facts.headings == [(1, "One two"), (3, "A b"), (2, "Cd")]
    assert facts.h1_count == 1


@pytest.mark.parametrize(
    "hidden",
    [
        "<h1 hidden>x</h1>",
        "<h1 aria-hidden=true>x</h1>",
        "<h1 style='color:red; display : none'>x</h1>",
        "<div style='display:none' class=a><h1>x</h1></div>",
        "<div hidden><div><h1>x</h1></div></div>",
        "<section class='pt-8 d-none bg-dark'><h1>x</h1></section>",
        "<div class=d-none><h1>x</h1></div>",
        "<h1 class='d-none d-print-block'>x</h1>",
        "<h1 class='d-none d-lg-none'>x</h1>",
        "<h1> &nbsp; </h1>",
        "<h1><script>x</script></h1>",
        "<template><h1>x</h1></template>",
        "<noscript><h1>x</h1></noscript>",
    ],
)
def test_a_hidden_heading_is_skipped(hidden: str):
    facts = read(page("", hidden))
    assert facts.h1_count == 0
    assert facts.headings == []


@pytest.mark.parametrize("classes", ["d-none d-md-block", "d-xl-flex d-none", "d-md-none", "d-nonesuch", "card-d-none"])
def test_a_heading_visible_on_some_screen_sizes_is_read(classes: str):
    facts = read(page("", f"<div class='{classes}'><h1>x</h1></div>"))
    assert facts.headings == [(1, "x")]


def test_text_hidden_by_a_class_is_not_a_paragraph():
    shown, hidden = "Tents for the winter, sewn by hand.", "Boots for the summer, made by hand."
    facts = read(
        page("", f"<main><div class=d-none><h1>Boots</h1><p>{hidden}</p></div><h1>Tents</h1><p>{shown}</p></main>")
    )
    assert (facts.headings, facts.paragraphs) == ([(1, "Tents")], [shown])


def test_a_body_hidden_until_a_script_runs_is_still_read():
    facts = read("<body style='display:none'><h1>Seen</h1></body>")
    assert facts.h1_count == 1


def test_the_alt_text_of_an_image_is_part_of_its_heading():
    facts = read(page("", "<h1><a href=/><img src=l.png alt='Acme Shop'></a></h1>"))
    assert facts.headings == [(1, "Acme Shop")]
    assert facts.h1_count == 1


def test_headings_outside_the_main_element_are_skipped_except_h1():
    facts = read(
        page(
            "", "<header><h1>Brand</h1><h3>Menu</h3></header><main><h2>Text</h2></main><footer><h4>Links</h4></footer>"
        )
    )
    assert facts.headings == [(1, "Brand"), (2, "Text")]


@pytest.mark.parametrize("outer", ["section", "section><div"])
def test_the_header_of_a_section_belongs_to_the_content(outer):
    body = f"<h1>Options</h1><{outer}><header><h2>Sound</h2><p><a href=/a>a</a></p></header><h3>Volume</h3></section>"
    facts = read(page("", body))
    assert facts.headings == [(1, "Options"), (2, "Sound"), (3, "Volume")]
    assert [bool(link.flags & LINK_IN_NAV) for link in facts.links] == [False]


@pytest.mark.parametrize("menu", ["<nav><a href=/a>a</a></nav>", "<ul><li><a href=/a>a</a></ul>"])
def test_a_header_with_a_menu_does_not_belong_to_the_content(menu):
    facts = read(page("", f"<section><header><h2>Brand</h2>{menu}</header><h1>Title</h1><h2>Text</h2></section>"))
    assert facts.headings == [(1, "Title"), (2, "Text")]
    assert [bool(link.flags & LINK_IN_NAV) for link in facts.links] == [True]


def test_at_most_100_headings_are_kept_and_every_h1_is_counted():
    facts = read(page("", "<h2>x</h2>" * 150 + "<h1>a</h1><h1>b</h1>"))
    assert len(facts.headings) == 100
    assert facts.h1_count == 2


def test_the_main_element_is_the_main_content():
    facts = read(
        page("", "<nav>menu</nav><p>outside</p><main>one two three<script>four</script><style>f</style></main>")
    )
    assert facts.words == 3
    assert facts.text == "one two three"


@pytest.mark.parametrize("markup", ["<div role=main>one two</div><p>out", "<article>one two</article><p>out"])
def test_role_main_or_the_only_article_is_the_content_if_main_is_missing(markup: str):
    assert read(page("", markup)).text == "one two"


def test_without_main_the_content_is_the_body_without_navigation_and_footer():
    facts = read(
        page(
            "",
            "<header>logo</header><nav>menu</nav><div>the <b>con</b>tent</div>"
            "<article><header>A</header>a</article><article>b</article><aside>ads</aside><footer>end</footer>",
        )
    )
    assert facts.text == "the content A a b"


def test_an_empty_main_element_is_ignored_and_the_body_is_used():
    facts = read(page("", "<nav>menu</nav><main> <script>x()</script></main><div>the text</div>"))
    assert facts.text == "the text"
    assert facts.words == 2


def test_scripts_svg_and_form_options_are_not_text():
    facts = read(
        page(
            "",
            "<main>a<noscript>no</noscript><template>no</template><svg><text>no</text></svg><iframe>no</iframe>"
            "<select><option>no</option></select><textarea>no</textarea><!-- no --> b</main>",
        )
    )
    assert facts.text == "a b"
    assert facts.words == 2


def test_code_is_counted_as_words_but_left_out_of_the_stored_text():
    facts = read(page("", "<main><p>Use <code>Ã¼ x</code> now</p><pre>y z</pre></main>"))
    assert facts.text == "Use now"
    assert facts.words == 6


def test_hidden_parts_of_a_page_are_left_out_of_the_stored_text():
    assert read(page("", "<main><div hidden>cookie notice</div>text</main>")).text == "text"


def test_inline_elements_join_words_and_block_elements_separate_them():
    facts = read(
        page(
            "",
            "<main><p><b>J</b>ohn<i>ny</i></p><div>a</div>b<span><div>c</div></span>d <i>e</i> <i>f</i>, "
            "g<ul><li>h<li>i</ul>j<!-- x -->k</main>",
        )
    )
    assert facts.text == "Johnny a b c d e f, g h i jk"


def test_the_stored_text_ends_at_a_word_within_1500_characters():
    facts = read(page("", f"<main>{'abcdefgh ' * 400}</main>"))
    assert 1400 < len(facts.text) <= 1500
    assert facts.text.endswith("abcdefgh")


def test_email_addresses_are_masked_even_if_the_text_is_cut_inside_them():
    facts = read(
        page(
            "",
            "<main><h2>Ask jane.doe@acme.test</h2><a href=/j>john@acme.test</a><img src=a.png alt='to x.y@acme.test'>"
            f"<p>{'x ' * 700} jane.doe@a-long-name-of-a-company.test</p></main>",
        )
    )
    stored = repr((facts.text, facts.headings, facts.links, facts.images))
    assert "@acme" not in stored and "@a-long" not in stored and "jane.doe" not in stored
    assert facts.headings == [(2, "Ask j***@***")]


def test_the_text_fingerprint_depends_on_words_and_not_on_markup():
    one = read(page("", f"<main><p>{WORDS}</p></main>"))
    other = read(page("", f"<div role=main>\n\n<div>{WORDS.upper().replace(' ', '&nbsp;<b></b> ')}</div></div>"))
    assert len(one.text_hash) == 32
    assert one.text_hash == other.text_hash
    assert one.text_hash != read(page("", f"<main>{WORDS} more</main>")).text_hash


def test_a_text_with_fewer_than_fifty_words_has_no_fingerprint():
    assert read(page("", "<main>" + "w " * 49 + "</main>")).text_hash == ""
    assert read(page("", "<main>" + "w " * 50 + "</main>")).text_hash != ""


def test_pages_with_the_same_template_have_the_same_structure_hash():
    def article(number: int, paragraphs: int) -> str:
        return page(
            "",
            f"<div id=page class=site><main class='content'><article id=post-{number} class='post post-{number} entry'>"
            f"<h1>x</h1>{'<p>text</p><figure><img></figure>' * paragraphs}</article></main>"
            f"<div class=related>{'<div class=card><div class=in></div></div>' * paragraphs}</div></div>",
        )

    shapes = {read(article(number, number + 1)).shape for number in range(5)}
    assert len(shapes) == 1
    assert read(page("", "<div id=page class=site><main class=grid></main></div>")).shape not in shapes


def test_body_classes_are_cut_and_their_spaces_normalised():
    assert read("<body class=' home\n page '>").body_class == "home page"
    assert len(read(f"<body class='{'x' * 1000}'>").body_class) == 300


def test_comments_and_template_elements_are_not_counted_as_elements():
    assert read("<html><head></head><body><p>a<!-- c --></p><template><b></b></template></body></html>").elements == 5


def test_http_resources_of_an_https_page_are_listed():
    facts = read(
        page(
            "<script src=http://a.test/x.js></script><link rel=stylesheet href='HTTP://a.test/x.css'>"
            "<link rel=canonical href=http://demo.test/>",
            "<img src=http://a.test/x.png><img src=//a.test/y.png><iframe src=http://a.test/f></iframe>"
            "<a href=http://a.test/>ok</a><form action=http://a.test/go></form><form action=/go></form>",
        )
    )
    assert facts.insecure_resources == [
        "HTTP://a.test/x.css",
        "http://a.test/x.js",
        "http://a.test/x.png",
        "http://a.test/f",
    ]
    assert facts.insecure_forms == ["http://a.test/go"]


def test_an_http_page_or_one_with_upgraded_requests_has_no_mixed_content():
    image = page("", "<img src=http://a.test/x.png>")
    assert read(image, url="http://demo.test/").insecure_resources == []
    assert read(image, headers={"content-security-policy": "upgrade-insecure-requests"}).insecure_resources == []
    meta = "<meta http-equiv=content-security-policy content='upgrade-insecure-requests'>"
    assert read(page(meta, "<img src=http://a.test/x.png>")).insecure_resources == []


def test_nosnippet_is_noted_only_if_it_covers_the_whole_main_content():
    assert read(page("", "<main data-nosnippet>x</main>")).nosnippet_main
    assert read(page("", "<div data-nosnippet><main>x</main></div>")).nosnippet_main
    assert read("<body data-nosnippet>x").nosnippet_main
    assert not read(page("", "<main>x<p data-nosnippet>y</p></main>")).nosnippet_main


def test_only_a_visible_breadcrumb_with_links_counts():
    trail = "<nav class='c-breadcrumbs'><a href=/>Home</a> / Page</nav>"
    assert read(page("", trail)).breadcrumb_visible
    assert read(page("", "<ol aria-label=Breadcrumb><li><a href=/>Home</a></ol>")).breadcrumb_visible
    assert not read(page("", f"<div hidden>{trail}</div>")).breadcrumb_visible
    assert not read(page("", "<div class=breadcrumb></div>")).breadcrumb_visible
    for nowhere in ("", "#", "#!", "javascript:void(0)"):
        assert not read(page("", f"<ol class=breadcrumb><li><a href='{nowhere}'>Help</a></ol>")).breadcrumb_visible
    assert not read(page("<script type=application/ld+json>{'@type': 'BreadcrumbList'}</script>")).breadcrumb_visible


def test_frames_of_a_frameset_are_crawled_as_links():
    facts = read(
        "<html><head><title>F</title></head><frameset><frame src=a.html><frame src='b.html#x'></frameset></html>"
    )
    assert facts.frames == ["https://demo.test/shop/a.html", "https://demo.test/shop/b.html"]
    assert facts.title == "F"
    assert read(page("", "<iframe src=a.html></iframe>")).frames == []


@pytest.mark.parametrize(
    ("head", "platform"),
    [
        ("<link rel=stylesheet href=/wp-content/themes/x.css>", "wordpress"),
        ("<link rel='https://api.w.org/' href=/wp-json/>", "wordpress"),
        ("<script src=https://other.test/wp-content/x.js></script>", None),
        ("<script src=https://cdn.shopify.com/s/x.js></script>", "shopify"),
        ("<link rel=stylesheet href=/x.css>", None),
    ],
)
def test_the_platform_is_recognised_from_the_markup(head: str, platform: str | None):
    assert read(page(head)).platform == platform


def test_elements_inside_code_samples_are_counted_on_pages_with_many_elements() -> None:
    def read_with(words: int) -> PageFacts:
        coloured = f"<pre><code>{'<span>x</span> ' * words}<!-- x --><a href=/>x</a></code></pre>"
        return read(page("", f"<h1>Tents</h1>{coloured}<p>Pitch a <code>tent</code>.</p>"))

    few, many = read_with(1_400), read_with(1_500)
    assert few.code_elements == 0
    assert many.elements > MANY_ELEMENTS and many.code_elements == 1_500


# -- what the content shows beside text ------------------------------------------------------------------

SCRIPT = '<script>var map = new Map(document.getElementById("map"), 12);</script>'


@pytest.mark.parametrize(
    "body",
    [
        "<canvas></canvas>",
        '<iframe src="https://films.test/1"></iframe>',
        "<video src=a.mp4></video>",
        '<object data="a.swf" width=300 height=200></object>',
        "<textarea>int main() { return 0; }</textarea>",
        "<textarea id=map></textarea>" + SCRIPT,
        '<pre data-src="examples/tag.html"></pre>',
        "<div id=map></div>" + SCRIPT,
        "<script>$('#map').draw();</script><table id=map></table>",
        "<form><label>Mail <input type=email></label><label>Password <input type=password></label></form>",
        "<img src=a.png width=250 height=160>",
    ],
)
def test_content_that_is_no_text_is_noticed(body: str) -> None:
    assert read(page("", f"<main><h1>Tents</h1>{body}</main>")).embeds
    # Without a main element, forms and empty elements may belong to the website.
    needs_main = "<form" in body or (SCRIPT in body and "<div" in body) or "<table" in body
    assert read(page("", f"<h1>Tents</h1>{body}")).embeds is not needs_main
    assert not read(page("", f"<main><h1>Tents</h1></main>{body}")).embeds, "outside of the main element"


@pytest.mark.parametrize(
    "body",
    [
        "",
        '<iframe src="/count" width=1 height=1></iframe>',
        '<iframe src="/count" style="display:none"></iframe>',
        '<iframe src="/count" style="width:0;height:0;border:0"></iframe>',
        "<textarea></textarea>",
        "<textarea>Your message</textarea>",
        "<div id=map>Our map</div>" + SCRIPT,
        "<div id=plan></div>" + SCRIPT,
        "<nav><iframe src=/menu></iframe></nav>",
        "<footer><canvas></canvas></footer>",
        "<img src=a.png width=250 height=159>",
        "<img src=a.png>",
        "<div class=header><img src=a.png width=1200 height=300></div>",
        "<form><input type=search><input type=submit></form>",
        "<form id=commentform><input name=author><input name=email></form>",
        "<form action=/post><textarea id=comment></textarea></form><script>getElementById('comment').id = 'x'</script>",
        "<div class='site-footer'><iframe src=https://maps.test/></iframe></div>",
        "<div class='footer'><form><input name=email><input name=agree></form></div>",
        "<div id=fb-root></div><script>if (!document.getElementById('fb-root')) start()</script>",
        "<div id=cookie-banner></div><script>document.getElementById('cookie-banner').remove()</script>",
        "<span id=year></span><script>document.getElementById('year').textContent = 2026</script>",
        f"<div id=map></div>{SCRIPT}<p>{'word ' * 40}",  # looked at only on pages with hardly any words
    ],
)
def test_counters_empty_fields_and_the_frame_of_the_page_are_no_content(body: str) -> None:
    assert not read(page("", f"<div><h1>Tents</h1><p>We sell tents.</p>{body}</div>")).embeds
    assert not read(page("", f"<main><h1>Tents</h1><p>We sell tents.</p></main>{body}")).embeds
    comments = "<form action=/post><textarea id=comment></textarea></form><script>getElementById('comment')</script>"
    assert not read(page("", f"<main><h1>Tents</h1>{comments}</main>")).embeds


FEATURES = "<h3>Light</h3><p>{0}</p><h3>Dry</h3><p>{0}</p>".format("Words on what our tents are made of. " * 4)


def test_paragraphs_that_follow_a_short_main_element_are_the_main_text() -> None:
    hero = "<div role=main><h1>Tents</h1><p>For every storm.</p></div>"
    assert read(page("", f"{hero}<div>{FEATURES}</div>")).words == 70
    assert read(page("", f"<main><h1>Tents</h1></main>{FEATURES}<footer>{FEATURES}</footer>")).words == 67
    long = f"<main><h1>Tents</h1><p>{'word ' * 29}</p></main>"
    assert read(page("", long + FEATURES)).words == 30
    assert read(page("", f"{hero}<aside>{FEATURES}</aside>")).words == 4
    assert read(page("", f"{hero}<p>{'We use cookies. ' * 40}</p>")).words == 4
    assert read(page("", f"{hero}<h2>Cookies</h2><h2>Settings</h2><p>We use cookies.</p>")).words == 4
    for box in ("<div class=footer>", "<div id=onetrust-consent-sdk>", "<div style='display:none'>", "<dialog open>"):
        assert read(page("", f"{hero}{box}{FEATURES}</div></dialog>")).words == 4, box
    assert read(page("", hero + FEATURES.replace("h3", "h4"))).words == 4
    assert read(page("", f"<div class=news>{FEATURES}</div>{hero}")).words == 4, "before the main element"

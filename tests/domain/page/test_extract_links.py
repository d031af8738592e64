"""Links and images of a page."""

import pytest

from chalicelib.domain.page.facts import (
    LINK_IN_CONTENT,
    LINK_IN_NAV,
    LINK_LABELLED,
    LINK_MARKED,
    LINK_NOFOLLOW,
    Image,
    Link,
)
from tests.domain.page.reading import page, read

OWN = "https://demo.test"


def links(body: str) -> list[Link]:
    return read(page("", body)).links


def image(body: str) -> Image:
    return read(page("", body)).images[0]


def test_link_targets_are_listed_once_without_fragment_in_order():
    found = links("<a href=/b#x>B</a><a href=/a>A</a><a href=/b#y>B again</a><a href='https://www.demo.test/c'>C</a>")
    assert [link.url for link in found] == [f"{OWN}/b", f"{OWN}/a", "https://www.demo.test/c"]


def test_links_to_the_page_itself_and_other_schemes_are_ignored():
    facts = read(
        page(
            "",
            "<a href=''>x</a><a href=#top>x</a><a href=page>x</a><a href=mailto:a@b.test>x</a><a href=tel:1>x</a><a href=ftp://a>x</a>",
        )
    )
    assert facts.links == [] and facts.external_links == []
    assert facts.uncrawlable_links == 0


def test_links_to_other_hosts_are_external_and_at_most_300_are_kept():
    facts = read(
        page(
            "",
            "<a href=https://sub.demo.test/>s</a>" + "".join(f"<a href=https://o.test/{n}>o</a>" for n in range(400)),
        )
    )
    assert facts.links == []
    assert facts.external_links[0] == Link("https://sub.demo.test/", "s", LINK_IN_CONTENT)
    assert len(facts.external_links) == 300


def test_thousands_of_internal_links_are_all_read():
    found = links("".join(f"<a href=/{number}>page {number}</a>" for number in range(9_000)))
    assert (len(found), found[-1].url) == (9_000, f"{OWN}/8999")


def test_a_link_target_is_nofollow_only_if_all_links_to_it_are_nofollow():
    found = links(
        "<a rel=nofollow href=/a>a</a><a rel='noopener UGC' href=/b>b</a><a href=/a>a</a><a rel=sponsored href=/b>b</a>"
    )
    assert [link.flags & LINK_NOFOLLOW for link in found] == [0, LINK_NOFOLLOW]


def test_a_target_is_marked_if_at_least_one_link_to_it_is_nofollow():
    found = links(
        "<a href=/a>a</a><a rel=nofollow href=/a>a</a><a rel=ugc href=/b>b</a><a href=/b>b</a><a href=/c>c</a>"
    )
    assert [link.flags & LINK_MARKED for link in found] == [LINK_MARKED, LINK_MARKED, 0]


def test_examples_of_uncrawlable_links_are_kept_with_the_reason():
    facts = read(
        page(
            "",
            "<a href='javascript:void(0)'>Sizes</a><a onclick=go()>Order</a><a href='#' onclick=go()>Zoom</a>"
            "<a name=x>Mark</a><a role=button href='javascript:x()'>Menu</a>" + "<a>More</a>" * 9,
        )
    )
    assert facts.uncrawlable_links == 12
    assert facts.uncrawlable_samples[:3] == [
        ("Sizes", "javascript:void(0)"),
        ("Order", "no href"),
        ("Zoom", "onclick"),
    ]
    assert len(facts.uncrawlable_samples) == 5


def test_a_vague_link_text_is_listed_even_if_the_menu_links_the_same_page():
    navigation = "<nav>" + "".join(f"<a href=/{name}>{name.upper()}</a>" for name in "abcd") + "</nav>"
    content = (
        "<p><a href=/a>Click here</a> <a href=/b>B tents</a> <a href=/b>Read more</a>"
        " <a href=/c aria-label='About C'>more</a> <a href=/e>Read more</a></p>"
    )
    facts = read(page("", navigation + content))
    assert facts.vague_links == [(f"{OWN}/a", "Click here")]
    assert [link.text for link in facts.links] == ["A", "B", "C", "D", "Read more"]


def test_the_first_non_empty_link_text_is_stored_with_up_to_80_characters():
    found = links(f"<a href=/a> </a><a href=/a>The  <b>te</b>xt</a><a href=/a>More</a><a href=/b>{'x' * 200}</a>")
    assert found[0].text == "The text"
    assert len(found[1].text) == 80


def test_a_link_without_text_gets_its_alt_text_or_label():
    found = links(
        "<a href=/a><picture><img alt='A pic'></picture></a><a href=/b aria-label=Label></a>"
        "<a href=/c><svg><title>Drawn</title><path/></svg></a><a href=/d>plain</a><map><area href=/e alt=Area></map>"
    )
    assert [(link.text, bool(link.flags & LINK_LABELLED)) for link in found] == [
        ("A pic", True),
        ("Label", True),
        ("Drawn", True),
        ("plain", False),
        ("Area", True),
    ]


def test_links_in_the_page_header_count_as_navigation_but_not_in_an_article():
    found = links(
        "<header><a href=/a>a</a></header><nav><ul><li><a href=/b>b</a></ul></nav>"
        "<main><article><header><a href=/c>c</a></header><a href=/d>d</a></article></main>"
        "<footer><a href=/e>e</a></footer><a href=/f>f</a>"
    )
    assert [link.url[-1] for link in found if link.flags & LINK_IN_NAV] == ["a", "b", "e"]


def test_uncrawlable_links_are_counted():
    facts = read(page("", "<a>x</a><a href=javascript:void(0)>x</a><a href=# onclick=go()>x</a><a onclick=go()>x</a>"))
    assert facts.uncrawlable_links == 4


LOREM = "est non commodo luctus, nisi erat porttitor ligula, eget lacinia odio sem nec elit."


@pytest.mark.parametrize(
    ("link", "text", "count"),
    [
        ("<a class=alert-link>Duis mollis</a>", LOREM, 0),
        ("<a href='javascript:void(0)'>Duis mollis</a>", LOREM.upper(), 0),
        ("<a href=# onclick=go()>Mollis</a>", "Vestibulum ante ipsum, faucibus orci <b>luctus</b> et ultrices.", 0),
        ("<a>Order</a>", "Vestibulum: the porch of a house, and a <i>vestibulum</i> is small.", 1),
        ("<a>Order</a>", "Our tents stand in wind and rain.", 1),
        ("<a>Order</a>", f"</p><p>{LOREM}", 1),
    ],
)
def test_links_in_filler_text_are_not_uncrawlable_links(link: str, text: str, count: int):
    assert read(page("", f"<p>{link}, {text}</p>")).uncrawlable_links == count


def test_anchors_buttons_and_the_current_page_are_not_uncrawlable_links():
    facts = read(
        page(
            "",
            "<a name=top></a><a id=top></a><a role=button href=javascript:x>x</a><a role=button>x</a>"
            "<a aria-current=page>x</a><a href=#>x</a>",
        )
    )
    assert facts.uncrawlable_links == 0


@pytest.mark.parametrize(
    ("body", "count"),
    [
        ("<a class='sub-menu-toggle'></a><a class=Expand-icon><span></span></a><a class='arrow down'></a>", 0),
        ("<a class=collapse-all></a><a class=arrow><svg><path/></svg></a>", 0),
        ("<a class=arrow-link>Tents</a><a class=arrow><img src=a.png alt=Tents></a><a class=plain></a>", 3),
        ("<table><caption><span><a href='javascript:show(2);'>Own</a></span></caption></table>", 0),
        ("<ul role=tablist><li><a href=\"javascript:tabs.open('#specs')\">Data</a></ul>", 0),
        ("<ul class='nav nav-tabs'><li><a href='javascript:show(12)'>Data</a></ul>", 0),
        ("<p><a href='javascript:show(2);'>Own</a></p>", 1),
        ("<ul role=tablist><li><a href=\"javascript:go('/tents')\">Tents</a></ul>", 1),
        ("<ul role=tablist><li><a href='javascript:show(2, 3)'>Tents</a></ul>", 1),
    ],
)
def test_expanding_arrows_and_tabs_of_tables_are_not_uncrawlable_links(body: str, count: int):
    assert read(page("", body)).uncrawlable_links == count


def test_svg_anchors_and_image_map_areas_are_not_uncrawlable_links():
    drawing = "<svg><g><a xlink:title='Class'><path/></a><a href='javascript:zoom()'><path/></a></g></svg>"
    areas = "<map><area shape=rect alt=x><area href='javascript:x()' alt=y><area href='#' onclick=go()></map>"
    facts = read(page("", f"{drawing}{areas}<a href=/a>a</a>"))
    assert (facts.uncrawlable_links, facts.uncrawlable_samples) == (0, [])
    assert read(page("", f"{drawing}<a>x</a>{areas}")).uncrawlable_links == 1


@pytest.mark.parametrize(
    "control",
    [
        "<a>► Table Of Contents</a>",
        "<a>▼ Lists and indexes</a>",
        "<a href='javascript:closeAllFlips()'>Contract All</a>",
        "<a href='javascript:void(0)'>❱</a>",
        "<a href='javascript:x()'>×</a>",
        "<a href='javascript:t()'>[+]</a>",
        "<a>Menu</a>",
        "<a href='#' onclick=go()>Inhaltsverzeichnis</a>",
        "<a>目次</a>",
        "<a onclick=go() aria-label='Toggle dark mode'><svg><path/></svg></a>",
        "<a aria-expanded=false>Members of the class</a>",
        "<a href='javascript:x()' aria-controls=box>Sizes</a>",
    ],
)
def test_controls_without_a_target_page_are_not_uncrawlable_links(control: str):
    """Menus, expandable boxes and icons of settings lead to no page, in any language."""
    facts = read(page("", f"<a href=/a>a</a>{control}"))
    assert (facts.uncrawlable_links, facts.uncrawlable_samples) == (0, [])


DOXYGEN = (
    "<div id=MSearchSelectWindow><a class=SelectItem href='javascript:void(0)' onclick='searchBox.OnSelectItem(0)'>"
    "<span>&nbsp;</span>Data Structures</a></div>"
    "<a href='javascript:searchBox.CloseResultsWindow()'><img src=x.png></a>"
)


@pytest.mark.parametrize(
    "control",
    [
        DOXYGEN,
        "<li><a href='javascript:void(0);' class='menu-link'><div>Layouts</div></a> <ul><li><a href=/b>b</a></ul>",
        "<li><a href='javascript:;'>Produkte</a><!-- open --><div class=sub-nav><p><a href=/b>b</a></p></div></li>",
        "<li><span><a onclick='open(3)'>Produits</a></span><ol><li><a href='#'>x</a><a href=b>b</a></ol>",
        "<li><a>Ústředí</a><ul><li><b>x</b><a href=/b>b</a></ul>",
        "<a class='layout-menu-toggle d-block' href='javascript:void(0)'><i></i></a>",
        "<a class=navbar-toggler href='#' onclick=go()>Sections</a>",
        "<a data-mdb-toggle=collapse href='javascript:x()'>Sections</a>",
        "<a data-bs-dismiss=alert href='javascript:x()'>x</a>",
        "<a data-slide-to=2 href='javascript:x()'>Tents</a><a uk-toggle onclick=go()>Sections</a>",
        "<a href='javascript:toggleFolder(\"3\")'>Sources</a>",
        "<a href='javascript:void(0)' onclick='toggle_private();'>x</a>",
        "<a href='#' onclick='return hideAll();'>Erreurs</a><a href='javascript:history.back()'>Zur Liste</a>",
        "<a href='javascript:window.print();'>Diese Seite</a><a href='javascript:menu.close()'>Fertig</a>",
    ],
)
def test_anchors_that_open_a_submenu_or_filter_are_not_uncrawlable_links(control: str):
    facts = read(page("", f"<a href=/a>a</a>{control}"))
    assert (facts.uncrawlable_links, facts.uncrawlable_samples) == (0, [])


@pytest.mark.parametrize(
    "link",
    [
        "<li><a href='javascript:void(0)'>Tents</a><ul><li><a href='#'>b</a><li>c</ul>",
        "<p>We sell <a href='javascript:void(0)'>tents</a></p><ul><li><a href=/b>b</a></ul>",
        "<p><a href='javascript:void(0)'>Tents</a> for two</p><ul><li><a href=/b>b</a></ul>",
        "<a onclick='location=\"tents.html\"'>Tents</a><ul><li><a href=/b>b</a></ul>",
        "<a class=menu-toggle href='javascript:load(\"/tents\")'>Tents</a>",
        "<a href='javascript:toggle(1); show(7)'>Tents</a>",
        "<a href='javascript:closeoutSale()'>Tents</a>",
        "<a href='javascript:void(0)'>Tents</a><div><a href=/b>b</a></div>",
    ],
)
def test_a_link_that_only_resembles_a_control_is_uncrawlable(link: str):
    assert read(page("", f"<a href=/a>a</a>{link}")).uncrawlable_links == 1


@pytest.mark.parametrize(
    "text", ["Boots", "→", "Next", "Contents of the box", "Details", "Menu for two", "More ▼ less"]
)
def test_a_link_run_by_a_script_is_uncrawlable_if_its_text_may_name_a_page(text: str):
    assert read(page("", f"<a href='javascript:go()'>{text}</a>")).uncrawlable_links == 1


@pytest.mark.parametrize(
    ("markup", "count"),
    [
        ("<i>[deprecated]</i> <a></a><img src=a class=b>", 0),
        ("<a> </a><p class=x></p>", 0),
        ("<a><b></b></a><i class=x></i>", 0),
        ("<a>Tents</a>", 1),
        ("<a class=tents></a>", 1),
        ("<a onclick=go()></a>", 1),
        ("<a><img src=a alt=''></a>", 1),
        ("<a><i class=icon></i></a>", 1),
    ],
)
def test_stray_anchors_without_attributes_and_content_are_not_links(markup: str, count: int):
    assert read(page("", f"<a href=/a>a</a><div>{markup}</div>")).uncrawlable_links == count


def test_among_uncrawlable_links_those_whose_text_names_a_page_are_shown_first():
    steps = "<a href='javascript:go(2)'>»</a><a onclick=go()>Next</a><a href='javascript:go(0)'>Zurück</a>"
    hiding = "<a href='javascript:load(7)'>Boots for winter</a><a onclick=go()>Order now</a>"
    facts = read(page("", steps + hiding))
    assert facts.uncrawlable_links == 5
    assert [text for text, _ in facts.uncrawlable_samples] == ["Boots for winter", "Order now", "»", "Next", "Zurück"]


def test_controls_are_recognised_even_if_there_are_many_uncrawlable_links():
    facts = read(page("", "<a onclick=go()>Boots</a><a>Menu</a>" * 200))
    assert (facts.uncrawlable_links, len(facts.uncrawlable_samples)) == (200, 5)


def test_a_language_menu_lists_the_language_versions():
    menu = (
        "<a href=/de/page hreflang=de rel=alternate>de</a><a href=/fr/page hreflang=fr rel='nofollow Alternate'>fr</a>"
        "<a href=/de/page hreflang=de rel=alternate>de</a><a href=/shop/page hreflang=en rel=alternate>en</a>"
        "<a href=/es/other hreflang=es>a page in Spanish</a><a href=/it rel=alternate>it</a>"
        "<a href='https://other.test/de' hreflang=de rel=alternate>elsewhere</a>"
    )
    assert read(page("", menu)).translations == [f"{OWN}/de/page", f"{OWN}/fr/page"]
    assert read(page("<link rel=alternate hreflang=de href=/de/page>", "<p>Tents</p>")).translations == []


def test_at_most_100_entries_of_a_language_menu_are_kept():
    menu = "".join(f"<a href=/{number} hreflang=de rel=alternate>x</a>" for number in range(300))
    assert len(read(page("", menu)).translations) == 100


def test_links_with_spaces_and_unusual_letter_case_are_read():
    assert [link.url for link in links("<A HREF=' /a b '>x</A>")] == [f"{OWN}/a%20b"]


def test_a_missing_alt_is_null_and_an_empty_alt_is_empty():
    facts = read(page("", "<img src=a.png><img src=b.png alt><img src=c.png alt=''><img src=d.png alt=' D  d '>"))
    assert [found.alt for found in facts.images] == [None, "", "", "D d"]


def test_image_sizes_are_read_from_attributes_or_inline_styles():
    facts = read(
        page(
            "",
            "<img src=a width=100 height=50><img src=b width=100px height=auto>"
            "<img src=c style='width: 30px;height:20.5px'><img src=d style='max-width:30px;aspect-ratio: 16/9'>"
            "<img src=e width=100%><img src=f style='width:2ex;height:1.676ex'><img src=g style='max-height:3em'> Text",
        )
    )
    assert [(found.width, found.height, found.aspect_ratio) for found in facts.images] == [
        (100, 50, False),
        (100, None, False),
        (30, 20, False),
        (None, None, True),
        (None, None, False),
        (None, None, True),
        (None, None, False),
    ]


@pytest.mark.parametrize(
    "markup",
    [
        "<img src=a role=presentation>",
        "<img src=a aria-hidden=true>",
        "<span aria-hidden=true><img src=a></span>",
        "<img src=a width=1 height=1>",
        "<img src=a style='display:none'>",
    ],
)
def test_decorative_images_are_recognised(markup: str):
    assert image(markup).decorative
    assert not image(markup).carries_content


@pytest.mark.parametrize(
    "markup",
    [
        "<a href=/x><img src=a alt=''></a>",
        "<a href=/x><span> <picture><img src=a alt=''></picture></span></a>",
        "<a href=/x><img src=a alt='...'></a>",
        "<a href=/x><img src=a alt=IMG_2041></a>",
    ],
)
def test_an_image_that_is_the_only_content_of_a_link_needs_an_alt_text(markup: str):
    assert image(markup).carries_content


@pytest.mark.parametrize(
    "markup",
    [
        "<a href=/x><img src=a alt=''> Read on</a>",
        "<a href=/x><img src=a alt=Image> Read on</a>",
        "<a href=/x><img src=a alt='A tent'></a>",
        "<a href=/x><img src=a alt=Image title='A tent'></a>",
        "<a href=/x aria-label=Home><img src=a alt=''></a>",
        "<a href=/x><img src=a alt=''><img src=b alt=Brand></a>",
        "<figure><img src=a alt=''><figcaption>Caption</figcaption></figure>",
        "<figure><img src=a alt=''></figure>",
        "<a href='javascript:closeIt()'><img src=close.png alt=''></a>",  # as Doxygen writes it
        "<a href=' JavaScript:void(0)'><img src=a alt=''></a>",
        "<a href='#' onclick=show()><img src=a alt=''></a>",
        "<a href=''><img src=a alt=''></a>",
        "<a href=/b role=button><img src=a alt=''></a>",
        "<button><img src=a alt=''></button>",
        "<p><img src=arrow.gif alt=''></p>",
        "<a name=x><img src=a alt=''></a>",
    ],
)
def test_an_image_beside_text_or_outside_a_link_may_have_an_empty_alt_text(markup: str):
    assert not image(markup).carries_content


def test_a_lazy_loading_placeholder_is_replaced_by_the_real_image():
    facts = read(
        page(
            "",
            "<img src='data:image/gif;base64,AAAA' data-src=/real.jpg><img srcset='/s.jpg 1x, /l.jpg 2x'>"
            "<img src='data:image/gif;base64,AAAA'><img><img src='data:image/svg+xml,x' data-src='holder.js/300x200'>",
        )
    )
    assert [found.src for found in facts.images] == [f"{OWN}/real.jpg", f"{OWN}/s.jpg", "", "", ""]


def test_at_most_300_images_are_kept():
    assert len(read(page("", "<img src=a>" * 500)).images) == 300


# Each with the number of its links that no crawler can follow, as browsers build them, copies counted once.
@pytest.mark.parametrize(
    ("body", "count"),
    [
        # A tag that a sentence names is opened again in every block that follows.
        ("<p>Each tent can use an <a> to link to its page.</p>\n<div><div>one</div></div>\n<p>two</p><p>three</p>", 0),
        ("<p>Use <a> here.</p> <ul><li>one</li> <li>two</li> <li>three</li></ul>", 0),
        ("<!-- <a> <a> <a> --><p>Use <a> here.</p> <p>one</p> <p>two</p> <p>three</p>", 0),
        ("<script>x = '<a><a><a>'</script><p>Use <a> here.</p> <p>one</p> <p>two</p> <p>three</p>", 0),
        ("<p>Use <a class=x> here.</p> <p>one</p> <p>two</p> <p>three</p><a href=/b>b</a>", 0),
        # A link with a script that is not closed is one link.
        ("<p><a onclick='go()' href='javascript:go()'>Sizes</p> <p>one</p> <p>two</p>", 1),
        ("<p><a onclick='go()'>Sizes</p> <p>one</p> <p>two</p>", 1),
        # What is closed counts, also where neighbours look alike.
        ("<ul><li><a>Home</a></li><li><a>About</a></li><li><a>Shop</a></li></ul>", 3),
        ("<a onclick='go()'><h3>Tents</h3><p>For two</p></a><a onclick='go()'><h3>Boots</h3></a>", 2),
        ("<p>Use <a> here.</p> <p>one</p><p><a href=/b>b</a> and <a>Home</a> or <a>Shop</a></p>", 2),
        ("<p>Use <a> here.</p> <p>one</p><a onclick='a()'>A</a><a onclick='b()'>B</a>", 2),
    ],
)
def test_an_unclosed_link_is_counted_only_once_across_several_blocks(body: str, count: int) -> None:
    assert read(page("", body)).uncrawlable_links == count

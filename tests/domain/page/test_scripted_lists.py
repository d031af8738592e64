"""Lists that scripts fill in, the targets of forms, and files that prove who owns a website."""

import pytest

from chalicelib.domain.page.scripted_lists import MOST_NAMED
from tests.domain.page.reading import page, read

OWN = "https://demo.test"
DATA = "<script>tents = [{href: '/tents/dome', name: 'Dome'}, {href: \"\\/tents\\/tunnel\"}];</script>"

TEMPLATES = {
    "AngularJS": '<ul ng-app="camp"><li ng-repeat="t in tents"><a href="[[t.href]]">[[t.name]]</a></li></ul>',
    "AngularJS, with data-": '<ul><li data-ng-repeat="t in tents"><a ng-href="{{t.href}}">{{t.name}}</a></li></ul>',
    "Vue": '<ul id=app><li v-for="t in tents"><a :href="t.href">{{ t.name }}</a></li></ul>',
    "Vue's router": '<ul><li v-for="t in tents"><router-link :to="t.href">{{ t.name }}</router-link></li></ul>',
    "Alpine": '<div><template x-for="t in tents"><a :href="t.href" x-text="t.name"></a></template></div>',
    "Knockout": '<ul data-bind="foreach: tents"><li><a data-bind="attr: {href: url}"  href="#">x</a></li></ul>',
}
NO_LISTS = {
    "a menu": "<nav><a v-for='t in menu' :href='t.href'>{{ t.name }}</a></nav>",
    "a basket in the header": "<header><template x-for='t in basket'><a :href='t.url'>x</a></template></header>",
    "choices of a form": "<form><select><option v-for='t in sizes' :value='t'>{{ t }}</option></select></form>",
    "a table of numbers": "<table><tr ng-repeat='row in rows'><td>{{ row.price }}</td></tr></table>",
    "a code sample": "<pre>&lt;li v-for='t in tents'&gt;&lt;a :href='t.href'&gt;</pre>",
    "a list of links as it is": "<ul><li><a href='/tents/dome'>Dome</a></li></ul>",
}


@pytest.mark.parametrize("body", TEMPLATES.values(), ids=TEMPLATES)
def test_a_list_that_scripts_fill_is_recognised_with_its_addresses(body: str):
    facts = read(page("", f"<main>{body}</main>{DATA}"))
    assert facts.fills_list
    assert facts.listed_by_script == [f"{OWN}/tents/dome", f"{OWN}/tents/tunnel"]


@pytest.mark.parametrize("body", NO_LISTS.values(), ids=NO_LISTS)
def test_an_element_that_scripts_fill_is_not_always_a_list(body: str):
    assert not read(page("", f"<main>{body}</main>{DATA}")).fills_list


def test_a_template_without_a_script_is_not_a_list():
    assert not read(page("", f"<main>{TEMPLATES['Vue']}</main>")).fills_list


def test_addresses_in_structured_data_and_of_other_hosts_are_not_listed():
    ld = '<script type="application/ld+json">{"@type": "WebPage", "url": "/from/data"}</script>'
    other = "<script>a = ['https://other.example/x', 'https://demo.test/mine', '/shop/page', 'tents/relative']</script>"
    assert read(page(ld, f"{TEMPLATES['Vue']}{other}")).listed_by_script == [f"{OWN}/mine"]


def test_addresses_in_alpine_data_are_listed():
    body = "<div x-data=\"{ tents: [{ href: '/tents/dome' }] }\">" + TEMPLATES["Alpine"] + "</div><script>1</script>"
    assert read(page("", body)).listed_by_script == [f"{OWN}/tents/dome"]


def test_only_a_limited_number_of_addresses_is_read_from_a_script():
    script = "<script>" + ",".join(f"'/t/{number}'" for number in range(2 * MOST_NAMED)) + "</script>"
    assert len(read(page("", TEMPLATES["Vue"] + script)).listed_by_script) == MOST_NAMED


@pytest.mark.parametrize("href", ["[[n.href]]", "{{ n.href }}", "/tents/{{n.id}}", "%5B%5Bn.href%5D%5D"])
def test_an_angular_address_with_a_variable_is_not_a_link(href: str):
    body = f"<div ng-app=camp><a href='{href}'>x</a><a href='/b'>B</a></div>"
    facts = read(page("", body))
    assert [link.url for link in facts.links] == [f"{OWN}/b"]
    assert facts.uncrawlable_links == 0


@pytest.mark.parametrize("around", ["", "v-cloak", "x-data='{}'"])
def test_a_link_is_read_even_if_its_address_has_an_unfilled_variable(around: str):
    facts = read(page("", f"<div {around}><a href='/tents/{{{{ page.slug }}}}'>x</a></div>"))
    assert len(facts.links) == 1


def test_targets_of_forms_are_stored():
    body = (
        "<form action='/sent/' method=post><input type=hidden name=_next value='/thanks'></form>"
        "<form action='https://other.example/send'><input type=hidden name=redirect_to value='https://demo.test/ok'>"
        "<input type=hidden name=token value='/no-page'></form><form action=''></form><form action='/sent/'></form>"
    )
    assert read(page("", body)).form_targets == [f"{OWN}/sent/", f"{OWN}/thanks", f"{OWN}/ok"]


def test_only_a_limited_number_of_form_targets_is_kept():
    assert len(read(page("", "".join(f"<form action='/s/{n}'></form>" for n in range(90)))).form_targets) == 20


HEADER = "<header><h1>Camp</h1></header>"


def test_the_main_heading_of_the_content_is_found_behind_the_logo_heading():
    facts = read(page("", f"{HEADER}<main><h1>Dome tents</h1><h1>More</h1></main>"))
    assert facts.main_h1 == "Dome tents"
    assert [text for _, text in facts.headings] == ["Camp", "Dome tents", "More"]


@pytest.mark.parametrize(
    "body", [f"{HEADER}<main><h2>Tents</h2></main>", "<main><h1>Tents</h1></main><footer><h1>X</h1></footer>", HEADER]
)
def test_no_main_heading_is_stored_if_no_heading_precedes_the_content(body: str):
    assert read(page("", body)).main_h1 is None


PROOFS = {
    "/google0123456789abcdef.html": "google-site-verification: google0123456789abcdef.html",
    "/yandex_0123456789abcdef.html": "<meta charset=utf-8><body>Verification: 0123456789abcdef</body>",
    "/naver0123456789abcdef0123.html": "naver-site-verification: naver0123456789abcdef0123.html",
    "/pinterest-ab12c.html": '<head><meta name="p:domain_verify" content="0123456789"/></head><body></body>',
    "/baidu_verify_code-AbCd12.html": "0123456789abcdef",
    "/0123456789abcdefghijklmnop.html": "0123456789abcdefghijklmnop",
}
PAGES = {
    "/google0123456789abcdef.html": "<title>Verification</title><p>How we verified our website with Google</p>",
    "/google-site-verification.html": "google-site-verification: google0123456789abcdef.html",
    "/yandex_0123456789abcdef.html": "Verification: 0123456789abcdef and more",
    "/0123456789abcdefghijklmnop.html": "A tent",
    "/tents.html": "",
    "/pinterest-tents.html": "<h1>Our boards on Pinterest</h1><p>Follow us there.</p>",
}


@pytest.mark.parametrize(("path", "html"), PROOFS.items(), ids=PROOFS)
def test_a_site_verification_file_is_not_a_page(path: str, html: str):
    facts = read(html, url=OWN + path)
    assert not facts.is_html and not facts.words


@pytest.mark.parametrize(("path", "html"), PAGES.items(), ids=PAGES)
def test_a_page_similar_to_a_verification_file_is_a_page(path: str, html: str):
    assert read(html, url=OWN + path).is_html


def test_a_long_file_named_like_a_verification_file_is_a_page():
    html = PROOFS["/google0123456789abcdef.html"] + " " * 3_000
    assert read(html, url=f"{OWN}/google0123456789abcdef.html").is_html

"""One written form for each address, and links read as browsers read them."""

import string
from urllib.parse import urljoin

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from chalicelib.domain.crawl.hosts import ascii_host, is_ip_address, registrable_domain, without_www
from chalicelib.domain.crawl.urls import (
    MAX_URL_LENGTH,
    LinkResolver,
    host_key,
    normalise,
    origin,
    path_and_query,
    same_site,
    serialise,
)

NORMAL = [
    ("https://example.com/", "https://example.com/"),
    ("https://example.com", "https://example.com/"),
    ("HTTPS://Example.COM/Path", "https://example.com/Path"),
    ("http://example.com:80/", "http://example.com/"),
    ("https://example.com:443/", "https://example.com/"),
    ("http://example.com:443/", "http://example.com:443/"),
    ("http://demo.test:08080/", "http://demo.test:8080/"),
    ("http://example.com:/", "http://example.com/"),
    ("https://example.com./a", "https://example.com/a"),
    ("https://bücher.example/", "https://xn--bcher-kva.example/"),
    ("https://faß.example/", "https://xn--fa-hia.example/"),
    ("https://BÜCHER。example/", "https://xn--bcher-kva.example/"),
    ("https://%65xample.com/", "https://example.com/"),
    ("http://0x7f.1/", "http://127.0.0.1/"),
    ("http://2130706433/", "http://127.0.0.1/"),
    ("http://0177.0.0.1/", "http://127.0.0.1/"),
    ("http://[0:0:0:0:0:0:0:1]:8080/", "http://[::1]:8080/"),
    ("https://a_b.example.com/", "https://a_b.example.com/"),
    ("https://example.com/a/./b/../c", "https://example.com/a/c"),
    ("https://example.com/a/%2e%2E/b", "https://example.com/b"),
    ("https://example.com/../../a", "https://example.com/a"),
    ("https://example.com/a/..", "https://example.com/"),
    ("https://example.com/%/../%41", "https://example.com/A"),
    ("https://example.com/a/.%2e/%2E/b", "https://example.com/b"),
    ("https://example.com/a/.", "https://example.com/a/"),
    ("https://example.com/a//b", "https://example.com/a//b"),
    ("https://example.com/.well-known/x", "https://example.com/.well-known/x"),
    ("https://example.com/%7euser/%41%2d%2f", "https://example.com/~user/A-%2F"),
    ("https://example.com/caf%c3%a9", "https://example.com/caf%C3%A9"),
    ("https://example.com/café", "https://example.com/caf%C3%A9"),
    ("https://example.com/a b|c", "https://example.com/a%20b%7Cc"),
    ("https://example.com/50%-off", "https://example.com/50%-off"),
    ("https://example.com/%%34%31", "https://example.com/%%34%31"),
    ("https://example.com/\ud800", "https://example.com/%EF%BF%BD"),
    ("https://example.com\\a\\b", "https://example.com/a/b"),
    ("https:\\\\example.com/", "https://example.com/"),
    ("https:////example.com/", "https://example.com/"),
    ("https://example.com?q=1", "https://example.com/?q=1"),
    ("https://example.com/?b=2&a=1&b=2", "https://example.com/?b=2&a=1&b=2"),
    ("https://example.com/?q=a+b c&d=%e4%20é", "https://example.com/?q=a+b%20c&d=%E4%20%C3%A9"),
    ("https://example.com/?next=/a/../b?c", "https://example.com/?next=/a/../b?c"),
    ("https://example.com/?f[]=1", "https://example.com/?f%5B%5D=1"),
    ("https://example.com/?", "https://example.com/"),
    ("https://example.com/a#part", "https://example.com/a"),
    ("https://example.com/?q#a?b", "https://example.com/?q"),
    (" \x01https://exam\nple.com/a\tb\r ", "https://example.com/ab"),
    ("https://example.com/@user;v=1,2/x:y", "https://example.com/@user;v=1,2/x:y"),
]
REFUSED = [
    *("", "/a", "example.com", "ftp://example.com/", "mailto:a@example.com", "javascript:alert(1)", "data:text/html,x"),
    *("http://", "http:///", "http:example.com", "http://user@example.com/", "http://user:pw@example.com/"),
    *("http://@example.com/", "http://a b.com/", "http://a..b/", "http://.com/", "http://example.com../"),
    *("http://example.com:99999/", "http://example.com:0/", "http://example.com:8o/", "http://example.com:80:80/"),
    *(
        "http://[::1/",
        "http://::1/",
        "http://[::g]/",
        "http://[fe80::1%25eth0]/",
        "http://1.2.3.4.5/",
        "http://256.1.1.1/",
    ),
    *("http://1.2.3.08/", "http://a<b>/", "http://a%00b/", "http://a%2Fb/", "http://" + "a" * 64 + ".com/"),
    *("http://" + "a." * 130 + "com/", "http://x\u0000y/", "http://\u200e.com/", "https://example.com/" + "a" * 2048),
]


@pytest.mark.parametrize(("written", "normal"), NORMAL)
def test_each_address_has_one_normal_form(written: str, normal: str) -> None:
    assert normalise(written) == normal
    assert normalise(normal) == normal


@pytest.mark.parametrize("written", REFUSED)
def test_a_text_that_is_not_a_web_address_has_no_normal_form(written: str) -> None:
    assert normalise(written) is None


def test_addresses_up_to_2048_characters_are_accepted() -> None:
    longest = "https://example.com/" + "a" * (MAX_URL_LENGTH - 20)
    assert normalise(longest) == longest
    assert normalise(longest + "a") is None
    assert normalise("https://example.com/" + "é" * 400) is None, "its escapes are longer"


BASE = "https://www.demo.test:8080/dir/page.html?q=1#part"
LINKS = [
    ("", "https://www.demo.test:8080/dir/page.html?q=1"),
    ("#top", "https://www.demo.test:8080/dir/page.html?q=1"),
    ("?y", "https://www.demo.test:8080/dir/page.html?y"),
    ("?", "https://www.demo.test:8080/dir/page.html"),
    ("other.html", "https://www.demo.test:8080/dir/other.html"),
    ("./other.html#x", "https://www.demo.test:8080/dir/other.html"),
    ("./", "https://www.demo.test:8080/dir/"),
    ("..", "https://www.demo.test:8080/"),
    ("../../../up", "https://www.demo.test:8080/up"),
    ("sub/../x?a=/../b", "https://www.demo.test:8080/dir/x?a=/../b"),
    ("/root/page", "https://www.demo.test:8080/root/page"),
    ("/", "https://www.demo.test:8080/"),
    ("/a/../b", "https://www.demo.test:8080/b"),
    ("/a//b", "https://www.demo.test:8080/a//b"),
    ("/?", "https://www.demo.test:8080/"),
    ("/a?b#c", "https://www.demo.test:8080/a?b"),
    ("/caf%c3%a9?é", "https://www.demo.test:8080/caf%C3%A9?%C3%A9"),
    ("//cdn.test/a", "https://cdn.test/a"),
    ("\\\\cdn.test\\a", "https://cdn.test/a"),
    ("/\\cdn.test", "https://cdn.test/"),
    ("\\root\\page", "https://www.demo.test:8080/root/page"),
    ("  /a b\n", "https://www.demo.test:8080/a%20b"),
    ("/li\nnk\t", "https://www.demo.test:8080/link"),
    ("HTTP://Other.Test", "http://other.test/"),
    ("https:relative", "https://www.demo.test:8080/dir/relative"),
    ("https:/rooted", "https://www.demo.test:8080/rooted"),
    ("./a:b", "https://www.demo.test:8080/dir/a:b"),
    ("seite ü.html", "https://www.demo.test:8080/dir/seite%20%C3%BC.html"),
    ("http:other", None),
    ("javascript:void(0)", None),
    (" JavaScript:void(0)", None),
    ("java\nscript:void(0)", None),
    ("mailto:a@b.test", None),
    ("tel:+49", None),
    ("a:b", None),
    ("https://user@evil.test/", None),
    ("//", None),
    ("https://a b/", None),
    ("/" + "a" * 2048, None),
    ("x" * 10_000, None),
]


@pytest.mark.parametrize(("href", "url"), LINKS)
def test_links_are_resolved_as_in_browsers(href: str, url: str | None) -> None:
    resolver = LinkResolver(BASE)
    assert resolver.resolve(href) == url
    assert resolver.resolve(href) == url, "also from memory"


def test_a_relative_link_cached_for_one_page_is_not_reused_for_another_page() -> None:
    first, second = LinkResolver("https://a.test/x/"), LinkResolver("https://a.test/y/")
    other = LinkResolver("http://a.test/x/")
    for href in ("page", "?q", "", "https:page", "../z"):
        assert first.resolve(href) != second.resolve(href) or href == "../z"
    assert (first.resolve("/p"), other.resolve("/p")) == ("https://a.test/p", "http://a.test/p")
    assert (first.resolve("//b.test/"), other.resolve("//b.test/")) == ("https://b.test/", "http://b.test/")


def test_the_caches_of_resolved_links_are_bounded() -> None:
    resolver = LinkResolver("https://many.test/")
    for number in range(25_000):
        assert resolver.resolve(f"/page-{number}") == f"https://many.test/page-{number}"
    for number in range(40):
        assert LinkResolver(f"https://h{number}.test/").resolve("/a") == f"https://h{number}.test/a"


@pytest.mark.parametrize("base", ["", "/a", "mailto:a@b", "https://user@a.test/"])
def test_a_base_that_is_not_a_web_address_is_refused(base: str) -> None:
    with pytest.raises(ValueError, match="not an http"):
        LinkResolver(base)


def test_a_host_with_and_without_www_is_the_same_website() -> None:
    assert host_key("https://www.example.com/a") == "example.com"
    assert host_key("https://example.com/") == host_key("http://www.example.com/") == host_key("WWW.Example.com.")
    assert host_key("http://www.demo.test:8080/x") == host_key("demo.test:8080") == "demo.test:8080"
    assert host_key("http://example.com:443/") == "example.com:443"
    assert host_key("example.com:443") == host_key("example.com:80") == "example.com"
    assert host_key("https://www.com/") == "www.com", "www is the name itself here"
    assert host_key("http://[::1]:8080/") == "[::1]:8080" and host_key("http://[::1]/") == "[::1]"
    assert host_key("https://bücher.example") == "xn--bcher-kva.example"
    assert host_key("https://example.com") == "example.com"


def test_other_subdomains_ports_and_hosts_are_different_websites() -> None:
    assert same_site("https://www.example.com/a?b", "example.com")
    for url in (
        "https://shop.example.com/",
        "https://example.com:8443/",
        "https://example.org/",
        "https://myexample.com/",
    ):
        assert not same_site(url, "example.com")


def test_an_address_is_split_into_origin_and_path() -> None:
    assert origin("http://demo.test:8080/a/b?c") == "http://demo.test:8080"
    assert path_and_query("http://demo.test:8080/a/b?c=/d") == "/a/b?c=/d"
    assert (origin("https://a.test"), path_and_query("https://a.test")) == ("https://a.test", "/")


@pytest.mark.parametrize(
    ("host", "domain"),
    [
        ("shop.example.co.uk", "example.co.uk"),
        ("example.com", "example.com"),
        ("a.b.c.example.com", "example.com"),
        ("WWW.Example.DE.", "example.de"),
        ("co.uk", "co.uk"),
        ("localhost", "localhost"),
        ("shop.demo.test", "demo.test"),
        ("127.0.0.1", "127.0.0.1"),
        ("[::1]", "[::1]"),
        ("shop.bücher.de", "xn--bcher-kva.de"),
    ],
)
def test_the_registrable_domain_of_a_host_is_found(host: str, domain: str) -> None:
    assert registrable_domain(host) == domain


def test_ip_addresses_and_host_names_are_distinguished() -> None:
    assert is_ip_address("127.0.0.1") and is_ip_address("[::1]")
    assert not is_ip_address("example.com") and not is_ip_address("a1") and not is_ip_address("1.a2")
    assert without_www("www.example.com") == "example.com" and without_www("wwwexample.com") == "wwwexample.com"


@given(st.text(max_size=60))
def test_converting_a_host_to_ascii_twice_changes_nothing(text: str) -> None:
    host = ascii_host(text)
    assert host is None or (ascii_host(host) == host and host.isascii())


ANY_URL = st.builds(
    lambda scheme, host, rest: f"{scheme}://{host}{rest}",
    st.sampled_from(["http", "HTTPS", "https"]),
    st.sampled_from(["example.com", "ex.test:8080", "münchen.test", "a.test:80", "1.2.3.4"]),
    st.text(st.sampled_from("/.%?#&=+ \\é世\ud800\t[]{}|^\"'`<>%2eE%41zZ09~-_:@"), max_size=40).map(
        lambda rest: "/" + rest
    ),
)


@given(ANY_URL)
def test_normalising_an_address_twice_changes_nothing(url: str) -> None:
    once = normalise(url)
    assert once is None or (normalise(once) == once and once.isascii())


SEGMENT = st.one_of(
    st.sampled_from([".", "..", "a", "B.html", "é", "a b", "%41", "%e9", "%2F", "x%", "~u", "c;d=1", "@", "k:v"]),
    st.text(string.ascii_letters + string.digits + "-_.~!$&'()*+,=@%é ", min_size=1, max_size=8),
)
QUERY = st.one_of(
    st.just(""), st.text(string.ascii_letters + "=&+%/?é ", min_size=1, max_size=10).map(lambda q: "?" + q)
)
PATHS = st.lists(SEGMENT, min_size=1, max_size=4).map("/".join)
HREF = st.builds(
    lambda prefix, path, slash, query, fragment: prefix + path + slash + query + fragment,
    st.sampled_from(["", "/", "//other.test/", "https://Other.test/", "http://other.test:81/", "./", "../"]),
    PATHS,
    st.sampled_from(["", "/"]),
    QUERY,
    st.sampled_from(["", "#f", "#a/b?c"]),
)
BASES = st.builds(lambda path, query: f"https://base.test/{path}{query}", st.one_of(st.just(""), PATHS), QUERY)


@given(BASES, HREF)
def test_links_are_resolved_as_in_the_standard_library(base: str, href: str) -> None:
    # The standard library knows neither browsers' trimming nor "segment:…" without a scheme; both are tested above.
    assume(href == href.strip() and (href.lower().startswith("http") or ":" not in href.split("/")[0]))
    normal_base = normalise(base)
    assume(normal_base is not None)
    assert normal_base is not None
    # Its input must be normal already where it looks at dots: an escaped dot is a dot.
    encoded = href.replace("%2e", ".").replace("%2E", ".")
    assert LinkResolver(base).resolve(href) == normalise(urljoin(normal_base, encoded))


# -- as browsers write them ---------------------------------------------------------------------------------

# Written; as the URL standard serialises it, without its fragment.
SERIALISED = [
    ("https://example.com", "https://example.com/"),
    ("HTTPS://EXAMPLE.com:443/A", "https://example.com/A"),
    ("https://example.com/%7Efoo/%7efoo/~foo", "https://example.com/%7Efoo/%7efoo/~foo"),
    ("https://example.com/%ec%9e%90/%EC%9E%90", "https://example.com/%ec%9e%90/%EC%9E%90"),
    ("https://example.com/자전거/", "https://example.com/%EC%9E%90%EC%A0%84%EA%B1%B0/"),
    (
        "https://example.com/велосипед?q=цена",
        "https://example.com/%D0%B2%D0%B5%D0%BB%D0%BE%D1%81%D0%B8%D0%BF%D0%B5%D0%B4?q=%D1%86%D0%B5%D0%BD%D0%B0",
    ),
    ("https://example.com/دراجة", "https://example.com/%D8%AF%D8%B1%D8%A7%D8%AC%D8%A9"),
    ("https://example.com/caf%C3%a9é", "https://example.com/caf%C3%a9%C3%A9"),
    ("https://example.com/a b|c[d]", "https://example.com/a%20b|c[d]"),
    ('https://example.com/{a}^`"<>', "https://example.com/%7Ba%7D%5E%60%22%3C%3E"),
    ("https://example.com/?filter[color]={a}|b^`'", "https://example.com/?filter[color]={a}|b^`'"),
    ('https://example.com/?a="<b>#c', "https://example.com/?a=%22%3Cb%3E"),
    ("https://example.com/!$&'()*+,;=:@", "https://example.com/!$&'()*+,;=:@"),
    ("https://example.com/50%-off%zz%4", "https://example.com/50%-off%zz%4"),
    ("https://example.com/a/../%2e%2E/b/./c", "https://example.com/b/c"),
    ("https://example.com/a/%2e", "https://example.com/a/"),
    ("https://example.com/a%2fb%5Cc", "https://example.com/a%2fb%5Cc"),
    ("https://example.com\\a\\b?c\\d", "https://example.com/a/b?c\\d"),
    ("  https://example.com/a\tb\n ", "https://example.com/ab"),
    ("https://example.com/\x01\x7f", "https://example.com/%01%7F"),
    ("https://example.com/\ud800", "https://example.com/%EF%BF%BD"),
    ("https://example.com/?", "https://example.com/"),
    ("https://user@example.com/", None),
    ("ftp://example.com/", None),
    ("https://example.com/" + "%7E" * 700, "https://example.com/" + "~" * 700),
]


@pytest.mark.parametrize(("written", "serialised"), SERIALISED)
def test_addresses_are_serialised_as_in_browsers(written: str, serialised: str | None) -> None:
    assert serialise(written) == serialised
    if serialised is not None:
        assert serialise(serialised) == serialised
        assert normalise(serialised) == normalise(written)


@given(st.text(st.sampled_from("ab/.%2eE5Fg?&= \\\t#é자[|'{~-"), max_size=30))
def test_serialising_an_address_twice_changes_nothing(path: str) -> None:
    once = serialise("https://example.com/" + path)
    assert once is not None
    assert serialise(once) == once
    assert normalise(once) == normalise("https://example.com/" + path)


def test_links_written_differently_from_their_normal_form_are_reported() -> None:
    for _ in range(2):  # what is remembered of an origin is told to each of its pages
        page = LinkResolver("https://spelled.test/%ed%95/page?x={1}")
        hrefs = (
            "/plain",
            "b",
            "/%ec%9e",
            "//other.test/%7ea",
            "?y={2}",
            "#top",
            "mailto:x",
            "https://spelled.test/[a]",
        )
        for href in hrefs:
            page.resolve(href)
        assert page.spelled == {
            "https://spelled.test/%ED%95/b": "https://spelled.test/%ed%95/b",
            "https://spelled.test/%EC%9E": "https://spelled.test/%ec%9e",
            "https://other.test/~a": "https://other.test/%7ea",
            "https://spelled.test/%ED%95/page?y=%7B2%7D": "https://spelled.test/%ed%95/page?y={2}",
            "https://spelled.test/%ED%95/page?x=%7B1%7D": "https://spelled.test/%ed%95/page?x={1}",
            "https://spelled.test/%5Ba%5D": "https://spelled.test/[a]",
        }
        assert page.written("/%ec%9e") == "https://spelled.test/%ec%9e"
        assert (page.written("/plain"), page.written("mailto:x")) == ("https://spelled.test/plain", None)

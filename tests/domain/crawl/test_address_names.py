"""Names in addresses: pages of a list, sessions, what runs a website."""

import pytest

from chalicelib.domain.crawl.address_names import address_names, has_session, is_infrastructure, parts_of

ORIGIN = "https://shop.test"


def test_each_name_is_in_lower_case_and_unique_in_its_list_and_sources_are_given() -> None:
    names = address_names()
    for listed in (names.page_names, names.offset_names, names.page_segments, names.session_names):
        assert list(listed) == [name.lower() for name in dict.fromkeys(listed)]
    assert len(names.sources) >= 5
    assert all(path == path.lower() and path.startswith("/") for path in names.infrastructure)


@pytest.mark.parametrize(
    ("path", "rest", "number"),
    [
        ("/tents?page=2", "/tents", 2),
        ("/tents?PAGEN_1=3", "/tents", 3),
        ("/tents?sort=a&paged=4&b=c", "/tents?sort=a&b=c", 4),
        ("/tents?product-page=2", "/tents", 2),
        ("/tents?query-12-page=2", "/tents", 2),
        ("/news?tx_news_pi1%5BcurrentPage%5D=2", "/news", 2),
        ("/tents/page/2/", "/tents/", 2),
        ("/zelte/seite/12", "/zelte", 12),
        ("/zelte/seite-3.html", "/zelte.html", 3),
        ("/namioty/strona/2?a=b", "/namioty?a=b", 2),
        ("/page/2/", "/", 2),
    ],
)
def test_page_numbers_in_addresses_are_recognised(path: str, rest: str, number: int) -> None:
    part = next(parts_of(ORIGIN + path))
    assert (part.rest, part.number, part.counts) == (ORIGIN + rest, number, "pages")


@pytest.mark.parametrize(
    ("path", "counts"),
    [
        ("/tents?start=20", "entries"),
        ("/tents?b_start:int=20", "entries"),
        ("/tents?p=2", "unknown"),
        ("/t/2", "unknown"),
    ],
)
def test_ambiguous_page_numbers_in_addresses_are_marked_as_uncertain(path: str, counts: str) -> None:
    assert [part.counts for part in parts_of(ORIGIN + path)] == [counts]


@pytest.mark.parametrize(
    "path", ["/", "/tents", "/a?page=next", "/a?homepage=", "/a?id=7", "/a?page=1234567", "/2024-x"]
)
def test_an_address_without_a_page_number_has_no_page_part(path: str) -> None:
    assert list(parts_of(ORIGIN + path)) == []


@pytest.mark.parametrize(
    "path",
    [
        "/?PHPSESSID=a",
        "/a?b=c&sid=1",
        "/cart;jsessionid=0A1B",
        "/cart;JSESSIONID=0A1B?x=y",
        "/(S(lit3py55t21z5v55vlm25s55))/orders",
        "/?ASPSESSIONIDABC=1",
    ],
)
def test_session_ids_in_queries_and_paths_are_recognised(path: str) -> None:
    assert has_session(ORIGIN + path)


@pytest.mark.parametrize("path", ["/", "/?side=1", "/session", "/a(S)", "/a?aside=1", "/?sidebar=1"])
def test_no_session_id_is_found_in_an_address_without_one(path: str) -> None:
    assert not has_session(ORIGIN + path)


@pytest.mark.parametrize(
    "path",
    [
        "/cdn-cgi/l/email-protection",
        "/.well-known/security.txt",
        "/wp-json/wp/v2/posts",
        "/_next/data/x",
        "/xmlrpc.php",
    ],
)
def test_technical_addresses_of_a_website_are_not_pages(path: str) -> None:
    assert is_infrastructure(ORIGIN + path)


@pytest.mark.parametrize(
    "path", ["/", "/cdn-cgi", "/a/cdn-cgi/x", "/well-known/", "/wp-jsonp/", "/next/", "/wp-content/"]
)
def test_addresses_similar_to_technical_ones_are_pages(path: str) -> None:
    assert not is_infrastructure(ORIGIN + path)

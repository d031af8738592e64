"""Assets, headers, addresses, routes, and the data of screens."""

import json

import pytest

from chalicelib.domain.accounts.rights import OPERATOR
from chalicelib.operations import websites
from chalicelib.settings.reading import forget_settings
from chalicelib.web import addresses, replies, routing, static
from tests.api import seed
from tests.api.client import Client
from tests.api.conftest import House, settle
from tests.web.conftest import Browser, signed_in


@pytest.mark.parametrize("name", sorted(static.assets()))
def test_an_asset_with_its_hash_in_the_name_is_cached_forever(store: None, name: str) -> None:
    asset = static.assets()[name]
    answer = Browser().get(f"/app/static/{asset.address}")
    assert (answer.status, answer.text) == (200, asset.body)
    assert answer.headers["content-type"] == asset.media_type
    assert answer.headers["cache-control"] == "public, max-age=31536000, immutable"


def test_an_outdated_asset_address_returns_the_current_asset_uncached(store: None) -> None:
    answer = Browser().get("/app/static/app.000000000000.css")
    assert (answer.status, answer.headers["cache-control"]) == (200, "private, no-store")
    for path in ("app.css", "nothing.000000000000.css", "app.1.css", "..%2fweb%2fpage.py", "app.000000000000.py"):
        assert Browser().get(f"/app/static/{path}").status == 404


def test_assets_stay_below_their_size_limits() -> None:
    sizes = {name: len(asset.body.encode()) for name, asset in static.assets().items()}
    assert sizes["app.css"] <= 16_000 and sizes["app.js"] <= 10_000


def test_dark_colours_are_only_for_screens() -> None:
    css = static.assets()["app.css"].body
    assert css.count("prefers-color-scheme") == css.count("@media screen and (prefers-color-scheme: dark)") > 0
    assert "@page { size: A4" in css


@pytest.mark.parametrize("value", ["a\r\nX: 1", "a\nb", "a\rb", "a\x00", "a\x7f", "a\x85b"])
def test_an_unsafe_header_value_is_refused(value: str) -> None:
    with pytest.raises(replies.Unsafe):
        replies.response(200, "", {"Location": value})
    with pytest.raises(replies.Unsafe):
        replies.response(200, "", {}, (value,))


def test_several_cookies_are_sent_as_several_headers() -> None:
    made = replies.response(303, "", {}, ("a=1", "b=2"))
    assert made.headers["Set-Cookie"] == ["a=1", "b=2"]


@pytest.mark.parametrize(
    ("wanted", "kept"),
    [
        ("/app", True),
        ("/app/sites/a?b=c&d=%20#e", True),
        ("/app?x=1", True),
        ("/apple", False),
        ("app", False),
        ("", False),
        ("//app/x", False),
        ("/app//x", False),
        ("/app/../x", False),
        ("/app/./x", False),
        ("http://localhost/app", False),
        ("/app\\x", False),
        ("/app/\tx", False),
        ("http://[", False),
    ],
)
def test_after_sign_in_only_paths_of_the_app_are_opened(wanted: str, kept: bool) -> None:
    assert addresses.own("/app", wanted) == (wanted if kept else None)


def test_segments_and_parameters_of_an_address_are_escaped() -> None:
    assert (
        addresses.made("/app", ["sites", "a/b?c", "ü"], {"q": "a&b", "none": None})
        == "/app/sites/a%2Fb%3Fc/%C3%BC?q=a%26b"
    )
    assert addresses.made("", [], {}) == "/"
    assert addresses.made("/prod/app", []) == "/prod/app"


@pytest.mark.parametrize(
    ("path", "screen"),
    [
        ("", "portfolio"),
        ("sites/site_1", "overview"),
        ("sites/", None),
        ("sites", None),
        ("sites/a/b/c/d/e", None),
        ("Sessions", None),
        ("sign-in", "sign_in"),
    ],
)
def test_a_path_matches_at_most_one_screen(path: str, screen: str | None) -> None:
    found = routing.match(path)
    assert (None if found is None else found.route.screen) == screen


def test_different_routes_never_match_the_same_path() -> None:
    paths = [tuple("{}" if part.startswith("{") else part for part in one.path.split("/")) for one in routing.ROUTES]
    assert len(set(paths)) == len(paths)
    for route in routing.ROUTES:
        found = routing.match(route.path.replace("{", "").replace("}", ""))
        assert found is not None and found.route is route, "another route takes its path"


def test_the_data_of_a_screen_equals_the_answer_of_the_api(house: House, browser: Browser) -> None:
    seed.settled(house.site)
    answer = browser.get("/app?as=json")
    assert answer.headers["content-type"] == "application/json; charset=utf-8"
    over_http = Client(house.key).get("/portfolio").json
    found = json.loads(answer.text)
    for one in [*found["websites"], *over_http["websites"]]:
        one.pop("link")
    assert found == over_http
    assert browser.get("/app?as=csv").status == 404, "the API makes no file of it"
    assert browser.get("/app?as=xml").status == 404
    assert Browser().get("/app?as=json").status == 303


def test_an_invalid_parameter_is_reported_on_the_screen(browser: Browser) -> None:
    screen = browser.get("/app?page=x")
    assert (screen.status, screen.heading) == (400, "That is not possible")
    assert "`page` must be a whole number" in screen.main


def test_the_portfolio_shows_every_number_of_the_api_page_by_page(store: None) -> None:
    house = settle(plan="agency")
    browser = signed_in(house)
    seed.settled(house.site)
    for number in range(3):
        websites.add(OPERATOR, house.workspace_id, f"https://more-{number}.example/", name=f"more {number}")
    shown = browser.get("/app").dom.css("tbody tr")
    expected = Client(house.key).get("/portfolio").json["websites"]
    assert len(shown) == len(expected) == 5
    for row, one in zip(shown, expected, strict=True):
        cells = {str(cell.attributes.get("data-label", "")): cell.text().strip() for cell in row.css("td")}
        assert cells["Score"] == ("–" if one["score"] is None else f"{one['score']['site']:.1f}")
        for label, value in (
            ("Open issues", one["issues"]["open"]),
            ("Critical", one["issues"]["critical"]),
            ("Waiting", one["actions"]["waiting"]),
        ):
            assert cells[label] == ("–" if value is None else str(value))
    first = browser.get("/app?per=2")
    listed = [cell.text() for cell in first.dom.css("tbody tr .title")]
    while (after := first.dom.css_first("a[rel=next]")) is not None:
        first = browser.get(str(after.attributes["href"]))
        assert first.dom.css_first("a[rel=prev]").attributes["href"] == "/app?per=2", "back to the first websites"
        listed += [cell.text() for cell in first.dom.css("tbody tr .title")]
    assert listed == [one["name"] for one in expected]


def test_every_address_starts_with_the_configured_app_address(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    browser = signed_in(house)
    monkeypatch.setenv("APP_URL", "https://seo.example/tools/app/")
    forget_settings()
    browser.cookies = {f"__Host-{name}": value for name, value in browser.cookies.items()}
    screen = browser.get("/app")
    assert screen.status == 200
    found = {str(node.attributes["href"]) for node in screen.dom.css("a[href^='/'], link[href]")}
    assert found and all(address.startswith("/tools/app") for address in found)


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ({}, "http://localhost/app/sites/{}"),
        ({"Host": "127.0.0.1:8000"}, "http://127.0.0.1:8000/app/sites/{}"),
        ({"Host": "seo.internal:8000"}, "/app/sites/{}"),
    ],
)
def test_links_in_api_answers_use_the_host_of_the_request(house: House, headers: dict[str, str], expected: str) -> None:
    answer = Client(house.key).request("GET", f"/sites/{house.site.id}", headers=headers)
    assert answer.json["link"] == expected.format(house.site.id)


def test_the_link_of_a_website_opens_its_screen(house: House, browser: Browser) -> None:
    seed.settled(house.site)
    link = Client(house.key).get(f"/sites/{house.site.id}").json["link"]
    assert browser.get(link.removeprefix("http://localhost")).heading == "Main"


@pytest.mark.parametrize("name", ["self", "segments", "query", "changed", "sort"])
def test_an_unknown_parameter_is_ignored_whatever_its_name_is(browser: Browser, name: str) -> None:
    stranger = Browser().get(f"/app/sessions?{name}=1")
    assert (stranger.status, stranger.location) == (303, f"/app/sign-in?next=%2Fapp%2Fsessions%3F{name}%3D1")
    assert browser.get(f"/app/sessions?{name}=1").status == 200
    assert browser.get(f"/app?{name}=-score").status == 200

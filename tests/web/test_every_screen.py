"""What holds for every screen: who may see it, its headers, its addresses, its forms, and that it fails as a screen."""

import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest
from selectolax.lexbor import LexborNode

from chalicelib.domain import ids
from chalicelib.domain.accounts.rights import OPERATOR
from chalicelib.operations import reports, websites
from chalicelib.settings.reading import forget_settings
from chalicelib.web import rendering, routing
from chalicelib.web.routing import Route
from tests.api import seed
from tests.api.conftest import House, settle, settle_with_results
from tests.prepared import prepared
from tests.web import settings
from tests.web.conftest import Browser, Screen, signed_in, viewer

ROUTES = routing.ROUTES
SHOWN = [route for route in ROUTES if hasattr(route.module, "show")]
FOR_PEOPLE = [route for route in SHOWN if not route.anyone]
OF_WEBSITE = [route for route in SHOWN if route.path.startswith(routing.OF_WEBSITE)]
HARMLESS = {"noopener", "noreferrer", "nofollow"}


def name(route: Route) -> str:
    return route.screen


every = pytest.mark.parametrize("route", SHOWN, ids=name)
every_for_people = pytest.mark.parametrize("route", FOR_PEOPLE, ids=name)
every_of_website = pytest.mark.parametrize("route", OF_WEBSITE, ids=name)


def path_of(route: Route, house: House) -> str:
    """A path of the route on a website that ``seed.settled`` has been run on."""
    names = {
        "siteId": house.site.id,
        "issueId": ids.issue_id(house.site.id, seed.PAGE_RULE.id),
        "pageId": ids.page_id(house.site.id, seed.url(house.site, 0)),
        "auditId": seed.AUDIT,
        "jobId": seed.RUN,
        "batchId": seed.BATCH,
    }
    if "{token}" in route.path:
        names["token"] = reports.share(OPERATOR, house.site.id, 7).token
    if route.path.startswith("settings/"):
        names |= settings.names_of(house)
    return f"/app/{route.path}".rstrip("/").format(**names)


def own_addresses(screen: Screen) -> Iterator[tuple[LexborNode, str]]:
    """Every address that the screen leads to or loads, with its element."""
    for attribute in ("href", "src", "action"):
        for node in screen.dom.css(f"[{attribute}]"):
            yield node, str(node.attributes[attribute])


@pytest.fixture
def settled(store: None) -> House:
    return prepared("house with a connection", _settle_with_connection)


def _settle_with_connection() -> House:
    house = settle_with_results()
    seed.connected(house.site)
    return house


@pytest.mark.parametrize("route", ROUTES, ids=name)
def test_every_route_has_a_documented_module(route: Route) -> None:
    module = import_module(f"chalicelib.web.screens.{route.screen}")
    assert module.__doc__
    assert hasattr(module, "show") or hasattr(module, "act")
    assert hasattr(module, "show") or route.label is None
    assert route.within is None or route.within in {other.screen for other in ROUTES}


def test_every_screen_module_and_template_is_used() -> None:
    folder = Path(rendering.__file__).parent
    assert {route.screen for route in ROUTES} == {path.stem for path in (folder / "screens").glob("[!_]*.py")}
    written = "".join(path.read_text() for path in [*folder.rglob("*.py"), *folder.rglob("*.html")])
    for template in (folder / "templates").rglob("*.html"):
        assert f'"{template.relative_to(folder / "templates")}"' in written, template


def test_every_template_compiles_and_obeys_the_content_security_policy() -> None:
    environment = rendering.environment(rendering.FileSystemLoader(rendering.TEMPLATES))
    for template in environment.list_templates():
        environment.get_template(template)
        text = (rendering.TEMPLATES / template).read_text()
        assert not re.search(r"\sstyle=|\son[a-z]+=|<style|\|\s*safe|autoescape", text), template
        assert not re.search(r"=\{\{", text), f"{template}: attributes are quoted"
        assert not re.search(r'(?:href|action|src)="/', text), f"{template}: addresses are made by page.url"


@every
def test_every_screen_is_sent_with_strict_headers(route: Route, settled: House) -> None:
    screen = signed_in(settled).get(path_of(route, settled))
    assert screen.status == 200, screen.text
    assert screen.headers["content-type"] == "text/html; charset=utf-8"
    assert screen.headers["cache-control"] == "private, no-store"
    assert screen.headers["content-security-policy"].startswith("default-src 'none'; ")
    assert screen.headers["referrer-policy"] == ("no-referrer" if route.screen == "report" else "same-origin")
    assert screen.headers["x-content-type-options"] == "nosniff"
    assert len(screen.text.encode()) <= 80_000
    assert len(screen.dom.css("h1")) == 1 and screen.heading
    assert screen.dom.css_first("title").text().strip()
    assert not screen.dom.css("[style], style, script:not([src])")


@every
def test_every_link_leads_into_the_app_or_safely_to_another_website(route: Route, settled: House) -> None:
    for stage in ("", "/prod"):
        browser = signed_in(settled, stage=stage)
        screen = browser.get(path_of(route, settled))
        assert screen.status == 200
        found = list(own_addresses(screen))
        assert found
        for node, address in found:
            if address.startswith(("http:", "https:")):
                assert set(str(node.attributes["rel"]).split()) >= HARMLESS, address
            else:
                assert address.startswith(("#", f"{stage}/app")), address
                assert "None" not in address


@every
def test_every_post_form_has_the_token_and_a_nonce(route: Route, settled: House) -> None:
    if route.anyone:
        return
    screen = signed_in(settled).get(path_of(route, settled))
    for form in screen.dom.css("form[method=post]"):
        names = {str(one.attributes["name"]) for one in form.css("input[name]")}
        assert {"token", "nonce"} <= names


@every
def test_fields_have_labels_and_column_headings_have_text(route: Route, settled: House) -> None:
    screen = signed_in(settled).get(path_of(route, settled))
    for one in screen.dom.css("input:not([type=hidden]), select, textarea"):
        labelled = one.attributes.get("aria-label") or one.attributes.get("aria-labelledby")
        assert labelled or one.parent.tag == "label", one.html
        if not labelled and one.attributes.get("type") in ("radio", "checkbox"):
            assert one.parent.attributes.get("class") == "tick", f"its words would stand below it: {one.parent.html}"
    for head in screen.dom.css("th"):
        assert head.text().strip() and head.attributes.get("scope"), head.html
    found = [str(one.attributes["id"]) for one in screen.dom.css("[id]")]
    assert len(found) == len(set(found))


@every
def test_a_head_request_returns_the_headers_of_get_without_a_body(route: Route, settled: House) -> None:
    browser = signed_in(settled)
    screen = browser.request("HEAD", path_of(route, settled))
    assert (screen.status, screen.text) == (200, "")
    assert int(screen.headers["content-length"]) > 500


@every_for_people
def test_a_person_without_a_session_signs_in_and_returns(route: Route, settled: House) -> None:
    path = path_of(route, settled)
    screen = Browser().get(f"{path}?q=a%26b")
    assert screen.status == 303
    signing = Browser().follow(screen)
    assert signing.heading == "Sign in"
    expected = "" if path == "/app" else path if route.secret_query else f"{path}?q=a%26b"
    assert signing.fields("/app/sign-in")["next"] == expected


@every_of_website
def test_a_website_of_other_people_is_refused(route: Route, settled: House) -> None:
    others = settle("Others", "others.example")
    stranger = signed_in(others).get(path_of(route, settled))
    assert (stranger.status, stranger.heading) == (404, "Not found")
    client = viewer(settled, settled.other_site.id).get(path_of(route, settled))
    assert (client.status, client.heading) == (403, "No access to this website")
    for screen in (stranger, client):
        assert settled.site.host not in screen.text and settled.site.name not in screen.main


@every_of_website
def test_a_client_viewer_sees_an_assigned_website_but_changes_nothing(route: Route, settled: House) -> None:
    browser = viewer(settled, settled.site.id)
    screen = browser.get(path_of(route, settled))
    assert screen.status == 200
    assert not screen.dom.css("main form[method=post]"), "what a viewer may not do is not offered"
    if hasattr(route.module, "act"):
        token = browser.get("/app/sessions").dom.css_first("input[name=token]").attributes["value"]
        refused = browser.post(path_of(route, settled), {"token": token})
        assert (refused.status, refused.heading) == (403, "No access")


@every_of_website
def test_a_website_without_an_audit_shows_no_invented_numbers(route: Route, house: House) -> None:
    if set(re.findall(r"\{(\w+)\}", route.path)) != {"siteId"}:
        return
    screen = signed_in(house).get(path_of(route, house))
    assert screen.status == 200, screen.text
    assert "None" not in screen.main and "nan" not in screen.main.split()


@every
def test_an_unsupported_method_shows_an_error_screen(route: Route, settled: House) -> None:
    refused = signed_in(settled).request("PUT", path_of(route, settled))
    assert refused.status == 405
    assert refused.heading == "Not possible here"
    assert refused.headers["allow"] == "GET, HEAD, POST"


@every_for_people
def test_a_switched_off_group_shows_an_error_screen(
    route: Route, settled: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    browser = signed_in(settled)
    for off in ("api", "web"):
        monkeypatch.setenv("SWITCHED_OFF", off)
        forget_settings()
        screen = browser.get(path_of(route, settled))
        assert (screen.status, screen.heading) == (503, "Switched off")


@every_of_website
def test_website_names_are_escaped_on_every_screen(route: Route, house: House) -> None:
    hostile = "<script>alert(1)</script>\"'><img src=x onerror=alert(1)>"
    websites.edit(OPERATOR, house.site.id, name=hostile)
    seed.settled(house.site)
    screen = signed_in(house).get(path_of(route, house))
    assert screen.status == 200
    assert not screen.dom.css("img, script:not([src]), [onerror]")
    assert hostile in str(screen.dom.css_first("title").text())


def test_an_unknown_path_shows_an_error_screen(browser: Browser) -> None:
    for path in ("/app/nope", "/app/sites/a/b/c/d", "/app/%2e%2e/x", "/app/sites//x", "/app/sessions/"):
        screen = browser.get(path)
        assert (screen.status, screen.heading) == (404, "Not found")
    assert browser.get("/app/").headers["location"] == "/app"
    assert Browser().get("/app/nope").status == 404


def test_a_failure_shows_a_screen_with_the_request_id(browser: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(page: object) -> None:
        raise RuntimeError("a secret of the machine")

    monkeypatch.setattr("chalicelib.web.screens.portfolio.show", fail)
    screen = browser.get("/app")
    assert (screen.status, screen.heading) == (500, "Something failed")
    assert screen.headers["x-request-id"] in screen.main and "secret" not in screen.text


def test_if_the_error_screen_fails_too_one_line_of_text_is_returned(
    browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> str:
        raise RuntimeError("no template")

    monkeypatch.setattr("chalicelib.web.rendering.of_page", fail)
    screen = browser.get("/app")
    assert (screen.status, screen.text) == (500, "The service failed to answer.")

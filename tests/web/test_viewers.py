"""Client viewers see the websites that they were given and nothing else, and change nothing, whatever they send."""

from typing import Any

import pytest

from chalicelib.domain import ids
from chalicelib.store import crawls
from chalicelib.store.transactions import commit
from chalicelib.web import routing
from chalicelib.web.routing import Route
from local import embedded
from tests.api import seed
from tests.api.conftest import House, settle
from tests.web.conftest import Browser, signed_in, viewer
from tests.web.screens import SHOWN
from tests.web.test_every_screen import own_addresses, path_of

OF_WEBSITE = [route for route in SHOWN if "siteId" in route.path]
WITH_DATA = [route for route in OF_WEBSITE if hasattr(route.module, "data")]
ACTING = [route for route in routing.ROUTES if hasattr(route.module, "act") and not (route.anyone or route.viewers_act)]
WITH_IDS = [route for route in OF_WEBSITE if route.path.count("{") > 1]


def named(route: Route) -> str:
    return route.screen


@pytest.fixture
def settled(house: House) -> House:
    """The first website has everything, the other one an audit."""
    seed.settled(house.site)
    commit([crawls.put_new(seed.header(house.site, seed.BEFORE))])
    seed.connected(house.site)
    seed.audited(house.other_site)
    return house


def stored() -> dict[str, Any]:
    """Everything in the tables, but when sessions were used."""
    found: dict[str, Any] = {}
    for name, table in embedded.tables().tables.items():
        for item in table.all_items():
            attributes = item.to_json()["Attributes"]
            key = f"{name} {attributes.get('pk')} {attributes.get('sk')}"
            if "SESSION#" not in key:
                found[key] = attributes
    return found


def token_of(browser: Browser) -> str:
    found = browser.get("/app/sessions").dom.css_first("input[name=token]")
    assert found is not None
    return str(found.attributes["value"])


@pytest.mark.parametrize("route", WITH_DATA, ids=named)
def test_only_people_assigned_to_the_website_get_its_data(route: Route, settled: House) -> None:
    path = path_of(route, settled)
    others = signed_in(settle("Others", "others.example"))
    client = viewer(settled, settled.other_site.id)
    for form in ("json", "csv"):
        for browser, status in ((others, 404), (client, 403)):
            refused = browser.get(f"{path}?as={form}")
            assert refused.status == status and refused.headers["content-type"].startswith("text/html")
            assert settled.site.host not in refused.text


@pytest.mark.parametrize("route", WITH_IDS, ids=named)
def test_below_an_assigned_website_ids_of_another_website_are_not_found(route: Route, settled: House) -> None:
    names = {
        "issueId": ids.issue_id(settled.site.id, seed.PAGE_RULE.id),
        "pageId": ids.page_id(settled.site.id, seed.url(settled.site, 0)),
    }
    name = route.path.rpartition("{")[2].removesuffix("}")
    if name not in names:  # the seeds give those of both websites one id
        return
    client = viewer(settled, settled.other_site.id)
    path = f"/app/{route.path}".format(siteId=settled.other_site.id, **names)
    assert client.get(path).status == 404


@pytest.mark.parametrize("route", SHOWN, ids=named)
def test_no_screen_of_a_viewer_names_or_links_to_a_website_not_assigned_to_them(route: Route, settled: House) -> None:
    client = viewer(settled, settled.site.id)
    screen = client.get(path_of(route, settled))
    assert screen.status == 200 or (screen.status == 403 and route not in OF_WEBSITE)
    assert settled.other_site.id not in screen.text and settled.other_site.host not in screen.text
    for _, address in own_addresses(screen):
        if address.startswith("/app") and "/static/" not in address and "as=" not in address:
            assert client.get(address.partition("#")[0]).status in (200, 405), address


@pytest.mark.parametrize("route", ACTING, ids=named)
def test_no_form_lets_a_viewer_change_anything(route: Route, settled: House) -> None:
    path = path_of(route, settled)
    given, others = viewer(settled, settled.site.id), signed_in(settle("Others", "others.example"))
    refusals = [(given, 403), (others, 404)] if route in OF_WEBSITE else [(given, 403)]
    for browser, status in refusals:
        token = token_of(browser)
        before = stored()
        assert before
        for sent in ({}, {"nonce": "a-nonce"}, {"do": "approve", "urls": seed.url(settled.site, 0)}):
            refused = browser.post(path, {"token": token, **sent})
            assert refused.status == status, refused.main
        assert stored() == before


@pytest.mark.parametrize("route", ACTING, ids=named)
def test_without_a_session_nothing_can_be_changed(route: Route, settled: House) -> None:
    path = path_of(route, settled)
    before = stored()
    assert Browser().post(path, {"token": "x"}).status in (303, 403)
    assert stored() == before

"""Asking endpoints in this process: what is asked is answered, refused and cut as over HTTP."""

from typing import Any

import msgspec
import pytest

from chalicelib import api, clock
from chalicelib.domain.accounts.rights import OPERATOR, Actor
from chalicelib.http import inside
from chalicelib.http.answers import Answer, Text
from chalicelib.http.endpoints import Endpoint
from chalicelib.http.errors import ApiError
from chalicelib.http.inside import Asker
from chalicelib.operations import accounts
from chalicelib.settings.reading import forget_settings
from chalicelib.store import websites
from chalicelib.store.api_keys import Auth
from tests.api import seed
from tests.api.client import Client
from tests.api.conftest import House
from tests.api.operations import OF_WEBSITE, READS, Target, name, target
from tests.api.timeless import timeless

RECHECK = next(one for one in OF_WEBSITE if one.operation_id == "recheck_issue")
APPLY = next(one for one in OF_WEBSITE if one.operation_id == "apply_changes")
READ_SITE = next(one for one in READS if one.operation_id == "read_site")


def person(house: House, role: str = "owner", sites: list[str] | None = None) -> Auth:
    actor = Actor(house.workspace_id, house.person_id, role)
    return inside.of_person(actor, sites, limit=5_000, remaining=4_999, now=clock.now())


def path_of(wanted: Target) -> dict[str, str]:
    """The path parameters of a target."""
    pairs = zip(wanted.endpoint.path.split("/"), wanted.path.split("/"), strict=True)
    return {name[1:-1]: value for name, value in pairs if name.startswith("{")}


def query_of(wanted: Target) -> dict[str, str]:
    return dict(part.split("=", 1) for part in wanted.query.split("&") if part)


def refusal(auth: Auth, endpoint: Endpoint, path: dict[str, str], *sent: Any) -> tuple[int, str]:
    with pytest.raises(ApiError) as refused:
        inside.ask(endpoint, auth, path, *sent)
    return refused.value.status, refused.value.code


@pytest.mark.parametrize("endpoint", READS, ids=name)
def test_an_internal_read_gets_the_same_answer_as_over_http(endpoint: Endpoint, house: House) -> None:
    seed.settled(house.site)
    wanted = target(endpoint, house)
    asker = Asker(person(house), "http://localhost/api/v1")
    over_http = Client(house.key if endpoint.scope else None).get(wanted.whole)
    answer = asker.answer(endpoint, path_of(wanted), query_of(wanted))
    found = asker.ask(endpoint, path_of(wanted), query_of(wanted))
    if isinstance(found, Text):
        assert answer.body == found.body == over_http.text
        return
    expected = timeless(over_http.text)
    for one in (timeless(answer.body), timeless(msgspec.json.encode(found).decode())):
        if endpoint.operation_id == "list_topics":  # who asks second is told that the answer was kept
            expected |= {"cached": True, "computedAt": one["computedAt"]}
            one["cached"] = True
        assert one == expected


def test_every_operation_is_found_by_its_name() -> None:
    assert api.operations()["read_site"] is READ_SITE
    assert len(api.operations()) == sum(len(api.load(group).endpoints) for group in api.GROUPS)


def test_a_person_without_write_rights_has_only_read_scopes(house: House) -> None:
    assert set(person(house).scopes) - set(person(house, "client_viewer").scopes) == {
        "content:write",
        "issues:recheck",
        "audits:run",
        "actions:apply",
    }
    seed.settled(house.site)
    path = path_of(target(RECHECK, house))
    assert refusal(person(house, "client_viewer"), RECHECK, path) == (403, "missing_scope")
    assert inside.ask(RECHECK, person(house), path).queued


def test_a_person_cannot_read_a_website_that_is_not_shared_with_them(house: House) -> None:
    path = {"siteId": house.site.id}
    assert refusal(person(house, sites=[house.other_site.id]), READ_SITE, path) == (403, "site_not_covered")
    elsewhere = accounts.create_workspace(OPERATOR, "Others", "starter")
    stranger = inside.of_person(Actor(elsewhere.id, "usr_1", "owner"), None, limit=1, remaining=1, now=clock.now())
    assert refusal(stranger, READ_SITE, path) == (404, "not_found")
    assert refusal(person(house), READ_SITE, {"siteId": "../../etc"}) == (404, "not_found")


def test_invalid_parameters_and_bodies_get_the_error_codes_of_the_api(house: House) -> None:
    seed.settled(house.site)
    seed.connected(house.site)
    site = {"siteId": house.site.id}
    assert refusal(person(house), READ_SITE, site, {"nobody": "1"}) == (400, "bad_parameter")
    assert refusal(person(house), api.operations()["list_pages"], site, {"per": "-1"}) == (400, "bad_per")
    path = path_of(target(APPLY, house))
    assert refusal(person(house), APPLY, path) == (400, "bad_body")
    assert refusal(person(house), APPLY, path, {}, {"changes": [{"url": 5}]}) == (400, "bad_url")
    too_large = {"changes": [{"url": "x" * 1_000_001, "value": "v"}]}
    assert refusal(person(house), APPLY, path, {}, too_large) == (413, "too_large")


def test_requests_to_a_switched_off_group_are_refused(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SWITCHED_OFF", "sites")
    forget_settings()
    assert refusal(person(house), READ_SITE, {"siteId": house.site.id}) == (503, "switched_off")


def test_a_website_is_loaded_once_for_several_reads_and_again_after_a_write(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    seed.settled(house.site)
    read: list[str] = []
    get = websites.get

    def counted(workspace_id: str, site_id: str) -> Any:
        read.append(site_id)
        return get(workspace_id, site_id)

    monkeypatch.setattr("chalicelib.http.authentication.websites.get", counted)
    asker = Asker(person(house))
    for _ in range(2):
        asker.ask(READ_SITE, {"siteId": house.site.id})
        asker.ask(api.operations()["list_pages"], {"siteId": house.site.id})
    assert read == [house.site.id]
    asker.ask(RECHECK, path_of(target(RECHECK, house)))
    asker.ask(READ_SITE, {"siteId": house.site.id})
    assert read.count(house.site.id) == 2


def test_a_file_is_returned_unchanged(house: House) -> None:
    seed.settled(house.site)
    endpoint = api.operations()["read_search_rows"]
    wanted = target(endpoint, house)
    answer = inside.ask(endpoint, person(house), path_of(wanted), query_of(wanted) | {"format": "csv"})
    assert isinstance(answer, Answer)
    assert answer.headers["Content-Type"].startswith("text/csv")

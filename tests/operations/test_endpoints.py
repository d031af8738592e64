"""Webhook endpoints: who may do what, which addresses are taken, and what is kept of a secret."""

import re
from collections.abc import Iterator

import pytest
from botocore.exceptions import ClientError

from chalicelib.domain.accounts.rights import OPERATOR
from chalicelib.domain.webhooks.kinds import EVENT_KINDS
from chalicelib.operations import endpoints
from chalicelib.operations.errors import Refused
from chalicelib.settings.reading import forget_settings
from chalicelib.store import endpoints as store
from chalicelib.store import secrets
from tests import webhooks
from tests.aws import stored
from tests.operations.conftest import Team

pytestmark = pytest.mark.usefixtures("store")
URL = "https://hooks.example/seo"


@pytest.fixture(autouse=True)
def names(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Names are not looked up outside; loopback is let through."""
    monkeypatch.setenv("ALLOW_ADDRESSES", "127.0.0.0/8")
    monkeypatch.setenv("EXTRA_HOSTS", "hooks.example=93.184.215.14,inside.example=10.0.0.1,mixed.example=127.0.0.1")
    forget_settings()
    yield
    monkeypatch.undo()
    forget_settings()


def refusal(call: object, *args: object, **kwargs: object) -> str:
    with pytest.raises(Refused) as caught:
        call(*args, **kwargs)  # type: ignore[operator]
    assert caught.value.message.endswith(".")
    return caught.value.code


def test_the_secret_of_an_endpoint_is_shown_once(team: Team) -> None:
    new = endpoints.add(OPERATOR, team.workspace_id, URL, ["issue.resolved", "audit.finished", "issue.resolved"])
    assert re.fullmatch(r"end_[0-9A-Z]{26}", new.endpoint.id)
    assert re.fullmatch(r"wos_wh_[0-9a-f]{64}", new.secret.reveal())
    assert (new.endpoint.state, new.endpoint.failures_in_a_row) == ("on", 0)
    assert new.endpoint.events == ["issue.resolved", "audit.finished"], "each once, in the specification's order"
    (listed,) = endpoints.list_all(OPERATOR, team.workspace_id)
    assert listed == new.endpoint


def test_a_secret_is_stored_encrypted_and_bound_to_its_endpoint(team: Team) -> None:
    new = endpoints.add(OPERATOR, team.workspace_id, URL, ["audit.finished"])
    sealed = new.endpoint.secret
    assert new.secret.reveal().encode() not in sealed
    (row,) = (row for row in stored("webhooks") if row.get("secret"))
    assert row["secret"] == sealed
    assert new.secret.reveal() not in str(stored("webhooks"))
    context = {"workspaceId": team.workspace_id, "endpointId": new.endpoint.id}
    assert secrets.unseal(sealed, **context).reveal() == new.secret.reveal()
    with pytest.raises(ClientError):
        secrets.unseal(sealed, **{**context, "endpointId": "end_other"})
    assert new.secret.reveal() not in f"{new} {new.secret} {new.endpoint!r}"


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("http://hooks.example/", "https://"),
        ("https://inside.example/", "not a public address"),
        ("https://10.0.0.1/", "not a public address"),
        ("https://[::1]/", "not a public address"),
        ("https://169.254.169.254/latest", "not a public address"),
        ("https://2130706434.example@10.1.1.1/", "user name"),
        ("https://user:password@hooks.example/", "user name"),
        ("https://hooks.example:22/", "port 22"),
        ("https://hooks.example:80/", "port 80"),
        ("http://nowhere.invalid/", "https://"),
        ("ftp://hooks.example/", "http://"),
        ("hooks.example", "http://"),
        ("https://hooks.example/a b", "white space"),
        ("https://hooks.example/" + "a" * 2_000, "2,000 characters"),
    ],
)
def test_an_unreachable_or_private_address_is_refused(team: Team, url: str, why: str) -> None:
    with pytest.raises(Refused, match=re.escape(why)) as caught:
        endpoints.add(OPERATOR, team.workspace_id, url, ["audit.finished"])
    assert caught.value.code == "bad_url"
    new = endpoints.add(OPERATOR, team.workspace_id, URL, ["audit.finished"])
    assert refusal(endpoints.edit, OPERATOR, team.workspace_id, new.endpoint.id, url) == "bad_url"


@pytest.mark.parametrize(
    "url",
    [URL, "https://hooks.example:8443/", "https://127.0.0.1/", "http://mixed.example:8000/", "https://later.invalid/"],
)
def test_https_addresses_are_accepted_and_http_only_in_allowed_networks(team: Team, url: str) -> None:
    assert endpoints.add(OPERATOR, team.workspace_id, url, ["audit.finished"]).endpoint.url == url


@pytest.mark.parametrize("events", [[], ["audit.started"], ["ping"], ["audit.finished", "*"]])
def test_unknown_events_are_refused(team: Team, events: list[str]) -> None:
    assert refusal(endpoints.add, OPERATOR, team.workspace_id, URL, events) == "bad_events"


def test_editing_changes_the_address_or_events_and_keeps_the_secret(team: Team) -> None:
    new = endpoints.add(OPERATOR, team.workspace_id, URL, ["audit.finished"])
    edited = endpoints.edit(OPERATOR, team.workspace_id, new.endpoint.id, "https://hooks.example/2", EVENT_KINDS)
    assert (edited.url, edited.events) == ("https://hooks.example/2", list(EVENT_KINDS))
    assert edited.secret == new.endpoint.secret
    assert endpoints.edit(OPERATOR, team.workspace_id, new.endpoint.id, URL).events == list(EVENT_KINDS)
    assert refusal(endpoints.edit, OPERATOR, team.workspace_id, new.endpoint.id) == "no_changes"


def test_an_endpoint_can_be_switched_off_switched_on_and_removed(team: Team) -> None:
    endpoint = endpoints.add(OPERATOR, team.workspace_id, URL, ["audit.finished"]).endpoint
    off = endpoints.switch_off(OPERATOR, team.workspace_id, endpoint.id)
    assert (off.state, off.off_reason) == ("off", "switched off by a person") and off.off_at is not None
    assert endpoints.switch_off(OPERATOR, team.workspace_id, endpoint.id) == off, "doing it twice changes nothing"
    on = endpoints.switch_on(OPERATOR, team.workspace_id, endpoint.id)
    assert (on.state, on.off_reason, on.off_at, on.failures_in_a_row) == ("on", None, None, 0)
    endpoints.remove(OPERATOR, team.workspace_id, endpoint.id)
    assert endpoints.list_all(OPERATOR, team.workspace_id) == []
    assert refusal(endpoints.remove, OPERATOR, team.workspace_id, endpoint.id) == "not_found"


def test_only_owners_and_admins_manage_endpoints(team: Team) -> None:
    endpoint = endpoints.add(team.actor("owner"), team.workspace_id, URL, ["audit.finished"]).endpoint
    endpoints.ping(team.actor("admin"), team.workspace_id, endpoint.id)
    for role in ("member", "client_viewer"):
        actor = team.actor(role)
        assert refusal(endpoints.add, actor, team.workspace_id, URL, ["audit.finished"]) == "not_allowed"
        for call in (endpoints.edit, endpoints.switch_on, endpoints.switch_off, endpoints.remove, endpoints.ping):
            assert refusal(call, actor, team.workspace_id, endpoint.id) == "not_allowed"
        assert refusal(endpoints.log, actor, team.workspace_id, endpoint.id) == "not_allowed"
        assert refusal(endpoints.replay, actor, team.workspace_id, "dlv_1") == "not_allowed"
        assert refusal(endpoints.list_all, actor, team.workspace_id) == "not_allowed"


def test_an_endpoint_of_another_workspace_is_not_found(team: Team) -> None:
    stranger = webhooks.endpoint(URL, endpoint_id="end_stranger", workspace_id="wsp_other")
    for call in (
        endpoints.edit,
        endpoints.switch_on,
        endpoints.switch_off,
        endpoints.remove,
        endpoints.ping,
        endpoints.log,
    ):
        arguments = (URL,) if call is endpoints.edit else ()
        assert refusal(call, OPERATOR, team.workspace_id, stranger.id, *arguments) == "not_found"
    assert refusal(endpoints.add, OPERATOR, "wsp_nowhere", URL, ["audit.finished"]) == "not_found"


def test_the_log_of_deliveries_is_newest_first_and_outlives_its_endpoint() -> None:
    webhooks.endpoint(URL)
    for kind in ("audit.finished", "issue.resolved", "score.changed"):
        webhooks.publish(webhooks.event(kind))
        webhooks.hand_over()
        webhooks.advance(1)
    shown = endpoints.log(OPERATOR, webhooks.WORKSPACE, "end_1")
    assert [delivery.event for delivery in shown] == ["score.changed", "issue.resolved", "audit.finished"]
    assert len(endpoints.log(OPERATOR, webhooks.WORKSPACE, "end_1", limit=2)) == 2
    endpoints.remove(OPERATOR, webhooks.WORKSPACE, "end_1")
    gone = endpoints.log(OPERATOR, webhooks.WORKSPACE, "end_1")
    assert [delivery.state for delivery in gone] == ["endpoint_removed"] * 3
    webhooks.advance(31 * 86_400)
    assert refusal(endpoints.log, OPERATOR, webhooks.WORKSPACE, "end_1") == "not_found"


def test_a_delivery_can_be_replayed_if_it_has_ended_and_its_endpoint_exists() -> None:
    webhooks.endpoint(URL)
    webhooks.publish(webhooks.event())
    webhooks.hand_over()
    (delivery,) = webhooks.log()
    assert refusal(endpoints.replay, OPERATOR, webhooks.WORKSPACE, delivery.id) == "still_waiting"
    assert refusal(endpoints.replay, OPERATOR, "wsp_other", delivery.id) == "not_found"
    assert refusal(endpoints.replay, OPERATOR, webhooks.WORKSPACE, "dlv_none") == "not_found"
    store.remove(webhooks.WORKSPACE, "end_1")
    assert refusal(endpoints.replay, OPERATOR, webhooks.WORKSPACE, delivery.id) == "not_found"


def test_a_workspace_has_at_most_a_hundred_endpoints(team: Team, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(endpoints, "ENDPOINTS_PER_WORKSPACE", 2)
    for _ in range(2):
        endpoints.add(OPERATOR, team.workspace_id, URL, ["audit.finished"])
    assert refusal(endpoints.add, OPERATOR, team.workspace_id, URL, ["audit.finished"]) == "too_many_endpoints"

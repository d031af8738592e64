"""What tests of the workspace's screens share: forms as a browser sends them, and people of each role."""

from typing import Any

from chalicelib import clock
from chalicelib.domain.accounts.rights import OPERATOR
from chalicelib.operations import accounts, endpoints
from chalicelib.store import api_keys, deliveries
from tests.api.conftest import House
from tests.web.conftest import Browser, Screen, signed_in

URL = "https://hooks.example/seo"  # tests look up no name, so that every try fails


def sent(screen: Screen, number: int = 0, **changed: Any) -> dict[str, Any]:
    """What a browser would send of a form of the screen as it stands there, with these values."""
    form = screen.dom.css("main form[method=post]")[number]
    fields: dict[str, Any] = {}
    for one in form.css("input[name], select[name], textarea[name]"):
        name, kind = str(one.attributes["name"]), one.attributes.get("type")
        if one.tag == "select":
            chosen = one.css_first("option[selected]") or one.css_first("option")
            fields[name] = str(chosen.attributes["value"])
        elif one.tag == "textarea":
            fields[name] = one.text().removeprefix("\n")
        elif kind == "checkbox":
            fields.setdefault(name, [])
            if "checked" in one.attributes:
                fields[name].append(str(one.attributes["value"]))
        elif kind != "radio" or "checked" in one.attributes:
            fields[name] = one.attributes.get("value") or ""
    return fields | changed


def of_role(house: House, role: str) -> Browser:
    """A browser in which a new person of this role is signed in."""
    sites = [house.site.id] if role == "client_viewer" else None
    person = accounts.add_person(OPERATOR, house.workspace_id, f"{role}@acme.example", role, sites)
    return signed_in(house, person.id)


def names_of(house: House) -> dict[str, str]:
    """What the paths of the workspace's screens name: a key, a person, and an endpoint with a delivery, which is added
    where there is none."""
    found = endpoints.list_all(OPERATOR, house.workspace_id)
    endpoint = found[0] if found else endpoints.add(OPERATOR, house.workspace_id, URL, ["audit.finished"]).endpoint
    sent_before = deliveries.list_latest(house.workspace_id, endpoint.id, 1)
    delivery = sent_before[0] if sent_before else endpoints.ping(OPERATOR, house.workspace_id, endpoint.id)
    return {
        "keyId": api_keys.list_all(house.workspace_id)[0].id,
        "personId": house.person_id,
        "endpointId": endpoint.id,
        "deliveryId": delivery.id,
    }


def early_in_the_hour() -> None:
    """Move the service's clock to the first minutes of the next hour, for what is counted by the hour."""
    clock.set_offset(clock.offset() + 3_600 - clock.now() % 3_600 + 60)

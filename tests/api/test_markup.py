"""Markup in what people and websites say is text: answers say it letter for letter, and no browser reads it as HTML."""

from collections.abc import Iterator
from typing import Any

import pytest

from chalicelib.domain.accounts.rights import OPERATOR
from chalicelib.http.endpoints import Endpoint
from chalicelib.operations import websites
from tests.api import seed
from tests.api.client import Client
from tests.api.conftest import House
from tests.api.operations import READS, name, target

MARKUP = "</script><script>alert(1)</script><img src=x onerror=alert(2)> &amp; \"'"
DATA = ("application/json", "text/csv", "text/plain", "text/markdown")


@pytest.mark.parametrize("endpoint", READS, ids=name)
def test_every_answer_is_data_that_browsers_do_not_treat_as_html(endpoint: Endpoint, house: House) -> None:
    seed.settled(house.site)
    seed.connected(house.site)
    wanted = target(endpoint, house)
    received = Client(house.key if endpoint.scope else None).request("GET", wanted.whole)
    assert received.headers["content-type"].partition(";")[0] in DATA
    assert received.headers["x-content-type-options"] == "nosniff"
    refused = Client(house.key if endpoint.scope else None).request("GET", wanted.with_query(f"x={'%3Cscript%3E'}"))
    assert refused.headers["content-type"].partition(";")[0] == "application/json"
    assert refused.headers["x-content-type-options"] == "nosniff"


def texts(value: Any) -> Iterator[str]:
    """Every text of an answer."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list | dict):
        for member in value.values() if isinstance(value, dict) else value:
            yield from texts(member)


def test_a_name_with_markup_is_returned_unchanged(house: House) -> None:
    websites.edit(OPERATOR, house.site.id, name=MARKUP)
    client = Client(house.key)
    listed = client.get("/sites")
    assert MARKUP in texts(listed.json)
    assert client.get(f"/sites/{house.site.id}").json["name"] == MARKUP

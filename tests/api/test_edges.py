"""Values at the edges of what a parameter may be, over every operation that takes parameters: none makes the service
fail. Malformed ones stand in ``test_malformed``."""

import json
from itertools import combinations, product
from typing import Any
from urllib.parse import urlencode

import pytest

from chalicelib.http.endpoints import Endpoint
from chalicelib.http.parameters import declared
from tests.api import seed
from tests.api.client import send
from tests.api.conftest import EVERY_SCOPE, House
from tests.api.operations import ENDPOINTS, target

REQUESTS_PER_KEY = 1_000
DAYS = ["0001-01-01", "0001-01-28", "2024-02-29", "9999-12-31"]
WITH_PARAMETERS = [endpoint for endpoint in ENDPOINTS if endpoint.parameters and declared(endpoint.parameters)]


def edges(schema: dict[str, Any]) -> list[str]:
    """The first and the last that the schema of a parameter allows, and every word of a list of words."""
    if schema.get("format") == "date":
        return DAYS
    if "enum" in schema:
        return [str(word) for word in schema["enum"]]
    if schema["type"] == "integer":
        return [str(number) for number in (schema.get("minimum", -(2**63)), schema.get("maximum", 2**63))]
    if schema["type"] == "boolean":
        return ["true", "false"]
    length = schema.get("maxLength", 2_000)
    return ["x" * length, "\U0010ffff" * (length // 2)]


def questions(endpoint: Endpoint) -> list[dict[str, str]]:
    """Each parameter at each edge, alone and beside each other one at each of its edges; days all together."""
    schemas = {parameter.name: edges(parameter.schema) for parameter in declared(endpoint.parameters)}
    alone = [{name: value} for name, values in schemas.items() for value in values]
    pairs = [
        dict(zip(names, values, strict=True))
        for names in combinations(schemas, 2)
        for values in product(*(schemas[name] for name in names))
    ]
    return alone + pairs


@pytest.mark.parametrize("endpoint", WITH_PARAMETERS, ids=[endpoint.operation_id for endpoint in WITH_PARAMETERS])
def test_no_boundary_value_of_a_parameter_causes_an_internal_error(endpoint: Endpoint, house: House) -> None:
    seed.settled(house.site)
    seed.connected(house.site)
    wanted = target(endpoint, house)
    asked = questions(endpoint)
    assert asked
    for number, query in enumerate(asked):
        if number % REQUESTS_PER_KEY == 0:
            key = house.new_key(*EVERY_SCOPE)
        received = send(
            endpoint.method,
            f"/api/v1{wanted.path}?{urlencode(query)}",
            {"Authorization": f"Bearer {key}"},
            wanted.body and wanted.body.encode(),
        )
        assert received.status < 500, (query, received.text[:300])
        if received.status >= 400:
            assert json.loads(received.text)["error"]["code"], query

"""No operation shows or touches anything of another workspace, whatever its path names."""

import pytest

from chalicelib.domain import ids
from chalicelib.http.endpoints import Endpoint
from tests.api import seed
from tests.api.client import Client
from tests.api.conftest import House, settle
from tests.api.operations import KEYED, OF_WEBSITE, name, target

# Of each path parameter beside the website: what the strangers have under that name, and an id that nobody has.
FOREIGN = {
    "issueId": (lambda strangers: ids.issue_id(strangers.site.id, seed.PAGE_RULE.id), ids.issue_id("site_x", "RULE")),
    "pageId": (lambda strangers: ids.page_id(strangers.site.id, seed.url(strangers.site, 0)), ids.page_id("s", "u")),
    "auditId": (lambda strangers: seed.AUDIT, "aud_unknown"),
    "batchId": (lambda strangers: seed.BATCH, "batch_unknown"),
    "previewId": (lambda strangers: seed.PREVIEW, "prev_unknown"),
    "exportId": (lambda strangers: seed.EXPORT, "exp_unknown"),
    "jobId": (lambda strangers: seed.RUN, "job_unknown"),
}


def named(endpoint: Endpoint) -> set[str]:
    """What the path names beside the website."""
    return {part[1:-1] for part in endpoint.path.split("/") if part.startswith("{")} - {"siteId"}


NAMING = [endpoint for endpoint in OF_WEBSITE if named(endpoint)]
OF_ALL_WEBSITES = [endpoint for endpoint in KEYED if not endpoint.of_website]


@pytest.fixture
def strangers(house: House) -> House:
    """Another workspace, whose website has everything that one can have; that of the house has nothing yet."""
    strangers = settle("Strangers", "strangers.example")
    seed.settled(strangers.site)
    seed.connected(strangers.site)
    return strangers


def test_isolation_is_tested_for_every_operation() -> None:
    assert {name for endpoint in NAMING for name in named(endpoint)} == set(FOREIGN)
    assert all(not named(endpoint) for endpoint in OF_ALL_WEBSITES)
    assert len(OF_WEBSITE) + len(OF_ALL_WEBSITES) == len(KEYED)


@pytest.mark.parametrize("endpoint", NAMING, ids=name)
def test_ids_of_another_workspace_are_not_found(endpoint: Endpoint, house: House, strangers: House) -> None:
    client = Client(house.key)
    for parameter in named(endpoint):
        foreign, unknown = FOREIGN[parameter][0](strangers), FOREIGN[parameter][1]
        answers = [target(endpoint, house, **{parameter: value}) for value in (foreign, unknown)]
        received = [client.request(endpoint.method, one.whole, body=one.body) for one in answers]
        assert [one.status for one in received] == [404, 404]
        assert received[0].text.replace(foreign, "ID") == received[1].text.replace(unknown, "ID")
    own = target(endpoint, strangers)
    assert Client(strangers.key).request(endpoint.method, own.whole, body=own.body).status == endpoint.status


@pytest.mark.parametrize("endpoint", OF_ALL_WEBSITES, ids=name)
def test_operations_on_all_websites_return_only_data_of_the_own_workspace(
    endpoint: Endpoint, house: House, strangers: House
) -> None:
    received = Client(house.key).request(endpoint.method, target(endpoint, house).whole)
    assert received.status == endpoint.status
    for foreign in (strangers.workspace_id, strangers.site.id, "strangers.example", "Strangers", seed.AUDIT):
        assert foreign not in received.text

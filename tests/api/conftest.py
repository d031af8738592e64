"""A workspace with websites, keys and the results of an audit, and clients that use its keys."""

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass

import pytest

from chalicelib import clock
from chalicelib.domain.accounts.rights import OPERATOR, SCOPES
from chalicelib.operations import accounts, websites
from chalicelib.settings.reading import forget_settings
from chalicelib.store import client
from chalicelib.store.websites import Website
from local import embedded
from tests.api import seed
from tests.api.client import Client
from tests.prepared import continued, prepared
from tests.servers.wire import Script, WireServer

Serve = Callable[[Script], Website]
EVERY_SCOPE = tuple(SCOPES)


@dataclass(frozen=True)
class House:
    """A workspace on the plan Starter: its owner, two websites, and a key with every scope."""

    workspace_id: str
    person_id: str
    site: Website
    other_site: Website
    key: str

    def new_key(self, *scopes: str, sites: tuple[str, ...] | None = None) -> str:
        created = accounts.create_workspace_key(OPERATOR, self.workspace_id, self.person_id, scopes, sites)
        return created.secret


def settle(name: str = "Acme", host: str = "acme.example", plan: str = "starter") -> House:
    """A new workspace with two websites."""
    return continued(("settle", name, host, plan), lambda: _settle(name, host, plan))


def _settle(name: str, host: str, plan: str) -> House:
    workspace = accounts.create_workspace(OPERATOR, name, plan)
    person = accounts.add_person(OPERATOR, workspace.id, f"owner@{host}", "owner")
    site = websites.add(OPERATOR, workspace.id, f"https://{host}/", name="Main")
    other = websites.add(OPERATOR, workspace.id, f"https://blog.{host}/", name="blog")
    created = accounts.create_workspace_key(OPERATOR, workspace.id, person.id, EVERY_SCOPE, None)
    return House(workspace.id, person.id, site, other, created.secret)


def settle_with_results() -> House:
    """A new workspace whose first website has been audited, and has data of searches and visits."""
    house = settle()
    seed.settled(house.site)
    return house


@pytest.fixture(autouse=True)
def settings(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The settings of a deployed API, read anew for each test."""
    monkeypatch.setenv("CURSOR_SECRET", "a secret of the tests")
    monkeypatch.setenv("APP_URL", "https://app.example.com")
    monkeypatch.delenv("SWITCHED_OFF", raising=False)
    forget_settings()
    yield
    monkeypatch.undo()
    forget_settings()
    assert "SWITCHED_OFF" not in os.environ


@pytest.fixture
def house(store: None, request: pytest.FixtureRequest) -> House:
    """Its plan has room for more websites where the test serves some."""
    plan = "enterprise" if "served" in request.fixturenames else "starter"
    return prepared(("house", plan), lambda: settle(plan=plan))


@pytest.fixture
def settled(store: None) -> House:
    """A house whose first website has everything that ``seed.settled`` leaves, and no connection to a CMS."""
    return prepared("settled", settle_with_results)


@pytest.fixture
def served(house: House, loopback_allowed: None) -> Iterator[Serve]:
    """Serves a website of the house by a script, until the test is over."""
    with ExitStack() as servers:
        yield lambda script: websites.add(OPERATOR, house.workspace_id, servers.enter_context(WireServer(script)).url())


@pytest.fixture
def api(house: House) -> Client:
    return Client(house.key)


@pytest.fixture
def now() -> float:
    return clock.now()


@pytest.fixture
def bucket(store: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[embedded.Endpoint]:
    """The bucket of large files, at an address that anybody can ask."""
    endpoint = embedded.Endpoint()
    monkeypatch.setenv(embedded.OBJECTS_ENDPOINT, endpoint.url)
    client.reset()
    yield endpoint
    endpoint.stop()
    monkeypatch.undo()
    client.reset()

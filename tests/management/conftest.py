"""Running the operator's command line as it is run by hand, but in this process."""

import json
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

import manage
from chalicelib.domain.accounts.rights import OPERATOR
from chalicelib.operations import accounts, assistant_keys, endpoints, prompts, reports, sources
from chalicelib.settings.reading import forget_settings
from chalicelib.store import client
from chalicelib.store.secrets import Secret
from local import embedded
from local.standins.search_console import Search
from local.standins.search_data import ListSearch, PairRow
from tests import webhooks
from tests.changes import open_house
from tests.management.calls import World

Run = Callable[..., dict[str, Any]]


@pytest.fixture
def bucket(store: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The bucket of the embedded AWS, which is reached over a socket only."""
    served = embedded.Endpoint()
    monkeypatch.setenv(embedded.OBJECTS_ENDPOINT, served.url)
    client.reset()
    yield
    served.stop()
    monkeypatch.undo()
    client.reset()


@pytest.fixture
def run(store: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs a command with ``--json``, expects success and gives the object it printed."""
    monkeypatch.setenv("LOCAL_DIR", str(tmp_path))

    def run_command(*arguments: str) -> dict[str, Any]:
        status = manage.main([*arguments, "--json"])
        printed = capsys.readouterr()
        assert (status, printed.err) == (0, "")
        answer = json.loads(printed.out)
        assert isinstance(answer, dict)
        assert all("id" in row for row in answer.get("items", [answer]))
        return answer

    return run_command


@pytest.fixture
def refused(run: Run, capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """Runs a command, expects exit status 2 and gives the one plain line on standard error."""

    def run_command(*arguments: str) -> str:
        assert manage.main(arguments) == 2
        printed = capsys.readouterr()
        assert printed.out == ""
        assert printed.err.endswith("\n")
        assert printed.err.count("\n") == 1
        return printed.err.strip()

    return run_command


@pytest.fixture
def served(store: None) -> Iterator[None]:
    """The bucket of the embedded AWS, which is reached over a socket only."""
    endpoint = embedded.Endpoint()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(embedded.OBJECTS_ENDPOINT, endpoint.url)
        client.reset()
        yield
    endpoint.stop()
    client.reset()


@pytest.fixture
def search() -> Iterator[Search]:
    last = datetime.now(UTC).date() - timedelta(3)
    standin = Search("sc-domain:127.0.0.1", ListSearch({last: [PairRow("q", "https://x.example/", 1, 2, 3)]}, last))
    yield standin
    standin.stop()


@pytest.fixture
def full(store: None, served: None, search: Search, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    """A workspace whose website was audited, connected in two ways and written to, with a key, an endpoint and more."""
    for name, value in search.settings({}).items():
        monkeypatch.setenv(name, value)
    with open_house(monkeypatch) as house:
        site, workspace = house.site_id, house.website.workspace_id
        batch = house.apply({"/a": "All about A"})
        house.write()
        given = search.credentials()
        sources.connect_search(OPERATOR, site, name=given["property"], credentials=given["credentials"])
        key = accounts.create_workspace_key(OPERATOR, workspace, house.person_id, ["sites:read"])
        endpoint = endpoints.add(OPERATOR, workspace, "https://hooks.example/", ["audit.finished"]).endpoint
        delivery = endpoints.ping(OPERATOR, workspace, endpoint.id)
        assistant_keys.put(OPERATOR, workspace, "openai", Secret("sk-0123456789"))
        webhooks.hand_over()
        yield World(
            folder=tmp_path,
            workspace=workspace,
            person=house.person_id,
            site=site,
            key=key.listed.id,
            endpoint=endpoint.id,
            delivery=delivery.id,
            audit=house.current().current_crawl or "",
            issue=next(issue.id for issue in house.book().issues if issue.status == "open"),
            batch=batch.id,
            prompt=prompts.add(OPERATOR, site, "Which boots?").id,
            report=reports.share(OPERATOR, site, 7).link.key,
        )
    monkeypatch.undo()
    forget_settings()

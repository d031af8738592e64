"""The command line in a process of its own, beside a running local service."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
from chalice import Chalice

from chalicelib import clock
from chalicelib.domain.accounts.rights import OPERATOR
from chalicelib.operations import accounts as accounts_operations
from chalicelib.operations import sessions, websites
from chalicelib.settings.reading import forget_settings
from chalicelib.store import accounts
from host.schedules import Schedules
from local import embedded
from local.control import Clock, Control
from local.pump import EmbeddedPump
from local.standins.assistants import Assistants
from local.standins.cms import Cms, ListSite
from local.standins.search_console import Search
from local.standins.search_data import ListSearch, PairRow
from local.standins.shop import NAME, TOKEN, Shop
from local.standins.shop_items import ListShop
from tests.api import seed

ROOT = Path(__file__).resolve().parent.parent.parent
DAY = 86400


class Faulty:
    """A stand-in that keeps how it fails."""

    fault = "none"

    def misbehave(self, fault: str) -> None:
        if fault not in ("none", "down"):
            raise ValueError(f"{fault!r} is not a fault of the CMS")
        Faulty.fault = fault


@pytest.fixture
def service(store: None, tmp_path: Path) -> Iterator[Path]:
    """The embedded store and a control address, named by a run.json as the local service writes it."""
    endpoint = embedded.Endpoint()
    app = Chalice("nothing-to-do")
    pump = EmbeddedPump(app)
    control = Control(Clock(pump, Schedules(app, pump.jobs)), {"cms": Faulty()}, embedded.MAILBOX)
    (tmp_path / "run.json").write_text(json.dumps({"awsEndpointUrl": endpoint.url, "controlUrl": control.url}))
    yield tmp_path
    control.stop()
    endpoint.stop()


def run(folder: Path, *arguments: str, **environment: str) -> tuple[int, dict[str, Any], str]:
    done = subprocess.run(
        [sys.executable, "manage.py", "--json", *arguments],
        cwd=ROOT,
        env={"PATH": os.environ["PATH"], "LOCAL_DIR": str(folder), **environment},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    return done.returncode, json.loads(done.stdout or "null"), done.stderr


def test_commands_use_the_service_in_run_json_even_if_other_variables_are_set(service: Path) -> None:
    status, workspace, _ = run(
        *(service, "workspaces", "create", "Acme", "--plan", "free"),
        AWS_PROFILE="production",
        AWS_REGION="eu-west-1",
        AWS_ENDPOINT_URL_DYNAMODB="http://127.0.0.1:9",
        http_proxy="http://127.0.0.1:9",
    )
    assert status == 0
    assert [row.id for row in accounts.list_workspaces()] == [workspace["id"]]


def test_commands_move_the_clock_of_the_service(service: Path) -> None:
    before = clock.now()
    status, answer, error = run(service, "clock", "advance", "8d")
    assert (status, error) == (0, "")
    assert answer["id"] == "clock"
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", answer["now"])
    assert 8 * DAY <= clock.now() - before < 8 * DAY + 600
    _, workspace, _ = run(service, "workspaces", "create", "Acme", "--plan", "free")
    _, website, _ = run(service, "websites", "add", workspace["id"], "https://example.org")
    created = accounts.workspace(workspace["id"])
    assert created is not None
    assert abs(created.created_at - clock.now()) < 600
    assert website["createdAt"] > clock.utc(before + 7 * DAY).isoformat()


def test_the_control_address_of_the_local_service_lists_sent_mails(service: Path) -> None:
    _, workspace, _ = run(service, "workspaces", "create", "Acme", "--plan", "free")
    _, person, _ = run(service, "people", "add", workspace["id"], "ada@example.org", "--role", "owner")
    url = json.loads((service / "run.json").read_text())["controlUrl"]
    assert httpx.get(f"{url}/mails").json() == {"id": "mails", "items": []}
    embedded.MAILBOX.verify("service@demo.example")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MAIL_FROM", "service@demo.example")
        patch.setattr(sessions, "ANSWER_SECONDS", 0.0)
        forget_settings()
        sessions.request_link("ada@example.org", "127.0.0.1", "http://localhost:1/app")
    forget_settings()
    (mail,) = httpx.get(f"{url}/mails").json()["items"]
    assert set(mail) == {"to", "subject", "text", "html", "at", "headers"}
    assert mail["to"] == person["email"] and "/sign-in?token=" in mail["text"]


def test_commands_and_the_local_service_use_the_same_outside_services(service: Path) -> None:
    workspace = accounts_operations.create_workspace(OPERATOR, "Acme", "agency")
    website = websites.add(OPERATOR, workspace.id, "https://acme.example")
    seed.audited(website)
    standin = Assistants()
    try:
        content = json.loads((service / "run.json").read_text())
        content |= {"settings": standin.settings({}), "allowAddresses": "127.0.0.0/8"}
        (service / "run.json").write_text(json.dumps(content))
        _, listed, _ = run(service, "issues", "list", website.id, "--status", "open")
        issue_id = listed["items"][0]["id"]
        own = {"ASSISTANT": "anthropic", "OPENAI_BASE_URL": "http://127.0.0.1:9", "https_proxy": "http://127.0.0.1:9"}
        status, explained, error = run(service, "issues", "explain", website.id, issue_id, **own)
    finally:
        standin.stop()
    assert (status, error) == (0, "")
    assert explained["explainedBy"].startswith("openai ")
    assert [exchange.provider for exchange in standin.exchanges] == ["openai"]


def test_a_refusal_by_the_service_is_printed_in_one_line(service: Path) -> None:
    status, _, error = run(service, "clock", "advance", "999d")
    assert status == 2
    assert error.count("\n") == 1
    assert "seconds is" in error


def test_a_stopped_service_is_reported_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "run.json").write_text('{"awsEndpointUrl": "http://127.0.0.1:9", "controlUrl": "http://127.0.0.1:9"}')
    status, _, error = run(tmp_path, "workspaces", "list")
    assert status == 2
    assert error.count("\n") == 1
    assert "does not answer" in error
    (tmp_path / "run.json").write_text("{")
    status, _, error = run(tmp_path, "workspaces", "list")
    assert status == 2
    assert "is not JSON" in error


def test_a_stand_in_fails_in_the_requested_way(service: Path) -> None:
    assert run(service, "standin", "cms", "--fault", "down") == (0, {"id": "cms", "fault": "down"}, "")
    assert Faulty.fault == "down"
    assert run(service, "standin", "cms", "--fault", "none")[0] == 0 and Faulty.fault == "none"
    status, _, error = run(service, "standin", "cms", "--fault", "tired")
    assert status == 2 and "not a fault" in error
    status, _, error = run(service, "standin", "shop", "--fault", "down")
    assert status == 2 and "the stand-ins are cms" in error


def test_a_website_is_connected_to_the_stand_in_with_its_code(service: Path, tmp_path: Path) -> None:
    """As a user does it: write the code into a file and pass the file to ``connections set``."""
    assert "no stand-in 'cms'" in run(service, "standin", "cms", "--code")[2]
    for wrong in (["cms"], ["cms", "--code", "--fault", "none"], ["assistants", "--code"]):
        status, _, error = run(service, "standin", *wrong)
        assert status == 2 and "--fault" in error and "--code" in error
    cms = Cms(ListSite(1))
    app = Chalice("nothing-to-do")
    pump = EmbeddedPump(app)
    control = Control(Clock(pump, Schedules(app, pump.jobs)), {"cms": cms})
    content = json.loads((service / "run.json").read_text())
    content |= {"controlUrl": control.url, "baseUrl": "http://127.0.0.1:9/api/v1", "allowAddresses": "127.0.0.0/8"}
    (service / "run.json").write_text(json.dumps(content))
    try:
        _, workspace, _ = run(service, "workspaces", "create", "Acme", "--plan", "free")
        _, person, _ = run(service, "people", "add", workspace["id"], "ada@acme.example", "--role", "owner")
        _, website, _ = run(service, "websites", "add", workspace["id"], "https://shop.example")
        _, told, _ = run(service, "standin", "cms", "--code")
        file = tmp_path / "cms.json"
        file.write_text(json.dumps(told))
        command = ("connections", "set", website["id"], "cms", "--file", str(file), "--person", person["id"])
        status, connected, error = run(service, *command)
        assert (status, error) == (0, "") and connected["writable"]
        assert run(service, *command)[0] == 2  # the code was good once
    finally:
        control.stop()
        cms.stop()


def test_a_website_is_connected_to_the_shop_stand_in(service: Path, tmp_path: Path) -> None:
    shop = Shop(ListShop(1))
    app = Chalice("nothing-to-do")
    pump = EmbeddedPump(app)
    control = Control(Clock(pump, Schedules(app, pump.jobs)), {"shop": shop})
    content = json.loads((service / "run.json").read_text())
    content |= {"controlUrl": control.url, "settings": {"SHOP_ADMIN_URL": shop.url}, "allowAddresses": "127.0.0.0/8"}
    (service / "run.json").write_text(json.dumps(content))
    try:
        _, workspace, _ = run(service, "workspaces", "create", "Acme", "--plan", "free")
        _, person, _ = run(service, "people", "add", workspace["id"], "ada@acme.example", "--role", "owner")
        _, website, _ = run(service, "websites", "add", workspace["id"], "https://shop.example")
        status, told, _ = run(service, "standin", "shop", "--code")
        assert status == 0 and told == {"id": "shop", "shop": NAME, "accessToken": TOKEN}
        file = tmp_path / "shop.json"
        command = ("connections", "set", website["id"], "shop", "--file", str(file), "--person", person["id"])
        for wrong in (
            {},
            {"shop": NAME},
            {"shop": NAME, "accessToken": 1},
            {"shop": "x.example", "accessToken": TOKEN},
        ):
            file.write_text(json.dumps(wrong))
            status, _, error = run(service, *command)
            assert status == 2 and ("shop" in error or "accessToken" in error) and TOKEN not in error
        file.write_text(json.dumps(told))
        status, connected, error = run(service, *command)
        assert (status, error) == (0, "") and connected["writable"] and connected["platform"] == "shopify"
        assert connected["websiteKey"].startswith("wos_site_") and TOKEN not in json.dumps(connected)
        _, listed, _ = run(service, "connections", "list", website["id"])
        assert [one["id"] for one in listed["items"]] == ["shop"] and connected["websiteKey"] not in json.dumps(listed)
        status, _, error = run(service, "connections", "set", website["id"], "blog", *command[4:])
        assert status == 2 and "cms, shop, search and analytics" in error
        assert run(service, "connections", "remove", website["id"], "shop")[0] == 0
    finally:
        control.stop()
        shop.stop()


def test_a_website_is_connected_to_the_search_console_stand_in(service: Path, tmp_path: Path) -> None:
    last = datetime.now(UTC).date() - timedelta(3)
    search = Search(
        "sc-domain:shop.example", ListSearch({last: [PairRow("q", "https://shop.example/", 1, 2, 3)]}, last)
    )
    app = Chalice("nothing-to-do")
    pump = EmbeddedPump(app)
    control = Control(Clock(pump, Schedules(app, pump.jobs)), {"search": search})
    content = json.loads((service / "run.json").read_text())
    content |= {"controlUrl": control.url, "settings": search.settings({}), "allowAddresses": "127.0.0.0/8"}
    (service / "run.json").write_text(json.dumps(content))
    try:
        _, workspace, _ = run(service, "workspaces", "create", "Acme", "--plan", "free")
        _, website, _ = run(service, "websites", "add", workspace["id"], "https://shop.example")
        status, told, _ = run(service, "standin", "search", "--code")
        assert status == 0
        file = tmp_path / "search.json"
        command = ("connections", "set", website["id"], "search", "--file", str(file))
        key = told["credentials"]["private_key"]
        for wrong in (
            {},
            {**told, "property": 5},
            {**told, "credentials": {}},
            {**told, "property": "sc-domain:x.test"},
        ):
            file.write_text(json.dumps(wrong))
            status, _, error = run(service, *command)
            assert status == 2 and ("property" in error or "credentials" in error) and key[60:90] not in error
        assert run(service, "imports", "run", website["id"], "search")[0] == 2
        file.write_text(json.dumps(told))
        status, connected, error = run(service, *command)
        assert (status, error) == (0, "") and connected["property"] == "sc-domain:shop.example"
        _, listed, _ = run(service, "connections", "list", website["id"])
        assert [one["id"] for one in listed["items"]] == ["search"] and key[60:90] not in json.dumps(listed)
        assert run(service, "standin", "search", "--fault", "access")[0] == 0
        _, checked, _ = run(service, "connections", "check", website["id"])
        assert checked["items"][0]["broken"]
        status, begun, _ = run(service, "imports", "run", website["id"], "search")
        assert status == 0 and begun["queued"] and begun["id"] == "search_import"
        assert run(service, "connections", "remove", website["id"], "search")[0] == 0
        assert run(service, "connections", "list", website["id"])[1]["items"] == []
    finally:
        control.stop()
        search.stop()

"""The operator's command line, run as it is run by hand, but in this process."""

import json
from collections.abc import Callable

import pytest

import manage
from chalicelib import clock
from chalicelib.api.shapes import values
from chalicelib.domain.accounts import keys as key_format
from chalicelib.domain.accounts.rights import SCOPES
from chalicelib.store import api_keys
from chalicelib.version import VERSION
from management import durations, output
from tests import aws
from tests.management.conftest import Run


def authenticate(secret: str) -> api_keys.Auth:
    parts = key_format.parse(secret)
    assert parts is not None
    return api_keys.authenticate(parts.sha256, clock.now())


@pytest.mark.usefixtures("own_week")
def test_workspace_people_keys_and_website_can_be_created_by_commands(run: Run) -> None:
    workspace = run("workspaces", "create", "Acme", "--plan", "starter")
    assert (workspace["name"], workspace["plan"], workspace["websites"]) == ("Acme", "starter", 0)
    assert run("workspaces", "list") == {"items": [{"id": workspace["id"], "name": "Acme", "plan": "starter"}]}
    assert run("workspaces", "set-plan", workspace["id"], "agency")["plan"] == "agency"

    person = run("people", "add", workspace["id"], "ada@example.org", "--role", "owner")
    assert (person["email"], person["role"]) == ("ada@example.org", "owner")

    site = run("websites", "add", workspace["id"], "https://example.org", "--name", "Example", "--page-budget", "300")
    assert (site["name"], site["host"], site["status"], site["pageBudget"]) == ("Example", "example.org", "active", 300)
    assert site["nextScheduledAuditAt"].endswith("T02:00:00Z")
    listed = {name: site[name] for name in ("id", "name", "host", "url", "platform", "status")}
    assert run("websites", "list", workspace["id"]) == {"items": [listed]}

    key = run(
        *("keys", "create", workspace["id"], "--person", person["id"]),
        *("--scope", "sites:read", "--scope", "audits:run", "--site", site["id"]),
    )
    assert key["key"].startswith("wos_ws_")
    assert (key["scopes"], key["siteIds"]) == (["sites:read", "audits:run"], [site["id"]])
    assert authenticate(key["key"]).site_ids == (site["id"],)
    assert run("keys", "edit", key["id"], "--scope", "pages:read", "--all-sites")["siteIds"] is None
    of_site = run("keys", "create-site", site["id"], "--person", person["id"])
    assert of_site["key"].startswith("wos_site_")
    rows = run("keys", "list", workspace["id"])["items"]
    assert [(row["id"], row["state"], "key" in row) for row in rows] == [
        (key["id"], "active", False),
        (of_site["id"], "active", False),
    ]

    assert run("people", "set-role", workspace["id"], person["id"], "client_viewer")["role"] == "client_viewer"
    assert {row["state"] for row in run("keys", "list", workspace["id"])["items"]} == {"owner_lost_access"}
    assert run("keys", "revoke", key["id"])["revokedAt"] is not None
    assert run("people", "remove", workspace["id"], person["id"]) == {"id": person["id"], "removed": True}
    assert run("people", "list", workspace["id"]) == {"items": []}


def test_a_website_is_edited_paused_resumed_and_removed(run: Run) -> None:
    workspace = run("workspaces", "create", "Acme", "--plan", "free")
    site = run("websites", "add", workspace["id"], "https://example.org", "--platform", "wordpress")
    assert run("websites", "edit", site["id"], "--name", "New", "--page-budget", "100")["pageBudget"] == 100
    edited = run("websites", "edit", site["id"], "--default-page-budget")
    assert (edited["name"], edited["platform"], edited["pageBudget"]) == ("New", "wordpress", None)
    paused = run("websites", "pause", site["id"])
    assert (paused["status"], paused["nextScheduledAuditAt"]) == ("paused", None)
    assert run("websites", "resume", site["id"])["nextScheduledAuditAt"] == site["nextScheduledAuditAt"]
    assert run("websites", "remove", site["id"]) == {"id": site["id"], "removed": True}
    assert run("websites", "list", workspace["id"]) == {"items": []}


def test_audits_can_be_started_and_cancelled_and_all_weekly_audits_started_at_once(
    run: Run, refused: Callable[..., str]
) -> None:
    workspace = run("workspaces", "create", "Acme", "--plan", "starter")
    first = run("websites", "add", workspace["id"], "https://example.org")
    second = run("websites", "add", workspace["id"], "https://example.com")
    audit = run("audits", "start", first["id"], "--page-budget", "20")
    assert (audit["siteId"], audit["status"], audit["pageBudget"]) == (first["id"], "queued", 20)
    assert [message["crawlId"] for message in aws.messages("crawl")] == [audit["id"]]
    assert "already queued" in refused("audits", "start", first["id"])
    assert run("audits", "cancel", first["id"], audit["id"])["cancelRequested"] is True
    assert [row["siteId"] for row in run("audits", "weekly")["items"]] == [second["id"]]
    assert run("audits", "weekly") == {"items": []}


@pytest.mark.parametrize(
    ("command", "line"),
    [
        (("workspaces", "set-plan", "wsp_none", "free"), "There is no workspace wsp_none."),
        (("workspaces", "create", "A", "--plan", "gold"), "'gold' is not a plan; the plans are free"),
        (("people", "list", "wsp_none"), "There is no workspace wsp_none."),
        (("keys", "list", "wsp_none"), "There is no workspace wsp_none."),
        (("websites", "list", "wsp_none"), "There is no workspace wsp_none."),
        (("websites", "pause", "site_none"), "There is no website site_none."),
        (("audits", "start", "site_none"), "There is no website site_none."),
        (("audits", "cancel", "site_none", "crawl_none"), "There is no website site_none."),
        (("keys", "revoke", "key_none"), "There is no key key_none."),
        (("clock", "advance", "8d"), "No local service runs here"),
        (("clock", "advance", "soon"), "'soon' is not a duration"),
        (("clock", "advance", "0s"), "'0s' is not a duration"),
        (("workspaces", "create"), "Missing argument"),
        (("nonsense",), "No such command"),
        (("websites", "edit", "site_1", "--page-budget", "1", "--default-page-budget"), "Give either"),
    ],
)
def test_a_refusal_is_printed_in_one_line(refused: Callable[..., str], command: tuple[str, ...], line: str) -> None:
    assert line in refused(*command)


def test_the_json_option_is_accepted_before_and_after_the_command(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    for arguments in (
        ["--json", "workspaces", "list"],
        ["workspaces", "list", "--json"],
        ["workspaces", "--json", "list"],
    ):
        assert manage.main(arguments) == 0
        assert json.loads(capsys.readouterr().out) == {"items": []}


def test_output_is_plain_text_without_the_json_option(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    assert manage.main(["workspaces", "list"]) == 0
    assert capsys.readouterr().out == "none\n"
    workspace = run("workspaces", "create", "Acme", "--plan", "free")
    assert manage.main(["workspaces", "list"]) == 0
    heading, row = capsys.readouterr().out.splitlines()
    assert heading.split() == ["id", "name", "plan"]
    assert row.split() == [workspace["id"], "Acme", "free"]
    assert manage.main(["websites", "add", workspace["id"], "https://example.org"]) == 0
    assert "pageBudget            -\n" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("90s", 90), ("15m", 900), ("2h", 7200), ("8d", 691200), (" 8D ", 691200), ("8", None), ("-8d", None), ("", None)],
)
def test_durations_are_given_in_seconds_minutes_hours_or_days(text: str, seconds: int | None) -> None:
    assert durations.seconds(text) == seconds


def test_times_are_printed_in_utc_as_in_the_api() -> None:
    assert output.timestamp(None) is None
    assert output.timestamp(0) == values.instant(0) == "1970-01-01T00:00:00Z"
    for seconds in (1.5, 1_795_307_420.999, 1_795_307_421.0):
        assert output.timestamp(seconds) == values.instant(seconds)
    assert output.timestamp(1.5) == "1970-01-01T00:00:01Z"


def test_a_website_can_be_named_by_id_host_or_address(run: Run, refused: Callable[..., str]) -> None:
    workspace = run("workspaces", "create", "Acme", "--plan", "starter")
    person = run("people", "add", workspace["id"], "ada@example.org", "--role", "owner")
    site = run("websites", "add", workspace["id"], "https://www.example.org")
    for name in (site["id"], "example.org", "www.Example.org", "https://example.org/page?x=1"):
        assert run("websites", "edit", name, "--name", "New")["id"] == site["id"]
    key = run(
        "keys", "create", workspace["id"], "--person", person["id"], "--scope", "sites:read", "--site", "example.org"
    )
    assert key["siteIds"] == [site["id"]]
    assert "no website with the host 'blog.example.org'" in refused("websites", "pause", "blog.example.org")
    other = run("workspaces", "create", "Other", "--plan", "starter")
    second = run("websites", "add", other["id"], "https://example.org")
    line = refused("websites", "pause", "example.org")
    assert site["id"] in line and second["id"] in line and other["id"] in line
    assert run("websites", "pause", second["id"])["status"] == "paused"


def test_a_secret_key_is_not_printed_if_it_is_given_instead_of_its_id(run: Run, refused: Callable[..., str]) -> None:
    workspace = run("workspaces", "create", "Acme", "--plan", "starter")
    person = run("people", "add", workspace["id"], "ada@example.org", "--role", "owner")
    made = run("keys", "create", workspace["id"], "--person", person["id"], "--scope", "sites:read")
    line = refused("keys", "revoke", made["key"])
    assert "API key itself" in line and made["key"] not in line


def test_a_website_key_is_created_with_the_given_scopes(run: Run, refused: Callable[..., str]) -> None:
    workspace = run("workspaces", "create", "Acme", "--plan", "starter")
    person = run("people", "add", workspace["id"], "ada@example.org", "--role", "owner")
    site = run("websites", "add", workspace["id"], "https://example.org")
    command = ("keys", "create-site", site["id"], "--person", person["id"])
    assert run(*command)["scopes"] == list(SCOPES)
    assert run(*command, "--scope", "content:write", "--scope", "sites:read")["scopes"] == [
        "sites:read",
        "content:write",
    ]
    assert "'all' is not a scope" in refused(*command, "--scope", "all")


@pytest.mark.parametrize("command", ["create", "create-site", "edit"])
def test_the_help_of_keys_explains_every_scope(capsys: pytest.CaptureFixture[str], command: str) -> None:
    assert manage.main(["keys", command, "--help"]) == 0
    shown = capsys.readouterr().out
    assert max(map(len, shown.splitlines())) <= 80
    listed = " ".join(shown.partition("Scopes:")[2].split())
    assert listed == " ".join(f"{scope} {allows}" for scope, allows in SCOPES.items())


@pytest.mark.parametrize("arguments", [["--version"], ["--version", "--json"], ["--json", "--version"]])
def test_the_version_is_printed_without_a_running_service(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert manage.main(arguments) == 0
    printed = capsys.readouterr().out
    assert VERSION in printed and (json.loads(printed)["version"] == VERSION if "--json" in arguments else True)

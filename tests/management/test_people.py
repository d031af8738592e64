"""Signing people in and out from the command line, and the websites of client viewers."""

from collections.abc import Callable, Iterator

import pytest

from chalicelib.operations import sessions
from chalicelib.settings.reading import forget_settings
from tests.management.conftest import Run


def added(run: Run) -> tuple[str, str]:
    workspace = run("workspaces", "create", "Acme", "--plan", "agency")
    return workspace["id"], run("people", "add", workspace["id"], "Ada@example.org", "--role", "owner")["id"]


@pytest.fixture
def no_app_url() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("APP_URL", "")
        forget_settings()
        yield
    forget_settings()


def token_of(link: str, app: str) -> str:
    before, _, token = link.partition("/sign-in?token=")
    assert before == app
    return token


def test_a_sign_in_link_works_and_its_session_can_be_listed_and_ended(run: Run, no_app_url: None) -> None:
    workspace, person = added(run)
    made = run("people", "link", workspace, person)
    assert (made["id"], made["email"]) == (person, "Ada@example.org")
    started = sessions.use_link(token_of(made["link"], "/app"))
    assert run("address", "set", "https://seo.acme.example/")["app"] == "https://seo.acme.example/app"
    again = run("people", "link", workspace, "ada@EXAMPLE.org")
    sessions.use_link(token_of(again["link"], "https://seo.acme.example/app"))
    rows = run("people", "sessions", workspace, person)["items"]
    assert [row["email"] for row in rows] == ["Ada@example.org"] * 2
    assert not any(row["id"] in started.secret or len(row["id"]) > 12 for row in rows)
    assert run("people", "sign-out", workspace, "ada@example.org")["ended"] == 2
    assert run("people", "sessions", workspace, person) == {"items": []}
    assert sessions.find(started.secret) is None


def test_no_sign_in_link_is_created_for_an_unknown_person(run: Run, refused: Callable[..., str]) -> None:
    workspace, _ = added(run)
    assert "no person" in refused("people", "link", workspace, "eve@example.org")
    assert "no workspace" in refused("people", "link", "wsp_none", "ada@example.org")
    assert "not an id" in refused("people", "link", workspace, "a b")


def test_a_client_viewer_is_given_websites_by_host_name(run: Run, refused: Callable[..., str]) -> None:
    workspace, person = added(run)
    site = run("websites", "add", workspace, "https://example.org")
    assert "at least one" in refused("people", "add", workspace, "c@example.org", "--role", "client_viewer")
    viewer = run("people", "add", workspace, "c@example.org", "--role", "client_viewer", "--site", "example.org")
    assert viewer["siteIds"] == [site["id"]]
    changed = run("people", "set-role", workspace, person, "client_viewer", "--site", site["id"])
    assert (changed["role"], changed["siteIds"]) == ("client_viewer", [site["id"]])
    assert "sees all" in refused("people", "set-role", workspace, person, "admin", "--site", site["id"])
    assert run("people", "set-role", workspace, person, "admin")["siteIds"] is None


def test_the_stored_public_address_is_shown(run: Run, refused: Callable[..., str], no_app_url: None) -> None:
    assert run("address", "show") == {"id": "address", "url": None, "app": "/app"}
    assert "https://" in refused("address", "set", "seo.acme.example")
    run("address", "set", "https://seo.acme.example/live")
    shown = run("address", "show")
    assert (shown["url"], shown["app"]) == ("https://seo.acme.example/live", "https://seo.acme.example/live/app")

"""Links to reports from the command line."""

from collections.abc import Callable

from chalicelib.operations import reports
from tests.management.conftest import Run


def test_a_report_link_is_created_listed_and_deleted(run: Run, refused: Callable[..., str]) -> None:
    workspace = run("workspaces", "create", "Acme", "--plan", "agency")["id"]
    site = run("websites", "add", workspace, "https://example.org")["id"]
    run("address", "set", "https://seo.acme.example/")
    made = run("reports", "share", "example.org", "--days", "7")
    before, _, token = made["link"].rpartition("/r/")
    found = reports.opened(token)
    assert before == "https://seo.acme.example/app" and found is not None and found.site_id == site
    (listed,) = run("reports", "list", site)["items"]
    assert listed == {name: value for name, value in made.items() if name != "link"}
    assert run("reports", "take-back", site, listed["id"])["takenBack"] is True
    assert reports.opened(token) is None and run("reports", "list", site) == {"items": []}
    assert "revoked already" in refused("reports", "take-back", site, listed["id"])
    assert "7, 30, 90 days" in refused("reports", "share", site, "--days", "8")


def test_the_name_and_colour_of_reports_can_be_set_and_reset(run: Run, refused: Callable[..., str]) -> None:
    workspace = run("workspaces", "create", "Acme", "--plan", "agency")["id"]
    chosen = run("reports", "brand", workspace, "--name", "Agency", "--colour", "#123456")
    assert (chosen["reportName"], chosen["reportColour"]) == ("Agency", "#123456")
    assert "too light" in refused("reports", "brand", workspace, "--name", "", "--colour", "#ffffff")
    none = run("reports", "brand", workspace, "--name", "", "--colour", "")
    assert (none["reportName"], none["reportColour"]) == (None, None)

"""``store`` on the command line."""

from tests.management.conftest import Run
from tests.store.test_migrating import OLD, House


def test_the_command_shows_its_progress(run: Run) -> None:
    House(2)
    assert run("store", "migrate", "--websites", "1")["state"] == "under way"
    last = run("store", "migrate")
    assert (last["state"], last["websites"], last["rewritten"]) == ("done", 2, 2 * len(OLD))
    assert run("store", "create") == {"items": []}

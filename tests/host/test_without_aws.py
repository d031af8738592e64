"""What an operator without AWS makes by one command is all that ``doctor`` asks for, on stores in another process."""

import json
from collections.abc import Iterator

import pytest

from management import template
from tests.real import hosting


@pytest.fixture(scope="module")
def variables(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """moto serves all three: tables, queues and objects."""
    folder = tmp_path_factory.mktemp("stores")
    with hosting.queues(folder) as stores:
        yield hosting.variables(folder, stores.url, stores.url)


def test_store_create_creates_everything_that_doctor_checks(variables: dict[str, str]) -> None:
    before = hosting.command(variables, "doctor")
    assert before.returncode == 2
    wrong = [row for row in json.loads(before.stdout)["items"] if row["state"] == "wrong"]
    assert {"tables", "queues", "bucket"} <= {row["id"] for row in wrong}
    assert all("store create" in row["todo"] for row in wrong if row["id"] in ("tables", "queues", "bucket"))

    made = json.loads(hosting.command(variables, "store", "create").stdout)["items"]
    assert len(made) == len(template.tables()) + len(template.queues()) + 1
    after = hosting.command(variables, "doctor")
    assert after.returncode == 0, after.stdout
    assert json.loads(hosting.command(variables, "store", "create").stdout) == {"items": []}

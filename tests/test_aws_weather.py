"""Bad weather of AWS: that each kind of it befalls tests, and that what must hold in it does."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.plugins.aws_weather import Weather

ROOT = Path(__file__).resolve().parent.parent
KINDS = (
    "answers lost",
    "calls throttled",
    "indexes read",
    "items unwritten",
    "keys unread",
    "transactions cancelled",
)


@pytest.mark.deep
def test_the_store_tests_pass_with_every_simulated_fault_of_aws() -> None:
    tests = [f"tests/store/test_{name}.py" for name in ("items", "transactions", "jobs", "search")]
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *tests]
    # Not the portion and options of this run: they would select among these tests too.
    inherited = {name: value for name, value in os.environ.items() if name not in ("PART", "PYTEST_ADDOPTS")}
    environment = {**inherited, "AWS_WEATHER": "1"}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-4_000:]
    assert tuple(sorted(re.findall(r"^weather of AWS: ([a-z ]+) \d+ times$", done.stdout, re.MULTILINE))) == KINDS


def test_the_same_seed_gives_the_same_simulated_faults() -> None:
    def drawn(seed: str) -> list[bool]:
        weather = Weather(seed)
        return [weather.happens("calls throttled", 0.3) for _ in range(200)]

    assert drawn("1") == drawn("1") != drawn("2")


def test_the_rest_of_a_partial_batch_is_returned_as_unprocessed() -> None:
    weather, done = Weather("1"), []

    def original(_: object, __: str, request: dict[str, object]) -> dict[str, object]:
        done.append(request["RequestItems"])
        return {}

    writes = [{"PutRequest": {"Item": {"pk": {"S": str(number)}}}} for number in range(20)]
    while True:
        done.clear()
        answer = weather.call(original, None, "BatchWriteItem", {"RequestItems": {"t": writes}})
        if answer.get("UnprocessedItems"):
            break
    written = [one for batch in done for one in batch["t"]]
    left = answer["UnprocessedItems"]["t"]
    assert written and left
    assert sorted(map(str, written + left)) == sorted(map(str, writes))

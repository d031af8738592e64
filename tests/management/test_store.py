"""``store`` on the command line."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, get_args

import pytest
import typer
from botocore.exceptions import ClientError

import manage
from chalicelib import clock
from chalicelib.domain.audit.records import CrawlKind
from chalicelib.domain.jobs import JobKind
from chalicelib.operations import pending
from chalicelib.settings.core import core_settings
from chalicelib.store import client, health, ownership
from management import template
from tests import webhooks
from tests.management.conftest import Run
from tests.store.test_migrating import OLD, House

MOST_OF_A_FUNCTION: Final = 900.0  # seconds, by AWS Lambda


pytestmark = pytest.mark.usefixtures("bucket")


def test_store_migrate_shows_its_progress(run: Run) -> None:
    House(2)
    assert run("store", "migrate", "--websites", "1")["state"] == "under way"
    last = run("store", "migrate")
    assert (last["state"], last["websites"], last["rewritten"]) == ("done", 2, 2 * len(OLD))
    assert run("store", "create") == {"items": []}


class Buckets:
    """As much of S3 as a bucket needs: what was made, where, and the rules by which it forgets."""

    def __init__(self, region: str) -> None:
        self.meta = type("Meta", (), {"region_name": region})
        self.made: dict[str, Any] = {}
        self.rules: list[Any] = []

    def head_bucket(self, **_: Any) -> None:
        if not self.made:
            raise ClientError({"Error": {"Code": "404", "Message": "Not Found"}}, "HeadBucket")

    def create_bucket(self, **made: Any) -> None:
        self.made = made

    def put_bucket_lifecycle_configuration(self, *, Bucket: str, LifecycleConfiguration: Any) -> None:  # noqa: N803
        assert self.made["Bucket"] == Bucket
        self.rules = LifecycleConfiguration["Rules"]

    def get_bucket_lifecycle_configuration(self, **_: Any) -> Any:
        return {"Rules": self.rules}


@pytest.mark.parametrize(
    ("region", "where"),
    [("us-east-1", {}), ("eu-central-1", {"CreateBucketConfiguration": {"LocationConstraint": "eu-central-1"}})],
)
def test_store_create_creates_a_bucket_that_doctor_accepts(
    run: Run, monkeypatch: pytest.MonkeyPatch, region: str, where: dict[str, Any]
) -> None:
    s3, name = Buckets(region), core_settings().exports_bucket
    monkeypatch.setattr(client, "s3", lambda: s3)
    assert run("store", "create") == {"items": [{"id": name, "state": "created"}]}
    assert s3.made == {"Bucket": name, **where}
    assert health.bucket_faults() == []
    assert run("store", "create") == {"items": []}


def test_the_lifecycle_rules_of_an_existing_bucket_are_left_unchanged(monkeypatch: pytest.MonkeyPatch) -> None:
    s3 = Buckets("us-east-1")
    s3.create_bucket(Bucket=core_settings().exports_bucket)
    monkeypatch.setattr(client, "s3", lambda: s3)
    assert template.create_bucket(s3) == []
    assert s3.rules == [] and health.bucket_faults() != []


def waiting_delivery() -> str:
    webhooks.endpoint("https://hook.example/")
    webhooks.publish(webhooks.event())
    webhooks.hand_over()
    (delivery,) = webhooks.log()
    return delivery.id


def state_of(delivery_id: str) -> str:
    (found,) = [one for one in webhooks.log() if one.id == delivery_id]
    return found.state


def test_a_store_on_hold_can_be_released_and_its_pending_work_is_kept(run: Run) -> None:
    assert run("store", "hold")["state"] == "held"
    assert ownership.is_held()
    delivery = waiting_delivery()
    (found,) = run("store", "pending")["items"]
    assert (found["id"], found["work"], found["count"], found["due"]) == ("deliveries", "webhook deliveries", 1, 1)
    assert found["oldest"].startswith(clock.utc(clock.now()).strftime("%Y-%m-%dT%H:"))
    released = run("store", "release", "--yes")
    assert (released["state"], released["dropped"], released["pending"]) == ("released", {}, [found])
    assert state_of(delivery) == "waiting" and not ownership.is_held()


def test_some_kinds_of_pending_work_can_be_dropped_when_releasing_a_store(run: Run) -> None:
    delivery = waiting_delivery()
    run("store", "hold")
    assert run("store", "release", "--drop", "deliveries", "--older", "1d", "--yes")["dropped"] == {"deliveries": 0}
    assert state_of(delivery) == "waiting"
    run("store", "hold")
    webhooks.advance(90_000)
    assert run("store", "release", "--drop", "deliveries", "--older", "1d", "--yes")["dropped"] == {"deliveries": 1}
    assert state_of(delivery) == "dropped"


def test_pending_work_is_shown_before_the_release_is_confirmed(
    run: Run, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run("store", "hold")
    waiting_delivery()
    asked: list[str] = []

    def refuse(text: str, **_: object) -> bool:
        asked.append(text)
        raise typer.Abort

    monkeypatch.setattr(typer, "confirm", refuse)
    assert manage.main(["store", "release"]) == 2
    shown = capsys.readouterr().err
    assert re.search(r"^webhook deliveries: 1, 1 due at once, oldest 20\S+ \(--drop deliveries\)$", shown, re.MULTILINE)
    assert asked == ["This drops nothing and starts all other work. Continue?"]
    held = ownership.get()
    assert held is not None and held.held_since is not None
    assert manage.main(["store", "release", "--drop", "webhooks"]) == 2
    assert "'webhooks' cannot be dropped" in capsys.readouterr().err and len(asked) == 1
    assert manage.main(["store", "release", "--drop", "write", "--drop", "audit"]) == 2
    assert asked[1] == "This drops batches of approved changes, audits and starts all other work. Continue?"


def test_every_kind_of_pending_work_has_a_label() -> None:
    kinds = {"events", "deliveries", "notices", "reports", "weekly", *get_args(CrawlKind), *get_args(JobKind)}
    assert set(pending.LABELS) == kinds and set(pending.DROPPABLE) <= kinds
    assert len(set(pending.LABELS.values())) == len(kinds)


def test_a_store_on_hold_has_no_running_work_after_the_documented_time(capsys: pytest.CaptureFixture[str]) -> None:
    begun = MOST_OF_A_FUNCTION + ownership.FREE_SECONDS
    backups = (Path(__file__).resolve().parents[2] / "docs" / "backups.md").read_text(encoding="utf-8")
    manage.main(["store", "hold", "--help"])
    for text in (backups, capsys.readouterr().out):
        named = re.search(r"wait (\d+) minutes", text)
        assert named is not None and 60 * int(named[1]) > begun


def test_a_release_with_invalid_options_is_refused(refused: Callable[..., str]) -> None:
    assert refused("store", "release") == "The workers of this store are not held (paused). `store hold` pauses them."
    assert refused("store", "release", "--older", "1d") == "Name the kinds to drop: --older needs --drop."
    assert refused("store", "release", "--drop", "write", "--older", "soon").startswith("'soon' is not an age")

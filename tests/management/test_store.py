"""``store`` on the command line."""

from collections.abc import Iterator
from typing import Any

import pytest
from botocore.exceptions import ClientError

from chalicelib.settings.core import core_settings
from chalicelib.store import client, health
from local import embedded
from management import template
from tests.management.conftest import Run
from tests.store.test_migrating import OLD, House


@pytest.fixture(autouse=True)
def bucket(store: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The bucket of the embedded AWS, which is reached over a socket only."""
    served = embedded.Endpoint()
    monkeypatch.setenv(embedded.OBJECTS_ENDPOINT, served.url)
    client.reset()
    yield
    served.stop()
    monkeypatch.undo()
    client.reset()


def test_the_command_shows_its_progress(run: Run) -> None:
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
def test_a_missing_bucket_is_made_so_that_doctor_asks_nothing(
    run: Run, monkeypatch: pytest.MonkeyPatch, region: str, where: dict[str, Any]
) -> None:
    s3, name = Buckets(region), core_settings().exports_bucket
    monkeypatch.setattr(client, "s3", lambda: s3)
    assert run("store", "create") == {"items": [{"id": name, "state": "created"}]}
    assert s3.made == {"Bucket": name, **where}
    assert health.bucket_faults() == []
    assert run("store", "create") == {"items": []}


def test_a_bucket_that_exists_keeps_its_lifecycle(monkeypatch: pytest.MonkeyPatch) -> None:
    s3 = Buckets("us-east-1")
    s3.create_bucket(Bucket=core_settings().exports_bucket)
    monkeypatch.setattr(client, "s3", lambda: s3)
    assert template.create_bucket(s3) == []
    assert s3.rules == [] and health.bucket_faults() != []

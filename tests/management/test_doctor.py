"""``manage.py doctor``: each thing that can be wrong with a deployment is said, with what to do, and no more."""

import json
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from botocore.exceptions import ClientError, EndpointConnectionError

import manage
from chalicelib import clock
from chalicelib.domain.accounts.rights import OPERATOR, SCOPES
from chalicelib.domain.connections import BROKEN_FAILURES, Source, SourceKind
from chalicelib.domain.jobs import Job
from chalicelib.operations import accounts, assistant_keys, doctor, endpoints, holding, websites
from chalicelib.settings.core import CoreSettings, core_settings
from chalicelib.settings.reading import forget_settings
from chalicelib.store import accounts as stored_accounts
from chalicelib.store import client, connections, health, key_file, keys, migrating, outbox, ownership, secrets
from chalicelib.store import websites as stored_websites
from chalicelib.store.jobs import QUEUED_GRACE_SECONDS, create
from chalicelib.store.secrets import Secret
from chalicelib.store.transactions import Put, commit
from local import objects
from tests import aws, webhooks
from tests.changes import open_house
from tests.connections import connectable
from tests.drafts import passed
from tests.management.conftest import Run
from tests.store.test_migrating import House as MigratedHouse
from tests.store.test_migrating import people_of_before

Wrong = Callable[[], dict[str, dict[str, Any]]]
PARTS = (
    "settings tables stack queues key bucket clock outbox sweeper connections pairings assistants drafts secrets "
    "shapes removals alarms"
).split()


pytestmark = pytest.mark.usefixtures("bucket")


@pytest.fixture
def wrong(run: Run, capsys: pytest.CaptureFixture[str]) -> Wrong:
    """Runs the command, expects exit status 2, and gives the lines that are wrong by their part."""

    def run_command() -> dict[str, dict[str, Any]]:
        forget_settings()
        assert manage.main(["doctor", "--json"]) == 2
        printed = capsys.readouterr()
        rows = json.loads(printed.out)["items"]
        assert [row["id"] for row in rows] == PARTS
        named = ", ".join(row["id"] for row in rows if row["state"] == "wrong")
        assert printed.err == f"Wrong: {named}. The list above says what to do.\n"
        assert all((row["state"] == "wrong") == (row["todo"] is not None) for row in rows)
        return {row["id"]: row for row in rows if row["state"] == "wrong"}

    return run_command


def test_every_check_reports_success_if_everything_is_fine(run: Run) -> None:
    rows = run("doctor")["items"]
    assert [(row["id"], row["state"], row["todo"]) for row in rows] == [(part, "ok", None) for part in PARTS]
    assert rows[PARTS.index("outbox")]["found"] == "no events wait"


@pytest.fixture
def forgetting() -> Iterator[None]:
    yield
    forget_settings()


@pytest.mark.parametrize(
    ("variable", "value", "found"),
    [
        ("ENDPOINT_GROUPS", "sites,sightings", "ENDPOINT_GROUPS names 'sightings', which is no endpoint group"),
        ("SWITCHED_OFF", "api, sightings", "SWITCHED_OFF names 'sightings', which is no endpoint group"),
        ("CURSOR_SECRET", "short", "CURSOR_SECRET is shorter than 32 characters"),
        ("METRICS", "yes", "METRICS is 'yes'; it must be on or off"),
        ("ASSISTANT", "oracle", "ASSISTANT is 'oracle'; the assistants are openai, anthropic, gemini, perplexity"),
        ("ASSISTANT", "openai", "ASSISTANT is openai, but OPENAI_API_KEY is empty"),
        ("SPEED_PROVIDER", "pagespeed", "SPEED_PROVIDER is 'pagespeed'; the providers are psi and lighthouse"),
        (
            "MAIL_FROM",
            "Us <a@b.example>",
            "MAIL_FROM is 'Us <a@b.example>'; it must be one e-mail address, without a name",
        ),
    ],
)
def test_an_invalid_setting_is_reported(
    forgetting: None, wrong: Wrong, monkeypatch: pytest.MonkeyPatch, variable: str, value: str, found: str
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.setenv(variable, value)
    lines = wrong()
    assert list(lines) == ["settings"] and lines["settings"]["found"] == found


def test_switched_off_groups_are_shown_but_are_not_problems(
    forgetting: None, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SWITCHED_OFF", "issues,audits")
    forget_settings()
    assert run("doctor")["items"][0]["found"].endswith("switched off: audits, issues")


def test_tables_and_queues_missing_due_to_a_wrong_prefix_are_reported(
    forgetting: None, wrong: Wrong, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TABLE_PREFIX", "elsewhere-")
    monkeypatch.setenv("QUEUE_PREFIX", "elsewhere-")
    lines = wrong()
    of_rows = ["outbox", "sweeper", "connections", "pairings", "assistants", "secrets", "shapes", "removals"]
    assert list(lines) == ["tables", "stack", "queues", *of_rows]
    assert lines["tables"]["found"].startswith("the table elsewhere-accounts is missing; ")
    assert lines["tables"]["found"].endswith("; and 6 more")
    assert lines["queues"]["found"].startswith("the queue elsewhere-crawl is missing; the queue elsewhere-crawl-dead ")
    assert all("manage.py store create" in lines[part]["todo"] for part in ("tables", "queues"))
    assert lines["outbox"]["found"].startswith("AWS: ")


def test_the_setting_of_an_unreachable_external_database_is_named(
    forgetting: None, wrong: Wrong, monkeypatch: pytest.MonkeyPatch
) -> None:
    def describe_table(TableName: str) -> Any:  # noqa: N803
        raise EndpointConnectionError(endpoint_url="http://tables:8000/")

    monkeypatch.setattr(client.dynamodb(), "describe_table", describe_table)
    todo = wrong()["tables"]["todo"]
    assert "AWS_ENDPOINT_URL" not in todo and "credentials" in todo
    monkeypatch.setenv("AWS_ENDPOINT_URL_DYNAMODB", "http://tables:8000")
    tables = wrong()["tables"]
    assert "http://tables:8000/" in tables["found"] and "AWS_ENDPOINT_URL_DYNAMODB" in tables["todo"]


def _described(monkeypatch: pytest.MonkeyPatch, change: Callable[[dict[str, Any]], None]) -> None:
    """DynamoDB tells of the table webhooks what ``change`` makes of it."""
    dynamodb = client.dynamodb()
    tell = dynamodb.describe_table

    def describe_table(TableName: str) -> Any:  # noqa: N803
        answer = tell(TableName=TableName)
        if TableName == keys.table_name("webhooks"):
            change(answer["Table"])  # type: ignore[arg-type]
        return answer

    monkeypatch.setattr(dynamodb, "describe_table", describe_table)


@pytest.mark.parametrize(
    ("change", "found"),
    [
        (lambda table: table.update(TableStatus="DELETING"), "{name} is DELETING"),
        (lambda table: table["GlobalSecondaryIndexes"].pop(), "{name} has no index log"),
        (
            lambda table: table["GlobalSecondaryIndexes"][0]["KeySchema"].reverse(),
            "the index dueDeliveries of {name} has different keys",
        ),
        (
            lambda table: table["GlobalSecondaryIndexes"][1].update(IndexStatus="CREATING"),
            "the index log of {name} is CREATING",
        ),
    ],
)
def test_a_table_or_index_with_a_wrong_schema_is_reported(
    wrong: Wrong, monkeypatch: pytest.MonkeyPatch, change: Callable[[dict[str, Any]], None], found: str
) -> None:
    _described(monkeypatch, change)
    lines = wrong()
    assert list(lines) == ["tables"]
    assert lines["tables"]["found"] == found.format(name=keys.table_name("webhooks"))


def test_a_table_without_time_to_live_is_reported(wrong: Wrong, monkeypatch: pytest.MonkeyPatch) -> None:
    dynamodb = client.dynamodb()
    tell = dynamodb.describe_time_to_live

    def describe_time_to_live(TableName: str) -> Any:  # noqa: N803
        off = {"TimeToLiveDescription": {"TimeToLiveStatus": "DISABLED"}}
        return off if TableName == keys.table_name("ops") else tell(TableName=TableName)

    monkeypatch.setattr(dynamodb, "describe_time_to_live", describe_time_to_live)
    lines = wrong()
    assert list(lines) == ["tables"] and lines["tables"]["found"].startswith(f"rows of {keys.table_name('ops')} never")


def test_dead_letters_are_counted(wrong: Wrong) -> None:
    name = core_settings().queue_prefix + "deliveries"
    sqs = client.sqs()
    url = sqs.get_queue_url(QueueName=f"{name}-dead")["QueueUrl"]
    try:
        for body in ("{}", "{}"):
            sqs.send_message(QueueUrl=url, MessageBody=body)
        lines = wrong()
    finally:
        aws.purge("deliveries-dead")
    assert list(lines) == ["queues"] and lines["queues"]["found"] == f"2 messages of {name} were given up"


def test_a_kms_key_that_cannot_decrypt_is_reported(wrong: Wrong, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client.kms(), "decrypt", lambda **_: {"Plaintext": b"another word"})
    lines = wrong()
    assert list(lines) == ["key"] and "does not decrypt to what was encrypted" in lines["key"]["found"]


def test_the_aws_error_is_shown_and_checks_go_on_if_the_kms_key_is_unusable(
    wrong: Wrong, monkeypatch: pytest.MonkeyPatch
) -> None:
    refusal = ClientError({"Error": {"Code": "AccessDeniedException", "Message": "not yours"}}, "Encrypt")

    def refuse(**_: Any) -> None:
        raise refusal

    monkeypatch.setattr(client.kms(), "encrypt", refuse)
    lines = wrong()
    assert list(lines) == ["key"] and lines["key"]["found"] == f"AWS: {refusal}"


def test_a_bucket_that_is_missing_or_has_no_lifecycle_rules_is_reported(
    wrong: Wrong, monkeypatch: pytest.MonkeyPatch
) -> None:
    refusal = ClientError(
        {"Error": {"Code": "NoSuchLifecycleConfiguration", "Message": "none"}}, "GetBucketLifecycleConfiguration"
    )

    def refuse(**_: Any) -> None:
        raise refusal

    with monkeypatch.context() as patch:
        patch.setattr(client.s3(), "get_bucket_lifecycle_configuration", refuse)
        lines = wrong()
        assert list(lines) == ["bucket"] and "does not delete" in lines["bucket"]["found"]
    with monkeypatch.context() as patch:
        patch.setattr(
            client.s3(), "get_bucket_lifecycle_configuration", lambda **_: {"Rules": [{"Status": "Disabled"}]}
        )
        assert "does not delete" in wrong()["bucket"]["found"]
    monkeypatch.setattr(objects, "core_settings", lambda: CoreSettings(exports_bucket="another"))
    lines = wrong()
    assert list(lines) == ["bucket"]
    assert lines["bucket"]["found"] == f"the bucket {core_settings().exports_bucket} is missing"


@pytest.mark.parametrize(("ahead", "fault"), [(29.0, False), (-29.0, False), (31.0, True), (-31.0, True)])
def test_a_clock_off_by_more_than_30_seconds_is_reported(
    run: Run, wrong: Wrong, monkeypatch: pytest.MonkeyPatch, ahead: float, fault: bool
) -> None:
    monkeypatch.setattr(health, "clock_difference", lambda: ahead)
    if fault:
        assert wrong()["clock"]["found"] == f"this machine's clock is {ahead:+.0f} s off"
    else:
        assert run("doctor")["items"][PARTS.index("clock")]["state"] == "ok"


def test_the_clock_is_compared_with_the_date_header_of_aws(store: None, monkeypatch: pytest.MonkeyPatch) -> None:
    answer = {"ResponseMetadata": {"HTTPHeaders": {"date": "Sun, 22 Nov 2026 02:00:00 GMT"}}}
    monkeypatch.setattr(client.dynamodb(), "list_tables", lambda **_: answer)
    monkeypatch.setattr(clock, "machine", lambda: datetime(2026, 11, 22, 2, 1, tzinfo=UTC).timestamp())
    assert health.clock_difference() == 60.0
    answer["ResponseMetadata"]["HTTPHeaders"].clear()
    assert health.clock_difference() is None


@pytest.mark.parametrize(("seconds", "fault"), [(290, False), (301, True)])
def test_events_that_wait_too_long_are_reported(run: Run, wrong: Wrong, seconds: int, fault: bool) -> None:
    commit([Put("webhooks", outbox.batch_item([webhooks.event()]))])
    clock.set_offset(seconds)
    if fault:
        assert list(lines := wrong()) == ["outbox"]
        assert lines["outbox"]["found"].startswith("the oldest events wait for 30")
    else:
        assert run("doctor")["items"][PARTS.index("outbox")]["found"].startswith("the oldest events wait for 29")


def test_an_interrupted_removal_of_a_workspace_is_reported(run: Run, wrong: Wrong) -> None:
    workspace = run("workspaces", "create", "Acme", "--plan", "agency")["id"]
    commit(stored_accounts.begin_removal(workspace, clock.now()))
    lines = wrong()
    assert list(lines) == ["removals"] and lines["removals"]["found"] == f"{workspace} is being removed"
    run("workspaces", "remove", workspace, "--yes", "Acme")
    assert run("doctor")["items"][PARTS.index("removals")]["state"] == "ok"


def test_overdue_jobs_are_counted(wrong: Wrong) -> None:
    now = clock.now()
    create(Job(id="job_1", kind="write", site_id="site_1", workspace_id="ws_1", queued_at=now, due_at=now))
    clock.set_offset(doctor.OVERDUE_SECONDS + QUEUED_GRACE_SECONDS + 5)
    lines = wrong()
    assert list(lines) == ["sweeper"]
    assert "1 jobs wait for more than 15 minutes" in lines["sweeper"]["found"]


def test_a_broken_connection_is_reported_with_its_website(wrong: Wrong, monkeypatch: pytest.MonkeyPatch) -> None:
    with connectable(monkeypatch) as connected:
        connected.pair()
        connected.cms.stop()
        for _ in range(BROKEN_FAILURES):
            connected.look_again()
        lines = wrong()
    assert lines["connections"]["found"].startswith(f"cms of {connected.site_id} (shop.example): ")
    assert "; " not in lines["connections"]["found"]


def test_a_pairing_key_that_has_too_many_scopes_is_reported(
    wrong: Wrong, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    with connectable(monkeypatch) as connected:
        connected.pair()
        assert run("doctor")["items"][PARTS.index("pairings")]["state"] == "ok"
        (key_id,) = connected.live_keys()
        accounts.edit_key(OPERATOR, key_id, scopes=SCOPES)
        lines = wrong()
        assert list(lines) == ["pairings"] and "keys narrow" in lines["pairings"]["todo"]
        assert key_id in lines["pairings"]["found"] and connected.workspace_id in lines["pairings"]["found"]
        narrowed = run("keys", "narrow", connected.workspace_id)["items"]
        assert narrowed == [{"id": key_id, "siteId": connected.site_id, "connection": "cms"}]
        assert run("doctor")["items"][PARTS.index("pairings")]["state"] == "ok"


@pytest.mark.parametrize("kind", ["search", "analytics"])
def test_a_data_source_that_refuses_access_is_reported_with_its_website(
    wrong: Wrong, run: Run, kind: SourceKind
) -> None:
    workspace = accounts.create_workspace(OPERATOR, "Agency", "agency")
    site = websites.add(OPERATOR, workspace.id, "https://shop.example/")
    source = Source(kind=kind, name="shop.example", account="a@b.example", connected_at=1.0)
    commit([connections.shown(site, site.connections.with_source(kind, source))])
    assert "1 websites" in run("doctor")["items"][PARTS.index("connections")]["found"]
    known = stored_websites.get(workspace.id, site.id)
    assert known is not None
    refused = source.refused("Google refused the access.", clock.now())
    commit([connections.shown(known, known.connections.with_source(kind, refused))])
    lines = wrong()
    assert list(lines) == ["connections"]
    assert lines["connections"]["found"] == f"{kind} of {site.id} (shop.example): Google refused the access."


def test_an_unreadable_assistant_key_of_a_workspace_is_reported_but_not_shown(
    wrong: Wrong, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace = accounts.create_workspace(OPERATOR, "Agency", "agency")
    for provider in ("openai", "gemini"):
        assistant_keys.put(OPERATOR, workspace.id, provider, Secret(f"a-key-for-{provider}"))
    line = run("doctor")["items"][PARTS.index("assistants")]
    assert line["found"] == "2 keys of workspaces for AI assistants, which can be read"
    kms, decrypt = client.kms(), client.kms().decrypt
    refusal = ClientError({"Error": {"Code": "AccessDeniedException", "Message": "not yours"}}, "Decrypt")

    def of_one_alone(**asked: Any) -> Any:
        if asked["EncryptionContext"].get("assistant") == "openai":
            raise refusal
        return decrypt(**asked)

    monkeypatch.setattr(kms, "decrypt", of_one_alone)
    secrets._kept.clear()
    lines = wrong()
    assert list(lines) == ["assistants"]
    assert lines["assistants"]["found"] == f"openai of {workspace.id}: {refusal}"


def test_drafts_switched_on_without_a_passed_review_are_reported(
    wrong: Wrong, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run("doctor")["items"][PARTS.index("drafts")]["found"] == "off: DRAFTS_A_DAY is 0"
    for name, value in {"DRAFTS_A_DAY": "20", "ASSISTANT": "openai", "OPENAI_API_KEY": "a-key"}.items():
        monkeypatch.setenv(name, value)
    forget_settings()
    lines = wrong()
    assert list(lines) == ["drafts"] and "100 drafts of openai gpt-5-mini have to be read" in lines["drafts"]["found"]
    passed()
    assert run("doctor")["items"][PARTS.index("drafts")]["found"].startswith("on: 20 a day")


@pytest.fixture
def key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A key file in use."""
    path = tmp_path / "key"
    path.write_text(f"{'A' * 43}=\n")
    path.chmod(0o600)
    monkeypatch.setenv("SECRETS_KEY", f"file:{path}")
    forget_keys()
    yield path
    monkeypatch.undo()
    forget_keys()


def forget_keys() -> None:
    forget_settings()
    key_file._keys.cache_clear()
    secrets._kept.clear()


def test_secrets_that_another_kms_key_encrypted_are_reported(
    key: Path, wrong: Wrong, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    with connectable(monkeypatch) as connected:
        connected.pair()
        endpoint = endpoints.add(
            OPERATOR, connected.workspace_id, "https://hooks.example/", ["audit.finished"]
        ).endpoint
        line = run("doctor")["items"][PARTS.index("secrets")]
        assert (line["state"], line["found"]) == ("ok", "some secrets of each kind were decrypted: 1 cms, 1 endpoint")
        key.write_text(f"{'B' * 43}=\n{key.read_text()}")
        forget_keys()
        assert "2 are encrypted with an older line" in run("doctor")["items"][PARTS.index("secrets")]["found"]
        key.write_text(f"{'B' * 43}=\n")
        forget_keys()
        lines = wrong()
        assert list(lines) == ["secrets"] and "secrets reencrypt" in lines["secrets"]["todo"]
        found = lines["secrets"]["found"]
        assert f"cms of {connected.site_id}: " in found and f"endpoint {endpoint.id}: " in found


@pytest.mark.parametrize(("mode", "exposed"), [(0o600, False), (0o400, False), (0o640, True), (0o604, True)])
def test_a_key_file_readable_by_others_is_reported(key: Path, wrong: Wrong, run: Run, mode: int, exposed: bool) -> None:
    key.chmod(mode)
    if exposed:
        line = wrong()["key"]
        assert str(key) in line["found"] and f"{mode:o}" in line["found"] and "chmod 600" in line["todo"]
    else:
        assert run("doctor")["items"][PARTS.index("key")]["state"] == "ok"


def test_state_files_readable_by_others_are_reported(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "state"
    folder.mkdir()
    secret = folder / "cursor.secret"
    secret.write_text("a secret")
    secret.chmod(0o600)
    assert doctor.look_at_state(folder).todo is None
    secret.chmod(0o644)
    found = doctor.look_at_state(folder)
    assert str(secret) in found.found and found.todo is not None and "chmod 600" in found.todo
    assert doctor.look_at_state(folder / "none").todo is not None


def test_an_unconfirmed_or_missing_alarm_topic_is_reported(
    forgetting: None, wrong: Wrong, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    topic = "arn:aws:sns:us-east-1:123456789012:alarms"
    counts = {"SubscriptionsConfirmed": "0", "SubscriptionsPending": "1"}
    asked: list[str] = []

    def attributes(TopicArn: str) -> Any:  # noqa: N803
        asked.append(TopicArn)
        return {"Attributes": counts}

    monkeypatch.setattr(client.sns(), "get_topic_attributes", attributes)
    assert "were not checked" in run("doctor")["items"][PARTS.index("alarms")]["found"] and asked == []
    monkeypatch.setenv("ALARM_TOPIC", topic)
    lines = wrong()
    assert list(lines) == ["alarms"] and asked == [topic]
    assert lines["alarms"]["found"].startswith(f"the topic {topic} has no confirmed subscription (1 pending)")
    counts["SubscriptionsConfirmed"] = "1"
    line = run("doctor")["items"][PARTS.index("alarms")]
    assert (line["state"], line["found"]) == ("ok", f"{topic} has a confirmed subscription")

    def missing(**_: Any) -> None:
        raise ClientError({"Error": {"Code": "NotFound", "Message": "Topic does not exist"}}, "GetTopicAttributes")

    monkeypatch.setattr(client.sns(), "get_topic_attributes", missing)
    assert wrong()["alarms"]["found"] == f"the topic {topic} is missing"


def test_a_migration_is_due_if_rows_of_an_older_version_exist(wrong: Wrong, run: Run) -> None:
    house = MigratedHouse(2)
    line = wrong()["shapes"]
    assert line["found"] == f"an earlier release has stored rows of {'; '.join(house.site_ids)}"
    assert "manage.py store migrate" in line["todo"]
    assert run("store", "migrate", "--websites", "1")["state"] == "under way"
    assert wrong()["shapes"]["found"] == "store migrate was interrupted after 1 websites"
    assert run("store", "migrate")["state"] == "done"
    line = run("doctor")["items"][PARTS.index("shapes")]
    assert (line["state"], line["found"]) == ("ok", "all stored rows have the form of this release")


def test_rows_that_a_migration_could_not_convert_are_reported(run: Run) -> None:
    progress = migrating.Progress(None, 2, migrating.Rewritten(rewritten=5, left=3))
    migrating.keep(progress, ended=True)
    line = run("doctor")["items"][PARTS.index("shapes")]
    assert line["state"] == "ok" and line["found"].endswith(", except 3 rows that store migrate did not change")


def test_old_rows_written_after_a_migration_are_reported(wrong: Wrong) -> None:
    house = MigratedHouse(1)
    migrating.keep(migrating.Progress(None, 1, migrating.Rewritten(rewritten=5, left=3)), ended=True)
    assert wrong()["shapes"]["found"] == f"an earlier release has stored rows of {house.site_ids[0]}"


def test_a_migration_is_due_if_people_are_missing_in_the_address_index(wrong: Wrong, run: Run) -> None:
    workspace_id, _ = people_of_before(1)
    assert wrong()["shapes"]["found"] == f"an earlier release has stored rows of {workspace_id}"
    run("store", "migrate")
    assert run("doctor")["items"][PARTS.index("shapes")]["state"] == "ok"


def test_a_new_deployment_needs_no_migration(run: Run) -> None:
    with pytest.MonkeyPatch.context() as patch, open_house(patch):
        line = run("doctor")["items"][PARTS.index("shapes")]
    assert (line["state"], line["todo"]) == ("ok", None)


def test_workers_on_hold_are_reported_with_the_command_that_releases_them(wrong: Wrong) -> None:
    ownership.take("first")
    holding.hold(OPERATOR)
    found = wrong()["stack"]
    assert found["found"].startswith("workers are held (paused) since 20")
    assert found["found"].endswith(", so nothing is sent, and the store belongs to first")
    assert "manage.py store release" in found["todo"]


def test_a_store_that_belongs_to_another_deployment_is_on_hold_and_reported(
    wrong: Wrong, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    ownership.take("first")
    assert run("doctor")["items"][PARTS.index("stack")]["state"] == "ok", "without STACK_ID nobody knows"
    monkeypatch.setenv("STACK_ID", "second")
    forget_settings()
    try:
        assert (
            wrong()["stack"]["found"] == "workers are held (paused), so nothing is sent, and the store belongs to first"
        )
        assert run("store", "release", "--yes")["state"] == "released"
        assert ownership.get() is None
        ownership.take("second")
        assert run("doctor")["items"][PARTS.index("stack")]["state"] == "ok"
    finally:
        monkeypatch.undo()
        forget_settings()

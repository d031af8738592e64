"""``make deploy``: what is read, what AWS is asked, and what is said, against a stand-in of AWS."""

import contextlib
import itertools
import json
import re
import shlex
import shutil
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar

import pytest
import yaml
from botocore.client import BaseClient

import manage
from chalicelib.operations import addresses
from chalicelib.settings.reading import forget_settings
from chalicelib.store import accounts, client, website_names
from chalicelib.version import VERSION
from infra import deploy, parameters
from local import embedded
from tests import aws as aws_of_tests
from tests.stood_in_aws import ADDRESS, NO_CHANGE, STACK_ID, Aws, standing_in

ROOT = Path(__file__).resolve().parent.parent
BUCKET = "templates-of-ours"
TOPIC = "arn:aws:sns:us-east-1:123456789012:alarms"
CERTIFICATE = "arn:aws:acm:us-east-1:123456789012:certificate/1"
SECRET = "never-shown-to-anybody-at-all-0123456789"
FUNCTION = "  {}:\n    Type: AWS::Serverless::Function\n    Properties:\n      CodeUri: ./deployment.zip\n"

Deploy = Callable[..., tuple[int, str, str]]


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """What is deployed: every parameter, two functions and an archive."""
    folder = tmp_path / "package"
    folder.mkdir()
    declared = yaml.safe_dump({"Parameters": parameters.declared()})
    (folder / "sam.yaml").write_text(f"{declared}Resources:\n{FUNCTION.format('One')}{FUNCTION.format('Two')}")
    (folder / "deployment.zip").write_bytes(b"an archive")
    return folder


@pytest.fixture
def aws(store: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[Aws]:
    """An account without a stack, in which this process's store is that of the tests."""
    monkeypatch.setenv("TABLE_PREFIX", "wos-")
    monkeypatch.delenv("AWS_REGION", raising=False)
    with standing_in() as aws:
        for name, value in aws.environment().items():
            monkeypatch.setenv(name, value)
        client.reset()
        yield aws
    monkeypatch.undo()
    forget_settings()
    client.reset()


@pytest.fixture
def run(aws: Aws, package: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Deploy:
    """Runs the command with a file of this text: gives status, standard output and standard error."""

    def run_command(act: str, file: str | None = None, *options: str) -> tuple[int, str, str]:
        path = tmp_path / "given.toml"
        path.write_text(file or "", encoding="utf-8")
        named = [] if file is None else ["--file", str(path)]
        status = deploy.main([act, *named, "--package", str(package), *options], pause=0.0)
        printed = capsys.readouterr()
        assert SECRET not in printed.out + printed.err
        return status, printed.out, printed.err

    return run_command


def of(*lines: str) -> str:
    """A file with these parameters."""
    return "\n".join((f'bucket = "{BUCKET}"', "[parameters]", *lines))


# -- the file ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("file", "said"),
    [
        (of('OpenAiKey = "secretsmanager:x"'), "there is no 'OpenAiKey'; did you mean OpenaiApiKey?"),
        (of("TablePrefx = 'a-'"), "there is no 'TablePrefx'; did you mean TablePrefix?"),
        (of("Xyzzy = 1"), "there is no 'Xyzzy'\n"),
        ("bukket = 'b'", "there is no 'bukket'; did you mean bucket?"),
        ("bucket = 1", "bucket must be a text in quotes"),
        ("bucket = ''", "bucket must be a text in quotes"),
        ("bucket = 'b'\nparameters = 1", "parameters is a section"),
        (of(f'OpenaiApiKey = "{SECRET}"'), "OpenaiApiKey is secret, so this file may only have a reference to it"),
        (of(f'MailUrl = "smtp://me:{SECRET}@mail.example:587"'), "MailUrl is secret"),
        (of('MailUrl = "{{resolve:secretsmanager:mail}}"'), "MailUrl is secret"),
        (of('MailUrl = "secretsmanager:"'), "MailUrl is secret"),
        (of('MailUrl = "secretsmanager:mail#"'), "MailUrl is secret"),
        (of("MailUrl = 3"), "MailUrl is secret"),
        (of('RequestsASecond = "many"'), "RequestsASecond must be a whole number, without quotes"),
        (of("RequestsASecond = true"), "RequestsASecond must be a whole number"),
        (of("RequestsASecond = 2.5"), "RequestsASecond must be a whole number"),
        (of(f"RequestsASecond = 0x{'f' * 5_000}"), "RequestsASecond must be a whole number"),
        (of(f"RequestsASecond = {'9' * 5_000}"), "is not valid TOML"),
        *(
            (of(f"CruxRequestsASecond = {no}"), "CruxRequestsASecond must be a number above 0")
            for no in ("0", "nan", "true")
        ),
        (of("CruxRequestsASecond = inf"), "CruxRequestsASecond must be a number above 0"),
        (of("AppUrl = 3"), "AppUrl must be a text in quotes, of at most 4,096 characters"),
        (of(f'AppUrl = "{"x" * 4_097}"'), "AppUrl must be a text in quotes"),
        (of('AppUrl = "a\\u0007b"'), "AppUrl must be a text in quotes"),
        (of('ReserveConcurrency = "perhaps"'), "ReserveConcurrency must be one of 'yes', 'no'"),
        *(
            (of(f'MailFrom = "{no}"'), "MailFrom must be one e-mail address, without a name")
            for no in ("acme.example", "Service <service@acme.example>", "a@acme.example, b@acme.example")
        ),
        (of("BudgetAmount = 5", 'BudgetAddress = "nobody"'), "BudgetAddress must be one e-mail address"),
        (of('DomainName = "seo.acme.example"'), "DomainName needs CertificateArn"),
        (of(f'CertificateArn = "{CERTIFICATE}"'), "CertificateArn needs DomainName"),
        (of("BudgetAmount = 500"), "BudgetAmount needs BudgetAddress"),
        (of('BudgetAddress = "costs@acme.example"'), "BudgetAddress needs BudgetAmount"),
        (of("BudgetAmount = 0", 'BudgetAddress = "costs@acme.example"'), "BudgetAddress needs BudgetAmount"),
        (of("BudgetAmount = -1", 'BudgetAddress = "costs@acme.example"'), "BudgetAmount must be 0 or more, in USD"),
        ("[parameters]", "bucket"),
        ("bucket = ", "is not TOML"),
        (f"# {'x' * parameters.MOST_BYTES}", "has more than 100,000 bytes"),
    ],
)
def test_an_invalid_file_is_refused_before_any_request(run: Deploy, aws: Aws, file: str, said: str) -> None:
    for act in ("read", "deploy"):
        status, out, err = run(act, file)
        assert (status, out) == (1, "") and said in err
    assert aws.calls == []


def test_a_budget_alarm_is_deployed_if_amount_and_address_are_given(run: Deploy, aws: Aws) -> None:
    status, _, err = run("deploy", of("BudgetAmount = 500", 'BudgetAddress = "costs@acme.example"'))
    assert status == 0, err
    assert (aws.given["BudgetAmount"], aws.given["BudgetAddress"]) == ("500", "costs@acme.example")
    status, _, err = run("deploy", of("BudgetAmount = 0"))
    assert status == 0 and (aws.given["BudgetAmount"], aws.given["BudgetAddress"]) == ("0", ""), err


def test_the_sender_of_mail_is_deployed_if_it_is_an_address(run: Deploy, aws: Aws) -> None:
    status, _, err = run("deploy", of('MailFrom = "service@bücher.example"'))
    assert (status, aws.given["MailFrom"]) == (0, "service@bücher.example"), err


def test_all_errors_of_a_file_are_reported_together(run: Deploy) -> None:
    _, _, err = run("read", of("AppUrl = 3", "Nothing = 1", f'CruxApiKey = "{SECRET}"'))
    assert len(err.splitlines()) == 3


def test_a_missing_or_binary_file_is_refused(run: Deploy, tmp_path: Path) -> None:
    (tmp_path / "bytes.toml").write_bytes(b"\xff")
    for name, said in (("none.toml", "cannot be read"), ("bytes.toml", "is not UTF-8")):
        status, _, err = run("read", None, "--file", str(tmp_path / name))
        assert status == 1 and said in err


def test_the_example_file_is_valid_and_lists_every_parameter(run: Deploy) -> None:
    text = (ROOT / "deploy.example.toml").read_text(encoding="utf-8")
    assert run("read", text)[0] == 0
    everything = re.sub(r"^# (\w+ = .+)$", r"\1", text, flags=re.MULTILINE)
    assert set(re.findall(r"^(\w+) = ", everything.partition("[parameters]")[2], re.MULTILINE)) == set(
        parameters.declared()
    )
    assert run("read", everything) == (0, "", "")


# -- deploying --------------------------------------------------------------------------------------------


def test_a_created_stack_is_reported_with_its_addresses(run: Deploy, aws: Aws) -> None:
    aws.waits = 2
    status, out, err = run("deploy", of(f'AlarmTopic = "{TOPIC}"', "RequestsASecond = 50"))
    assert (status, err) == (0, "")
    for line in (f"{ADDRESS}/app", f"{ADDRESS}/api/v1", f"{ADDRESS}/docs", TOPIC):
        assert re.search(rf" {re.escape(line)}$", out, re.MULTILINE), line
    assert f"export AWS_REGION=us-east-1 AWS_DEFAULT_REGION=us-east-1 STACK_ID={STACK_ID} TABLE_PREFIX=wos-" in out
    assert " QUEUE_PREFIX=wos- SECRETS_KEY=alias/wos-secrets EXPORTS_BUCKET=" in out
    assert (aws.status, aws.given["RequestsASecond"], aws.given["AlarmTopic"]) == ("CREATE_COMPLETE", "50", TOPIC)
    assert re.fullmatch("[0-9a-f]{64}", aws.given["CursorSecret"]) and aws.given["CursorSecret"] not in out
    assert addresses.public_address() == ADDRESS
    (archive,) = (path for path in aws.objects if path.endswith(".zip"))
    assert aws.template.count(f"CodeUri: s3:/{archive}\n") == 2 and aws.objects[archive] == b"an archive"


def test_an_unchanged_deployment_changes_and_uploads_nothing(run: Deploy, aws: Aws) -> None:
    run("deploy", of())
    first, uploaded = dict(aws.given), aws.calls.count("PutObject")
    status, out, _ = run("deploy", of())
    assert status == 0 and "nothing to change" in out and f"{ADDRESS}/app" in out
    assert aws.given == first and (aws.status, aws.calls.count("PutObject")) == ("CREATE_COMPLETE", uploaded)


def test_a_removed_setting_returns_to_its_default_but_secrets_are_kept(run: Deploy, aws: Aws) -> None:
    run("deploy", of('LogLevel = "DEBUG"'))
    secret = aws.given["CursorSecret"]
    _, out, _ = run("deploy", of())
    assert "LogLevel: 'DEBUG' becomes 'INFO'" in out and secret not in out
    assert (aws.status, aws.given["LogLevel"], aws.given["CursorSecret"]) == ("UPDATE_COMPLETE", "INFO", secret)


@pytest.mark.parametrize("name", ["TablePrefix", "QueuePrefix"])
def test_the_prefixes_of_a_stack_cannot_be_changed(run: Deploy, aws: Aws, name: str) -> None:
    own = (f'{name} = "own-"', 'AppUrl = "https://seo.acme.example/app"')
    run("deploy", of(*own))
    first, calls = dict(aws.given), len(aws.calls)
    for changed in (of(), of(f'{name} = "other-"')):
        status, _, err = run("deploy", changed)
        assert status == 1 and f"{name} of the stack website-optimization is 'own-'" in err
        assert f'Write {name} = "own-" under [parameters]' in err
    assert aws.given == first and set(aws.calls[calls:]) == {"DescribeStacks"}
    assert run("deploy", of(*own, 'LogLevel = "DEBUG"'))[0] == 0
    assert run("deploy", None, "--bucket", BUCKET)[0] == 0


def test_field_data_can_be_requested_less_often_than_once_a_second(run: Deploy, aws: Aws) -> None:
    assert run("deploy", of("CruxRequestsASecond = 0.5"))[0] == 0
    assert aws.given["CruxRequestsASecond"] == "0.5"


def test_a_deployment_without_a_file_keeps_the_parameters_of_the_stack(run: Deploy, aws: Aws) -> None:
    run("deploy", of('LogLevel = "DEBUG"'))
    status, _, _ = run("deploy", None, "--bucket", BUCKET, "--app-url", "https://seo.acme.example/app")
    assert (status, aws.given["LogLevel"], aws.given["AppUrl"]) == (0, "DEBUG", "https://seo.acme.example/app")


def test_command_line_options_override_the_file(run: Deploy, aws: Aws) -> None:
    file = 'stack = "other"\n' + of('AppUrl = "https://no.example"')
    status, out, _ = run("deploy", file, "--app-url", "https://seo.acme.example/app", "--engine-image", "image:1")
    assert status == 0 and "App        https://seo.acme.example/app\n" in out
    assert (aws.given["AppUrl"], aws.given["EngineImage"]) == ("https://seo.acme.example/app", "image:1")
    assert addresses.public_address() is None
    assert all(path.startswith(f"/{BUCKET}/other/") for path in aws.objects)


def test_a_custom_domain_name_is_used_for_app_and_api(run: Deploy, aws: Aws) -> None:
    file = of('DomainName = "seo.acme.example"', f'CertificateArn = "{CERTIFICATE}"')
    _, out, _ = run("deploy", file)
    assert "App        https://seo.acme.example/app\n" in out
    assert "seo.acme.example must lead to d-1.execute-api.us-east-1.amazonaws.com" in out
    assert addresses.public_address() == "https://seo.acme.example"


def test_secrets_are_read_from_the_places_named_in_the_file(run: Deploy, aws: Aws) -> None:
    aws.secrets |= {"plain": SECRET, "json": f'{{"crux": "{SECRET}2"}}'}
    aws.entries["/wos/mail"] = f"smtp://me:{SECRET}@mail.example:587"
    references = ('OpenaiApiKey = "secretsmanager:plain"', 'CruxApiKey = "secretsmanager:json#crux"')
    status, _, _ = run("deploy", of(*references, 'MailUrl = "ssm:/wos/mail"'))
    assert (status, aws.given["OpenaiApiKey"], aws.given["CruxApiKey"]) == (0, SECRET, f"{SECRET}2")
    assert aws.given["MailUrl"] == aws.entries["/wos/mail"]


def test_the_deployers_policy_allows_every_call_of_a_deployment(run: Deploy, wrong: dict[str, Any], aws: Aws) -> None:
    aws.secrets["plain"] = aws.entries["/wos/mail"] = SECRET
    references = ('OpenaiApiKey = "secretsmanager:plain"', 'MailUrl = "ssm:/wos/mail"', f'AlarmTopic = "{TOPIC}"')
    for act in ("deploy", "deploy", "check"):
        run(act, of(*references))
    aws.fails = "a reason"
    run("deploy", of("RequestsASecond = 60"))
    policy = json.loads((ROOT / "infra" / "deployer.json").read_text(encoding="utf-8"))
    allowed = {action.partition(":")[2] for one in policy["Statement"] for action in one["Action"]}
    called = set(aws.calls)
    assert {"GetParameter", "GetSecretValue", "DeleteChangeSet", "DescribeStackEvents", "GetTopicAttributes"} <= called
    assert called - {"HeadObject"} <= allowed
    assert "GetObject" in allowed  # the right that HeadObject needs


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('OpenaiApiKey = "secretsmanager:none"', "secretsmanager:none cannot be read: ResourceNotFoundException"),
        ('MailUrl = "ssm:/none"', "ssm:/none cannot be read: ParameterNotFound"),
        ('OpenaiApiKey = "secretsmanager:json#other"', "secretsmanager:json#other holds no text"),
        ('OpenaiApiKey = "secretsmanager:plain#crux"', "secretsmanager:plain#crux holds no text"),
        ('OpenaiApiKey = "secretsmanager:empty"', "has 0 characters, but must have 1 to 4,096"),
        ('CursorSecret = "secretsmanager:short"', "has 5 characters, but must have 32 to 4,096"),
    ],
)
def test_a_missing_secret_is_reported_before_anything_is_uploaded(run: Deploy, aws: Aws, line: str, said: str) -> None:
    aws.secrets |= {"plain": SECRET, "json": f'{{"crux": "{SECRET}"}}', "empty": "", "short": "short"}
    status, _, err = run("deploy", of(line))
    assert status == 1 and said in err
    assert (aws.objects, aws.status) == ({}, None)


def test_a_deployment_in_progress_is_waited_for(run: Deploy, aws: Aws) -> None:
    run("deploy", of())
    aws.status, aws.ends_as, aws.waits = "UPDATE_IN_PROGRESS", "UPDATE_COMPLETE", 3
    status, out, _ = run("deploy", of('LogLevel = "DEBUG"'))
    assert status == 0 and "waiting until this operation has ended" in out
    assert aws.given["LogLevel"] == "DEBUG"


def test_a_first_deployment_is_created_again_if_it_was_killed_before_it_began(run: Deploy, aws: Aws) -> None:
    aws.status = "REVIEW_IN_PROGRESS"  # a change set of the killed one
    assert run("deploy", of())[0] == 0
    assert aws.status == "CREATE_COMPLETE"


def test_a_failed_update_is_reported_with_its_reason_and_can_be_deployed_again(run: Deploy, aws: Aws) -> None:
    run("deploy", of())
    aws.fails = "The table is in use"
    status, _, err = run("deploy", of('LogLevel = "DEBUG"'))
    assert status == 1 and "UPDATE_ROLLBACK_COMPLETE" in err and "SitesTable: The table is in use" in err
    aws.fails = "Another reason"
    assert "The table is in use" not in run("deploy", of('LogLevel = "ERROR"'))[2]
    aws.fails = ""
    assert run("deploy", of('LogLevel = "DEBUG"'))[0] == 0


def test_a_stack_whose_creation_failed_must_be_deleted_first(run: Deploy, aws: Aws) -> None:
    aws.fails = "Limit exceeded"
    assert run("deploy", of())[0] == 1
    status, _, err = run("deploy", of())
    assert status == 1 and "is ROLLBACK_COMPLETE" in err and "Delete the stack" in err


def test_a_refused_template_is_reported_with_the_reason(run: Deploy, aws: Aws, monkeypatch: pytest.MonkeyPatch) -> None:
    run("deploy", of())
    monkeypatch.setattr("tests.stood_in_aws.NO_CHANGE", NO_CHANGE.replace("didn't contain changes", "is too large"))
    status, _, err = run("deploy", of())
    assert status == 1 and "CloudFormation refuses the template: The submitted information is too large" in err


def test_an_unknown_state_of_the_stack_stops_the_deployment(run: Deploy, aws: Aws) -> None:
    aws.denied = True
    status, _, err = run("deploy", of())
    assert status == 1 and "ExpiredToken" in err and err.count("\n") == 1
    assert aws.calls == ["DescribeStacks"]


def test_a_nonexistent_bucket_is_reported(run: Deploy, aws: Aws) -> None:
    status, _, err = run("deploy", of().replace(BUCKET, "another"))
    assert status == 1 and "NoSuchBucket" in err and aws.status is None


def test_a_package_without_an_archive_is_refused(run: Deploy, aws: Aws, package: Path) -> None:
    (package / "sam.yaml").write_text("Resources: {}")
    status, _, err = run("deploy", of())
    assert status == 1 and "names no archive" in err and aws.objects == {}


def test_a_missing_region_is_reported(run: Deploy, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("AWS_DEFAULT_REGION")
    status, _, err = run("deploy", of())
    assert status == 1 and "name a region" in err
    assert run("deploy", f'region = "us-east-1"\n{of()}')[0] == 0


class Killed(BaseException):
    """The process is gone."""


def test_a_deployment_killed_at_any_call_is_completed_by_the_next(
    run: Deploy, aws: Aws, monkeypatch: pytest.MonkeyPatch
) -> None:
    inner = BaseClient._make_api_call
    for point in itertools.count():
        aws.status, aws.template, aws.given, left = None, "", {}, point
        aws.objects.clear()
        embedded.clear()

        def dying(self: BaseClient, operation: str, request: Any) -> Any:
            nonlocal left
            if left == 0:
                raise Killed
            answer = inner(self, operation, request)
            left -= 2
            if left < 0:
                raise Killed
            return answer

        monkeypatch.setattr(BaseClient, "_make_api_call", dying)
        killed = True
        with contextlib.suppress(Killed):
            run("deploy", of())
            killed = False
        monkeypatch.setattr(BaseClient, "_make_api_call", inner)
        secret = aws.given.get("CursorSecret")
        assert run("deploy", of())[0] == 0
        assert (aws.status, len(aws.objects), addresses.public_address()) == ("CREATE_COMPLETE", 2, ADDRESS)
        assert secret in (None, aws.given["CursorSecret"])
        if not killed:
            break
    assert point > 10


# -- asking it --------------------------------------------------------------------------------------------


class _Pages(BaseHTTPRequestHandler):
    """Answers as the deployment does, but for what ``wrong`` says of a path: status, type and version."""

    wrong: ClassVar[dict[str, tuple[int, str, str]]]
    kinds: ClassVar = {"/live/api/v1/openapi.json": "application/json"}

    def log_message(self, format: str, *arguments: object) -> None:
        """Nothing."""

    def do_GET(self) -> None:
        known = self.path in ("/live/app/sign-in", "/live/docs", *self.kinds)
        right = (200 if known else 404, self.kinds.get(self.path, "text/html; charset=utf-8"), VERSION)
        status, kind, version = self.wrong.get(self.path, right)
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("X-Service-Version", version)
        self.send_header("Content-Length", "0")
        self.end_headers()


@pytest.fixture
def pages(aws: Aws, monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, Any]]:
    """What pages answer instead of what is right; the stack's gateway is on this machine."""
    monkeypatch.setenv("ALLOW_ADDRESSES", "127.0.0.0/8")
    faults: dict[str, Any] = {}
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Pages", (_Pages,), {"wrong": faults}))
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    aws.address = f"http://127.0.0.1:{server.server_port}/live"
    yield faults
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def wrong(run: Deploy, aws: Aws, pages: dict[str, Any]) -> dict[str, Any]:
    """The same of a stack that is there, with alarms that somebody hears of."""
    run("deploy", of(f'AlarmTopic = "{TOPIC}"'))
    aws.topics[TOPIC] = 1
    return pages


def test_the_deployed_addresses_are_checked(run: Deploy, wrong: dict[str, Any]) -> None:
    status, out, err = run("check", of())
    assert (status, err) == (0, "")
    assert [line.split()[:2] for line in out.splitlines()] == [
        ["ok", part] for part in ("API", "App", "Docs", "Alarms")
    ]
    assert out.count(f"version {VERSION}") == 3


@pytest.mark.parametrize(
    ("part", "path", "answer", "said"),
    [
        ("API", "/live/api/v1/openapi.json", (502, "text/html", ""), "answers 502"),
        ("App", "/live/app/sign-in", (200, "application/json", VERSION), "does not answer text/html"),
        ("Docs", "/live/docs", (200, "text/html", "0.0.9"), f"runs version 0.0.9, but this is version {VERSION}"),
    ],
)
def test_an_unexpected_answer_names_the_part_of_the_deployment(
    run: Deploy, wrong: dict[str, Any], part: str, path: str, answer: tuple[int, str, str], said: str
) -> None:
    wrong[path] = answer
    status, out, _ = run("check", of())
    assert status == 1
    (line,) = (line for line in out.splitlines() if line.startswith("wrong"))
    assert line.split()[1] == part and said in line


def test_alarms_without_subscribers_are_reported(run: Deploy, aws: Aws, wrong: dict[str, Any]) -> None:
    aws.topics[TOPIC] = 0
    status, out, _ = run("check", of())
    assert status == 1 and "has no confirmed subscription" in out
    del aws.topics[TOPIC]
    assert "is missing" in run("check", of())[1]
    run("deploy", of())
    status, out, _ = run("check", of())
    assert status == 0 and "ok     Alarms    in CloudWatch only" in out


def test_a_domain_name_that_does_not_resolve_is_reported(run: Deploy, aws: Aws) -> None:
    run("deploy", of('DomainName = "seo.acme.example"', f'CertificateArn = "{CERTIFICATE}"'))
    status, out, _ = run("check", of())
    assert status == 1 and out.count("does not answer") == 3


def test_without_a_deployment_the_check_fails(run: Deploy, aws: Aws) -> None:
    for state in (None, "ROLLBACK_COMPLETE"):
        aws.status = state
        status, out, err = run("check", of())
        assert (status, out) == (1, "") and "There is no stack website-optimization of this release in us-east-1" in err


# -- the documents ----------------------------------------------------------------------------------------


def test_the_first_steps_in_the_readme_work(
    aws: Aws,
    package: Path,
    pages: dict[str, Any],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    section = (ROOT / "README.md").read_text(encoding="utf-8").split("## Deploying\n")[1]
    lines = [shlex.split(line, comments=True) for line in section.split("```")[1].strip().splitlines()]
    assert [line[:2] for line in lines[:3]] == [
        ["cp", "deploy.example.toml"],
        ["make", "deploy"],
        ["make", "deploy-check"],
    ]
    aws.buckets = {"your-bucket"}
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LOCAL_DIR", str(tmp_path))
    for program, *arguments in lines:
        if program == "cp":
            shutil.copy(ROOT / arguments[0], arguments[1])
        elif program == "make":
            act = {"deploy": "deploy", "deploy-check": "check"}[arguments[0]]
            assert deploy.main([act, "--package", str(package)], pause=0.0) == 0
            if act == "deploy":
                (exported,) = re.findall(r"^export (.+)$", capsys.readouterr().out, re.MULTILINE)
        elif program == "export":  # the line that make deploy printed
            for name, value in (one.split("=", 1) for one in shlex.split(exported)):
                monkeypatch.setenv(name, value)
            forget_settings()
        else:
            assert (program, arguments[0]) == (".venv/bin/python", "manage.py")
            assert manage.main(arguments[1:]) == 0, arguments
    printed = capsys.readouterr()
    assert printed.err == "" and f"{aws.address}/app/sign-in?token=" in printed.out
    (workspace,) = accounts.list_workspaces()
    (website,) = website_names.list_all(workspace.id)
    assert aws_of_tests.messages("crawl") and website.host == "your-company.example"

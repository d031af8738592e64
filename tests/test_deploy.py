"""``make deploy`` as it is run, with the template that Chalice makes of this app, against a stand-in of AWS."""

import fnmatch
import json
import os
import re
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import cfnlint
import pytest
from chalice.app import ScheduledEventConfig, SQSEventConfig

from app import app
from chalicelib import api
from chalicelib.connectors import live_reader
from chalicelib.http.endpoints import BASE_PATH
from chalicelib.store import addresses, keys
from infra import parameters
from infra.engine.resources import FUNCTION as ENGINE
from infra.function import Call, Function, kind_of
from infra.functions import FUNCTIONS
from infra.rewriting import parameter, statements
from local import embedded
from tests.stack import packaged
from tests.stood_in_aws import ADDRESS, Aws, standing_in

ROOT = Path(__file__).resolve().parent.parent
INLINE_BYTES = 51_200
BUCKET, APP_URL = "templates-of-ours", "https://app.company.example"
LONG_ARN = 120


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The output of ``make package``."""
    return packaged.package(tmp_path_factory.mktemp("project"))


@pytest.fixture(scope="module")
def template(package: Path) -> dict[str, Any]:
    """The template that is deployed."""
    return packaged.read(package)


@pytest.fixture
def aws() -> Iterator[Aws]:
    """An account without a stack, and what its functions would store."""
    with standing_in() as aws:
        yield aws


def deploy(package: Path, aws: Aws, *variables: str) -> tuple["subprocess.CompletedProcess[str]", str | None]:
    """Run ``make deploy`` on what is packaged. Gives how it ended, and the address that was stored."""
    with embedded.running():
        rows = embedded.Endpoint()
        environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))},
            **aws.environment(),
            "AWS_ENDPOINT_URL_DYNAMODB": rows.url,
        }
        command = ["make", "-o", "package", "-o", ".venv/installed", "deploy", f"OUT={package}", *variables]
        try:
            done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
            return done, addresses.public()
        finally:
            rows.stop()


def test_make_deploy_uses_the_bucket_and_the_variables(package: Path, aws: Aws) -> None:
    assert (package / "sam.yaml").stat().st_size > INLINE_BYTES, "CloudFormation does not take it with the call"
    (package / "deployment.zip").write_bytes(b"an archive")
    done, stored = deploy(package, aws, f"BUCKET={BUCKET}", f"APP_URL={APP_URL}", "STACK=seo", "ENGINE_IMAGE=image:1")
    assert done.returncode == 0, done.stderr
    assert (aws.status, aws.given["AppUrl"], aws.given["EngineImage"]) == ("CREATE_COMPLETE", APP_URL, "image:1")
    assert all(path.startswith(f"/{BUCKET}/seo/") for path in aws.objects)
    assert f"App        {APP_URL}" in done.stdout and aws.given["CursorSecret"] not in done.stdout + done.stderr
    assert stored is None


def test_make_deploy_uses_a_file_and_stores_the_address(package: Path, aws: Aws, tmp_path: Path) -> None:
    (package / "deployment.zip").write_bytes(b"an archive")
    file = tmp_path / "deploy.toml"
    file.write_text(f'bucket = "{BUCKET}"\n[parameters]\nLogLevel = "DEBUG"\n', encoding="utf-8")
    done, stored = deploy(package, aws, f"PARAMETERS={file}")
    assert done.returncode == 0, done.stderr
    assert (aws.given["LogLevel"], aws.given["TablePrefix"]) == ("DEBUG", "wos-")
    assert stored == ADDRESS


def test_a_missing_bucket_is_reported(package: Path, aws: Aws) -> None:
    done, _ = deploy(package, aws)
    assert done.returncode != 0 and "make deploy BUCKET=" in done.stderr and aws.calls == []


def test_make_deploy_reads_the_file_before_it_packages_and_deploys() -> None:
    command = ["make", "-n", "-o", ".venv/installed", "deploy"]
    said = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    places = [said.index(part) for part in ("build/package read", "-m infra.package", "build/package deploy")]
    assert places == sorted(places)


def test_environment_variables_meant_for_another_stack_are_ignored() -> None:
    names = ("PARAMETERS", "BUCKET", "STACK", "APP_URL", "ENGINE_IMAGE")
    environment = {**os.environ, **{name: f"another-{name}" for name in names}}
    command = ["make", "-n", "-o", ".venv/installed", "deploy", "STACK=ours"]
    said = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True).stdout
    assert "another-" not in said and said.count('--stack "ours"') == 2


def test_a_file_may_set_the_parameters_of_the_template(template: dict[str, Any]) -> None:
    assert parameters.declared() == template["Parameters"]


def test_a_parameter_has_the_name_of_its_setting(template: dict[str, Any]) -> None:
    variables = [template["Globals"]["Function"]["Environment"]["Variables"]]
    variables += [_properties(template, one.logical_id)["Environment"]["Variables"] for one in FUNCTIONS]
    given = {
        (variable, value["Ref"])
        for of_function in variables
        for variable, value in of_function.items()
        if isinstance(value, dict) and value.get("Ref") in template["Parameters"]
    }
    assert len(given) > 40
    assert {name for variable, name in given if name != parameter(variable)} == set()


def test_a_domain_name_and_a_web_acl_are_created_only_on_request(
    template: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")  # the transformation asks for one
    plain = packaged.transformed(template)["Resources"]
    assert {plain[name]["Condition"] for name in ("OwnName", "OwnNameMapping")} == {"HasOwnName"}
    stage = next(name for name, one in plain.items() if one["Type"] == "AWS::ApiGateway::Stage")
    assert plain["OwnNameMapping"]["Properties"]["Stage"] == {"Ref": stage}
    assert plain["WebAcl"]["Condition"] == "HasWebAcl"
    assert plain["WebAcl"]["Properties"]["ResourceArn"]["Fn::Sub"].endswith(
        f"/restapis/${{RestAPI}}/stages/${{{stage}}}"
    )


# -- the deployer's rights -----------------------------------------------------------------------------

# The statement of infra/deployer.json that covers each type of resource.
RIGHTS_FOR = {
    "AWS::ApiGateway::BasePathMapping": "Gateway",
    "AWS::ApiGateway::Deployment": "Gateway",
    "AWS::ApiGateway::DomainName": "Gateway",
    "AWS::ApiGateway::RestApi": "Gateway",
    "AWS::ApiGateway::Stage": "Gateway",
    "AWS::Budgets::Budget": "Budget",
    "AWS::CloudWatch::Alarm": "Alarms",
    "AWS::CloudWatch::Dashboard": "Alarms",
    "AWS::DynamoDB::Table": "Tables",
    "AWS::Events::Rule": "Schedules",
    "AWS::IAM::Policy": "Roles",
    "AWS::IAM::Role": "Roles",
    "AWS::KMS::Alias": "Key",
    "AWS::KMS::Key": "Key",
    "AWS::Lambda::EventSourceMapping": "EventSources",
    "AWS::Lambda::Function": "Functions",
    "AWS::Lambda::Permission": "Functions",
    "AWS::Logs::LogGroup": "Logs",
    "AWS::S3::Bucket": "Bucket",
    "AWS::S3::BucketPolicy": "Bucket",
    "AWS::SQS::Queue": "Queues",
    "AWS::WAFv2::WebACLAssociation": "WebAcl",
}
# Statements for the calls of `make deploy` itself, and for what functions and the gateway need at their creation.
_OTHER_RIGHTS = {"AlarmTopic", "EngineImage", "GatewayRole", "PublicAddress", "RolesOfFunctions", "SecretValues"}
_OTHER_RIGHTS |= {"Stack", "Upload"}
POLICY_CHARACTERS = 6_144  # of a managed policy, without spaces


@pytest.fixture(scope="module")
def rights() -> dict[str, dict[str, Any]]:
    """The statements of the deployer's policy, by name."""
    content = json.loads((ROOT / "infra" / "deployer.json").read_text(encoding="utf-8"))
    assert len("".join(json.dumps(content).split())) <= POLICY_CHARACTERS
    return {one["Sid"]: one for one in content["Statement"]}


def test_the_deployers_policy_covers_every_type_of_resource(
    template: dict[str, Any], rights: dict[str, dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")  # the transformation asks for one
    types = {one["Type"] for one in packaged.transformed(template)["Resources"].values()}
    assert types == set(RIGHTS_FOR)
    assert set(RIGHTS_FOR.values()) | _OTHER_RIGHTS == set(rights)


def test_every_action_of_the_deployers_policy_exists(rights: dict[str, dict[str, Any]]) -> None:
    file = Path(cfnlint.__file__).parent / "data" / "AdditionalSpecs" / "Policies.json"
    known = json.loads(file.read_text(encoding="utf-8"))
    for statement in rights.values():
        for action in statement["Action"]:
            service, _, name = action.partition(":")
            assert fnmatch.filter(known[service]["Actions"], name.lower()), action


def test_the_deployers_policy_covers_the_names_of_the_template(
    template: dict[str, Any], rights: dict[str, dict[str, Any]]
) -> None:
    named = {"Tables": "TableName", "Queues": "QueueName", "Bucket": "BucketName"}
    checked = 0
    for one in template["Resources"].values():
        statement = RIGHTS_FOR.get(one["Type"], "")
        name = one.get("Properties", {}).get(named.get(statement, ""))
        if name is not None:
            default = re.sub(r"\$\{(Table|Queue)Prefix\}", "wos-", name["Fn::Sub"])
            pattern = re.split(r"[:/]", rights[statement]["Resource"])[-1]
            assert fnmatch.fnmatchcase(default, pattern), default
            checked += 1
    assert checked > 40


# -- the functions -------------------------------------------------------------------------------------

every_function = pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.name)
READS_THE_WEB = ("crawl", "reader", "recheck")  # pages and files of anybody
# What the worker of audits decrypts: credentials of previews, which it sends to the preview that they are for.
DECRYPTS = {"crawl": {"preview"}}


def _properties(template: dict[str, Any], logical_id: str) -> dict[str, Any]:
    found: dict[str, Any] = template["Resources"][logical_id]["Properties"]
    return found


def _rights(template: dict[str, Any], function: Function) -> list[tuple[str, Any]]:
    """Each action of a function's policy with each resource."""
    (policy,) = _properties(template, f"{function.logical_id}Role")["Policies"]
    return [
        (action, resource)
        for statement in policy["PolicyDocument"]["Statement"]
        for action in statement["Action"]
        for resource in statement["Resource"]
    ]


def test_exactly_the_groups_workers_and_schedules_have_a_function(template: dict[str, Any]) -> None:
    sources = {one.name for one in app.event_sources if isinstance(one, SQSEventConfig | ScheduledEventConfig)}
    sources |= {one.name for one in app.pure_lambda_functions}
    of_groups = {f"api_{group}" for group in api.GROUPS} | {"api_readiness_act", "web_act"}
    assert {function.name for function in FUNCTIONS} == sources | of_groups | set(api.ROOMS)
    deployed = {name for name, one in template["Resources"].items() if one["Type"] == "AWS::Serverless::Function"}
    assert deployed == {function.logical_id for function in FUNCTIONS}


def _called(template: dict[str, Any], path: str, method: str) -> str:
    """The function that a method of a path calls."""
    operation = _properties(template, "RestAPI")["DefinitionBody"]["paths"][path][method]
    called = re.search(r"functions/\$\{(\w+)\.Arn\}/", json.dumps(operation["x-amazon-apigateway-integration"]))
    assert called is not None
    return called[1]


def test_approving_readiness_files_and_reading_them_use_different_functions(template: dict[str, Any]) -> None:
    for path in ("/sites/{siteId}/geo/llms-txt", "/sites/{siteId}/geo/ai-crawlers"):
        assert (
            _called(template, BASE_PATH + path, "get") == "ApiReadiness" == _called(template, BASE_PATH + path, "head")
        )
        assert _called(template, BASE_PATH + path, "post") == "ApiReadinessAct"
    assert _called(template, BASE_PATH + "/sites/{siteId}/audits", "post") == "ApiAudits"


def test_the_gateway_limits_the_number_of_requests(template: dict[str, Any]) -> None:
    (setting,) = _properties(template, "RestAPI")["MethodSettings"]
    assert (setting["HttpMethod"], setting["ResourcePath"]) == ("*", "/*")
    for name, of in (("ThrottlingRateLimit", "RequestsASecond"), ("ThrottlingBurstLimit", "RequestsAtOnce")):
        assert setting[name] == {"Ref": of}
        assert template["Parameters"][of]["Default"] > 0


def test_files_are_only_served_over_https(template: dict[str, Any]) -> None:
    (statement,) = _properties(template, "ExportsBucketPolicy")["PolicyDocument"]["Statement"]
    assert (statement["Effect"], statement["Principal"], statement["Action"]) == ("Deny", "*", "s3:*")
    assert statement["Condition"] == {"Bool": {"aws:SecureTransport": "false"}}


def test_parameter_descriptions_say_what_changes_in_the_deployment(template: dict[str, Any]) -> None:
    told = {name: one["Description"] for name, one in template["Parameters"].items()}
    assert told["AlarmTopic"].startswith("The ARN of the SNS topic that receives every alarm. Empty means that alarms")
    for name, text in told.items():
        assert "manage.py" not in text and "local service" not in text, name


def test_every_path_calls_the_function_of_its_group(template: dict[str, Any]) -> None:
    paths = _properties(template, "RestAPI")["DefinitionBody"]["paths"]
    assert paths
    for path, methods in paths.items():
        groups = [name for name in api.GROUPS if path.removeprefix(BASE_PATH) in api.load(name).paths()]
        rooms = {"docs": "public", "app": "web", **{name: name for name in api.ROOMS}}
        (group,) = groups or (rooms[path.split("/")[1]],)
        for method in methods:
            assert _called(template, path, method) in {one.logical_id for one in FUNCTIONS if one.group == group}
    assert "APIHandler" not in json.dumps(template)


def test_the_app_has_one_function_for_reading_and_one_for_writing(template: dict[str, Any]) -> None:
    paths = _properties(template, "RestAPI")["DefinitionBody"]["paths"]
    beside = {f"/{room}{rest}" for room in ("app", "docs", "mcp") for rest in ("", "/{rest+}")}
    assert {path for path in paths if not path.startswith(BASE_PATH)} == beside
    for path in ("/app", "/app/{rest+}"):
        called = {method: _called(template, path, method) for method in paths[path]}
        assert called == {"get": "Web", "head": "Web", "post": "WebAct"}


@every_function
def test_a_function_has_its_own_limits_log_and_concurrency(template: dict[str, Any], function: Function) -> None:
    found = _properties(template, function.logical_id)
    assert found["MemorySize"] >= 256 and 0 < found["Timeout"] <= 900
    assert found["Role"] == {"Fn::GetAtt": [f"{function.logical_id}Role", "Arn"]}
    logs = template["Resources"][found["LoggingConfig"]["LogGroup"]["Ref"]]
    assert (logs["Type"], logs["Properties"]["RetentionInDays"]) == ("AWS::Logs::LogGroup", 30)
    assert function.concurrency is None or found["ReservedConcurrentExecutions"]["Fn::If"][1] == function.concurrency
    assert found["Environment"]["Variables"]["ENDPOINT_GROUPS"] == (function.group or "none")
    if function.group is not None:
        assert found["Timeout"] == 29
        assert template["Resources"][f"{function.logical_id}Permission"]["Type"] == "AWS::Lambda::Permission"


def test_reserved_concurrency_leaves_100_executions_for_other_functions() -> None:
    assert sum(function.concurrency or 0 for function in FUNCTIONS) <= 900


# Actions that IAM allows on no smaller resource than everything.
_ON_EVERYTHING = {"ses:GetSuppressedDestination", "ses:DeleteSuppressedDestination"}
_KINDS = {"dynamodb": "Table", "sqs": "Queue", "kms": "Key", "s3": "Bucket", "logs": "LogGroup", "lambda": "Function"}


@every_function
def test_a_function_has_only_its_declared_rights(template: dict[str, Any], function: Function) -> None:
    resources, found, received = template["Resources"], set(), set()
    for action, resource in _rights(template, function):
        service, name = action.split(":")
        assert "*" not in name
        if service == "ses":  # whose identities the template does not make; its suppression list has no name
            identities = {"Fn::Sub": "arn:${AWS::Partition}:ses:${AWS::Region}:${AWS::AccountId}:identity/*"}
            assert resource == ("*" if action in _ON_EVERYTHING else identities)
            found.add(Call("sesv2", "", name))
            continue
        logical = resource["Fn::GetAtt"][0] if "Fn::GetAtt" in resource else resource["Fn::Sub"][2:].partition(".")[0]
        kind = resources[logical]["Type"].rpartition("::")[2]
        assert kind == _KINDS[service]
        if kind == "LogGroup":
            assert logical == f"{function.logical_id}Logs"
        elif kind == "Key":
            found |= {Call("key", secret, name) for secret in _secrets_of(template, function, action)}
        elif kind == "Function":
            found.add(Call("function", logical, name.removesuffix("Function")))
        elif kind == "Bucket":
            found.add(Call("bucket", "exports", name))
        elif "Fn::Sub" in resource:
            index = resource["Fn::Sub"].partition("}/index/")[2]
            assert keys.INDEXES[index].table == _without_prefix(resources[logical], "TableName")
            found.add(Call("index", index, name))
        elif name in ("DeleteMessage", "GetQueueAttributes", "ReceiveMessage"):
            received.add((_without_prefix(resources[logical], "QueueName"), name))
        elif name != "GetQueueUrl":
            found.add(Call(kind.lower(), _without_prefix(resources[logical], f"{kind}Name"), name))
    # Calls of the engine's function have a policy of their own, and settings none.
    if f"{function.logical_id}MayCall{ENGINE}" in resources:
        found.add(Call("function", ENGINE, "Invoke"))
    assert found == {call for call in function.calls if call.kind != "setting"}
    consumes = () if function.queue is None else ("DeleteMessage", "GetQueueAttributes", "ReceiveMessage")
    assert received == {(function.queue, name) for name in consumes}


@pytest.mark.parametrize("mails", [(), ("SendEmail",), ("GetSuppressedDestination",)])
def test_a_function_has_only_its_declared_mail_rights(template: dict[str, Any], mails: tuple[str, ...]) -> None:
    found = statements(template["Resources"], replace(FUNCTIONS[0], mails=mails))
    of_mail = [one["Action"] for one in found if not one["Action"] or one["Action"][0].startswith("ses:")]
    assert of_mail == [[f"ses:{name}"] for name in mails]


def _secrets_of(template: dict[str, Any], function: Function, action: str) -> set[str]:
    """The kinds of secrets whose context a function's policy asks for with an action of KMS."""
    (policy,) = _properties(template, f"{function.logical_id}Role")["Policies"]
    found = set()
    for statement in policy["PolicyDocument"]["Statement"]:
        if action in statement["Action"]:
            ((member, values),) = statement["Condition"]["StringLike"].items()
            name = member.removeprefix("kms:EncryptionContext:")
            found |= {kind_of({name: "x" if value == "*" else value}.items()) for value in values}
            assert (statement["Action"] == [action] and "*" not in values) or name in (
                "assistant",
                "endpointId",
                "previewId",
            )
    return found


def _without_prefix(resource: dict[str, Any], name: str) -> str:
    text: str = resource["Properties"][name]["Fn::Sub"]
    return text.partition("}")[2]


@every_function
def test_the_iam_policy_of_a_function_is_shorter_than_the_limit_of_aws(
    template: dict[str, Any], function: Function
) -> None:
    (policy,) = _properties(template, f"{function.logical_id}Role")["Policies"]
    text = json.dumps(policy["PolicyDocument"], separators=(",", ":"))
    names = re.sub(r'\{"Fn::(?:GetAtt|Sub)":(?:\[[^]]*\]|"[^"]*")\}', f'"{"x" * LONG_ARN}"', text)
    assert "Fn::" not in names and len(names) <= 10_240  # of IAM, for all policies in a role


@pytest.mark.parametrize("name", READS_THE_WEB)
def test_a_function_that_reads_websites_decrypts_only_preview_credentials(template: dict[str, Any], name: str) -> None:
    (function,) = (one for one in FUNCTIONS if one.name == name)
    actions = {action for action, _ in _rights(template, function) if action.startswith("kms:")}
    assert actions == ({"kms:Decrypt"} if name in DECRYPTS else set())
    assert set(function.decrypts) == DECRYPTS.get(name, set()) and not function.encrypts


def test_only_the_functions_that_write_changes_may_call_the_reader_function(
    template: dict[str, Any],
) -> None:
    (reader,) = (one for one in FUNCTIONS if one.name == "reader")
    writers = [one for one in FUNCTIONS if one.name in ("writes", "writes_slow")]
    assert {action for action, _ in _rights(template, reader)} == {"logs:CreateLogStream", "logs:PutLogEvents"}
    told = {
        name
        for name, one in template["Resources"].items()
        if "LIVE_READER_FUNCTION" in one.get("Properties", {}).get("Environment", {}).get("Variables", {})
    }
    assert told == {"Writes", "WritesSlow"} and "LiveReaderFunction" not in template["Parameters"]
    assert "LIVE_READER_FUNCTION" not in template["Globals"]["Function"]["Environment"]["Variables"]
    for one in writers:
        given = _properties(template, one.logical_id)["Environment"]["Variables"]["LIVE_READER_FUNCTION"]
        assert given == {"Ref": "Reader"}
    assert [one for one in FUNCTIONS if "Reader" in one.invoke] == writers
    # All writers at once find room, and an answer is waited for as long as the function may take.
    assert reader.concurrency == sum(one.concurrency for one in writers) * live_reader.AT_ONCE
    assert _properties(template, "Reader")["Timeout"] == live_reader.FUNCTION_SECONDS < live_reader._READER.seconds


def test_only_endpoint_functions_that_call_outside_services_may_decrypt(template: dict[str, Any]) -> None:
    for function in FUNCTIONS:
        if function.group is not None and function.name not in ("api_analytics", "mcp", "web", "web_act"):
            assert [action for action, _ in _rights(template, function) if action == "kms:Decrypt"] == []


def test_a_secret_setting_is_given_only_to_functions_that_read_it(template: dict[str, Any]) -> None:
    hidden = {name for name, one in template["Parameters"].items() if one.get("NoEcho")}
    assert hidden
    for function in FUNCTIONS:
        variables = _properties(template, function.logical_id).get("Environment", {}).get("Variables", {})
        given = {name for name, value in variables.items() if isinstance(value, dict) and value["Ref"] in hidden}
        assert given == set(function.secrets), function.name
    assert not any(
        value.get("Ref") in hidden for value in template["Globals"]["Function"]["Environment"]["Variables"].values()
    )


@every_function
def test_the_environment_of_a_function_is_smaller_than_the_limit_of_lambda(
    template: dict[str, Any], function: Function
) -> None:
    variables = {
        **template["Globals"]["Function"]["Environment"]["Variables"],
        **_properties(template, function.logical_id).get("Environment", {}).get("Variables", {}),
    }
    text = {}
    for name, value in variables.items():
        declared = template["Parameters"].get(value.get("Ref") if isinstance(value, dict) else None, {})
        text[name] = str(declared.get("Default") or "x" * 64) if isinstance(value, dict) else value
    assert sum(len(name) + len(value) for name, value in text.items()) < 4_096  # Lambda's limit


def test_every_parameter_has_a_description_and_is_used(template: dict[str, Any]) -> None:
    written = json.dumps({name: part for name, part in template.items() if name != "Parameters"})
    for name, declared in template["Parameters"].items():
        assert declared["Description"], name
        assert f'{{"Ref": "{name}"}}' in written or f"${{{name}}}" in written, name

"""Turns the template that Chalice makes into the template that is deployed.

Chalice makes one function for the whole API and one policy for many functions. This module gives every endpoint group
its own function, which only the group's paths reach. It gives every function its own role, log group and share of the
account's concurrency. ``infra/functions.py`` declares these. Every setting becomes a parameter of the template.
"""

import copy
import re
from collections.abc import Iterable
from dataclasses import fields
from typing import Any, Final

from chalicelib import api
from chalicelib.api import docs
from chalicelib.http.endpoints import BASE_PATH
from chalicelib.settings.core import APP_PATH
from chalicelib.settings.every import SUBJECTS
from chalicelib.store.keys import INDEXES
from infra.engine.resources import CONCURRENCY, FUNCTION, PARAMETERS, VARIABLE, add_engine, may_call
from infra.function import SECRETS, Function
from infra.functions import FUNCTIONS, of_endpoint

Json = dict[str, Any]

API: Final = "APIHandler"  # the one function that Chalice makes for all endpoints
LOG_DAYS: Final = 30
NO_GROUP: Final = "none"  # the value of ENDPOINT_GROUPS for functions that take messages, which load no view
WEB: Final = "web"  # the room below /app
RESERVED: Final = "ConcurrencyIsReserved"  # the template's condition for reserving concurrency
# The actions of Lambda's event source mapping on the queue, which use the function's rights.
_CONSUMES: Final = ("DeleteMessage", "GetQueueAttributes", "ReceiveMessage")
# Actions of SES's suppression list, which is the account's: IAM knows no smaller resource.
_OF_SUPPRESSION_LIST: Final = ("DeleteSuppressedDestination", "GetSuppressedDestination")
# Settings that the template itself determines, and one that API Gateway replaces.
_OWN: Final = frozenset({"ENDPOINT_GROUPS", "LIVE_READER_FUNCTION", "TRUSTED_PROXIES", "WORKSPACE_SLOTS", VARIABLE})


def rewritten(generated: Json) -> Json:
    """Return the template to deploy. It is made from the output of ``chalice package`` (with intrinsic functions in
    their long form)."""
    template = copy.deepcopy(generated)
    resources = template["Resources"]
    one, permission = resources.pop(API), resources.pop(f"{API}InvokePermission")
    for name in [name for name, resource in resources.items() if resource["Type"] == "AWS::IAM::Role"]:
        del resources[name]
    for function in FUNCTIONS:
        if function.group is not None:
            resources[function.logical_id] = copy.deepcopy(one)
            resources[f"{function.logical_id}Permission"] = _permission(permission, function)
        _finish(resources, function)
    _route(resources["RestAPI"]["Properties"]["DefinitionBody"]["paths"])
    template["Outputs"] = {name: value for name, value in template["Outputs"].items() if not name.startswith(API)}
    show_workers(resources["Dashboard"])
    declare_parameters(template)
    template.setdefault("Conditions", {})[RESERVED] = {"Fn::Equals": [{"Ref": "ReserveConcurrency"}, "yes"]}
    add_engine(template, _role(_log_statement(FUNCTION)), _logs(), _share(CONCURRENCY))
    return template


def show_workers(dashboard: Json) -> None:
    """Add lines to the dashboard's widgets about workers: one for each function with a queue or a schedule.

    The template does not list these functions. In their place it has only the name of the metric that each widget
    shows.
    """
    workers = [function.logical_id for function in FUNCTIONS if function.group is None]

    def lines(found: re.Match[str]) -> str:
        return ", ".join(f'["AWS/Lambda", "{found[1]}", "FunctionName", "${{{name}}}"]' for name in workers)

    body = dashboard["Properties"]["DashboardBody"]
    body["Fn::Sub"] = re.sub(r'"(\w+) of workers"(?=\])', lines, body["Fn::Sub"])


def _permission(one: Json, function: Function) -> Json:
    found = copy.deepcopy(one)
    found["Properties"]["FunctionName"] = {"Ref": function.logical_id}
    return found


def _route(paths: Json) -> None:
    """Connect each method of a path to the function of its group that answers it."""
    owners = {BASE_PATH + path: name for name in api.GROUPS for path in api.load(name).paths()}
    owners |= dict.fromkeys((APP_PATH, f"{APP_PATH}/{{rest+}}"), WEB)
    for path, methods in paths.items():
        for method, operation in methods.items():
            function = of_endpoint(owners.get(path) or _room(path), method.upper())
            uri = operation["x-amazon-apigateway-integration"]["uri"]
            uri["Fn::Sub"] = uri["Fn::Sub"].replace(f"${{{API}.Arn}}", f"${{{function.logical_id}.Arn}}")


def _room(path: str) -> str:
    """Return the group of a path outside the API. Each part outside the API (room) has its own function, except the
    page of the API's documentation."""
    name = path.split("/")[1]
    return docs.GROUP if name == docs.NAME else name


def _finish(resources: Json, function: Function) -> None:
    """Set the role, log group, limits and environment of one function."""
    name = function.logical_id
    logs = f"{name}Logs"
    resources[logs] = _logs()
    resources[f"{name}Role"] = _role(*statements(resources, function))
    if FUNCTION in function.invoke:
        resources[f"{name}MayCall{FUNCTION}"] = may_call(f"{name}Role")
    properties = resources[name]["Properties"]
    properties["Role"] = {"Fn::GetAtt": [f"{name}Role", "Arn"]}
    properties["LoggingConfig"] = {"LogGroup": {"Ref": logs}}
    properties["ReservedConcurrentExecutions"] = _share(function.concurrency)
    # Keep variables that the template sets only for this function, such as secret settings.
    variables = properties.get("Environment", {}).get("Variables", {})
    if function.group is not None:
        properties |= {"MemorySize": function.memory_mb, "Timeout": function.timeout}
        variables |= {name: {"Ref": parameter(name)} for name in function.secrets}
    variables["ENDPOINT_GROUPS"] = function.group or NO_GROUP
    if function.twin is not None:  # functions of a fast and a slow queue limit a workspace's concurrent jobs
        variables["WORKSPACE_SLOTS"] = str(function.workspace_slots)
    properties["Environment"] = {"Variables": variables}


def _logs() -> Json:
    return {"Type": "AWS::Logs::LogGroup", "Properties": {"RetentionInDays": LOG_DAYS}}


def _share(concurrency: int) -> Json:
    return {"Fn::If": [RESERVED, concurrency, {"Ref": "AWS::NoValue"}]}


def _role(*statements: Json) -> Json:
    """Make a function's role with these policy statements."""
    assumed = {"Effect": "Allow", "Principal": {"Service": "lambda.amazonaws.com"}, "Action": "sts:AssumeRole"}
    rights = {"Version": "2012-10-17", "Statement": list(statements)}
    return {
        "Type": "AWS::IAM::Role",
        "Properties": {
            "AssumeRolePolicyDocument": {"Version": "2012-10-17", "Statement": [assumed]},
            "Policies": [{"PolicyName": "Rights", "PolicyDocument": rights}],
        },
    }


def _log_statement(logical_id: str) -> Json:
    return _allow("logs", ("CreateLogStream", "PutLogEvents"), [_arn(f"{logical_id}Logs")])


def statements(resources: Json, function: Function) -> list[Json]:
    """Return the policy statements of one function. If the function may take the same actions on several resources, one
    statement covers these resources."""
    tables, queues = _named(resources, "Table", "TablePrefix"), _named(resources, "Queue", "QueuePrefix")
    together: dict[frozenset[str], list[str]] = {}
    for table, actions in sorted(function.tables.items()):
        together.setdefault(actions, []).append(tables[table])
    found = [_allow("dynamodb", actions, map(_arn, names)) for actions, names in together.items()]
    if function.indexes:
        indexes = ({"Fn::Sub": f"${{{tables[INDEXES[name].table]}.Arn}}/index/{name}"} for name in function.indexes)
        found.append(_allow("dynamodb", ("Query",), indexes))
    if function.sends:
        found.append(_allow("sqs", ("GetQueueUrl", "SendMessage"), (_arn(queues[name]) for name in function.sends)))
    if function.queue is not None:
        found.append(_allow("sqs", _CONSUMES, [_arn(queues[function.queue])]))
    found += _secret_statements("Decrypt", function.decrypts)
    found += _secret_statements("Encrypt", function.encrypts)
    if function.bucket:
        found.append(_allow("s3", function.bucket, [{"Fn::Sub": "${ExportsBucket.Arn}/*"}]))
    called = [_arn(name) for name in function.invoke if name != FUNCTION]  # the engine's: see ``may_call``
    if called:
        found.append(_allow("lambda", ["InvokeFunction"], called))
    of_account = [name for name in function.mails if name in _OF_SUPPRESSION_LIST]
    of_identities = [name for name in function.mails if name not in _OF_SUPPRESSION_LIST]
    if of_identities:
        identities = {"Fn::Sub": "arn:${AWS::Partition}:ses:${AWS::Region}:${AWS::AccountId}:identity/*"}
        found.append(_allow("ses", of_identities, [identities]))
    if of_account:
        found.append(_allow("ses", of_account, ["*"]))
    return [*found, _log_statement(function.logical_id)]


def _secret_statements(action: str, kinds: Iterable[str]) -> Iterable[Json]:
    """Yield the policy statements for stored secrets of these kinds: one for each member of the encryption context."""
    values: dict[str, list[str]] = {}
    for member, value in (SECRETS[kind] for kind in kinds):
        values.setdefault(member, []).append(value)
    for member, wanted in values.items():
        of_kinds = {"StringLike": {f"kms:EncryptionContext:{member}": wanted}}
        yield _allow("kms", [action], [_arn("SecretsKey")]) | {"Condition": of_kinds}


def _named(resources: Json, kind: str, prefix: str) -> dict[str, str]:
    """Map the names of tables or queues, without the deployment's prefix, to their logical ids."""
    return {
        resource["Properties"][f"{kind}Name"]["Fn::Sub"].removeprefix(f"${{{prefix}}}"): name
        for name, resource in resources.items()
        if resource["Type"].endswith(f"::{kind}")
    }


def _allow(service: str, actions: Iterable[str], on: Iterable[Json | str]) -> Json:
    return {"Effect": "Allow", "Action": [f"{service}:{action}" for action in sorted(actions)], "Resource": list(on)}


def _arn(logical_id: str) -> Json:
    return {"Fn::GetAtt": [logical_id, "Arn"]}


def parameter(variable: str) -> str:
    """Return the template's parameter name for a setting: ``CrawlToken`` for ``CRAWL_TOKEN``."""
    return "".join(part.capitalize() for part in variable.split("_"))


def declare_parameters(template: Json) -> None:
    """Declare the parameters that the template does not declare: those for settings, and those for added resources.

    Each setting without a value in the template gets a parameter, whose value is in the environment of all functions.
    Secret settings are an exception: the template sets them on the functions that read them. If the template declares a
    parameter, the parameter keeps the description from the template, because this description says how the parameter
    affects the deployment.
    """
    parameters, variables = template["Parameters"], template["Globals"]["Function"]["Environment"]["Variables"]
    for subject in SUBJECTS:
        for setting in fields(subject):
            variable = setting.metadata["env"]
            if variable in _OWN or variable in variables or not setting.repr:
                continue
            variables[variable] = {"Ref": parameter(variable)}
            if parameter(variable) in parameters:  # keeps the template's own description
                continue
            default = str(setting.default)
            parameters[parameter(variable)] = {
                "Type": "Number" if default.isdigit() else "String",
                "Default": default,
                "Description": f"{setting.metadata['help'][:1].upper()}{setting.metadata['help'][1:]} ({variable})",
            }
    parameters["ReserveConcurrency"] = {
        "Type": "String",
        "AllowedValues": ["yes", "no"],
        "Default": "yes",
        "Description": "Whether each function gets a share of the account's concurrency; use no if the account's "
        "limit is below 1000",
    }
    parameters |= copy.deepcopy(PARAMETERS)

"""Adds the function of the browser engine to the deployed template. The function is created only if the parameter
``EngineImage`` names an image.

The engine's function is not one of the app's functions. Its role may only write its own log, and its environment has
only a browser's settings. ``infra/functions.py`` (``invoke``) says which functions may call it.
"""

from typing import Any, Final

from chalicelib.connectors.engine_function import FUNCTION_SECONDS

Json = dict[str, Any]

FUNCTION: Final = "Engine"
CONDITION: Final = "EngineIsThere"
VARIABLE: Final = "ENGINE_FUNCTION"
CONCURRENCY: Final = 20  # twice that of ``agentic``, which makes two tests at once
SETTINGS: Final = ("ALLOW_ADDRESSES", "CHROME_FEATURES", "EXTRA_HOSTS", "LOG_LEVEL")  # the image itself sets the others
PARAMETERS: Final[Json] = {
    "EngineImage": {
        "Type": "String",
        "Default": "",
        "Description": "The address of the image with Lighthouse and Chromium, in this account's registry; empty means "
        "that they do not run",
    }
}
_MEMORY_MB: Final = 3008
_DISK_MB: Final = 1024  # the profile of a browser, and a report


def add_engine(template: Json, role: Json, logs: Json, share: Json) -> None:
    """Add the engine's function to the template, and its name to the environment of the other functions.

    ``role``, ``logs`` and ``share``: the function's role, log group and share of the account's concurrency. They are
    declared as for every other function.
    """
    template["Conditions"][CONDITION] = {"Fn::Not": [{"Fn::Equals": [{"Ref": "EngineImage"}, ""]}]}
    variables = template["Globals"]["Function"]["Environment"]["Variables"]
    variables[VARIABLE] = {"Fn::If": [CONDITION, {"Ref": FUNCTION}, ""]}
    template["Resources"] |= alarm() | {
        f"{FUNCTION}Logs": logs | {"Condition": CONDITION},
        f"{FUNCTION}Role": role | {"Condition": CONDITION},
        FUNCTION: {
            "Type": "AWS::Lambda::Function",
            "Condition": CONDITION,
            "Properties": {
                "PackageType": "Image",
                "Code": {"ImageUri": {"Ref": "EngineImage"}},
                "Architectures": ["x86_64"],
                "Role": {"Fn::GetAtt": [f"{FUNCTION}Role", "Arn"]},
                "Timeout": FUNCTION_SECONDS,
                "MemorySize": _MEMORY_MB,
                "EphemeralStorage": {"Size": _DISK_MB},
                "ReservedConcurrentExecutions": share,
                "LoggingConfig": {"LogGroup": {"Ref": f"{FUNCTION}Logs"}},
                "Environment": {"Variables": {name: variables[name] for name in SETTINGS}},
            },
        },
    }


def alarm() -> Json:
    """Return the alarm on failed calls of the engine's function.

    A single page may crash a browser, but many failures mean that the image is broken. ``docs/runbooks.md`` has a
    runbook under the alarm's name.
    """
    told = [{"Fn::If": ["AlarmsAreTold", {"Ref": "AlarmTopic"}, {"Ref": "AWS::NoValue"}]}]
    return {
        f"{FUNCTION}Alarm": {
            "Type": "AWS::CloudWatch::Alarm",
            "Condition": CONDITION,
            "Properties": {
                "AlarmName": {"Fn::Sub": "${QueuePrefix}engine-failing"},
                "AlarmDescription": "At least five calls of the engine's function failed within an hour; "
                "docs/runbooks.md#engine-failing",
                "Namespace": "AWS/Lambda",
                "MetricName": "Errors",
                "Dimensions": [{"Name": "FunctionName", "Value": {"Ref": FUNCTION}}],
                "Statistic": "Sum",
                "Period": 3600,
                "EvaluationPeriods": 1,
                "ComparisonOperator": "GreaterThanOrEqualToThreshold",
                "Threshold": 5,
                "TreatMissingData": "notBreaching",
                "AlarmActions": told,
                "OKActions": told,
            },
        }
    }


def may_call(role: str) -> Json:
    """Return the policy that lets a role call the engine's function."""
    statement = {
        "Effect": "Allow",
        "Action": ["lambda:InvokeFunction"],
        "Resource": [{"Fn::GetAtt": [FUNCTION, "Arn"]}],
    }
    return {
        "Type": "AWS::IAM::Policy",
        "Condition": CONDITION,
        "Properties": {
            "PolicyName": "Engine",
            "PolicyDocument": {"Version": "2012-10-17", "Statement": [statement]},
            "Roles": [{"Ref": role}],
        },
    }

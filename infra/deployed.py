"""Reads the addresses of an existing deployment, and checks whether its parts answer."""

import shlex
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, Self

from botocore.exceptions import ClientError

from chalicelib.domain.printable import printable
from chalicelib.http.endpoints import BASE_PATH
from chalicelib.net import calls
from chalicelib.net.failures import OwnFailure
from chalicelib.settings.core import APP_PATH
from chalicelib.settings.network import network_settings
from chalicelib.store import health
from chalicelib.version import VERSION

Json = dict[str, Any]

ASK_SECONDS: Final = 30.0  # a function that was just created starts slowly
MOST_BYTES: Final = 4 * 1024 * 1024  # of an answer
_MOST_OF_A_REASON: Final = 300  # characters


class Finding(NamedTuple):
    """The result of checking one part of a deployment."""

    part: str
    well: bool
    text: str

    def __str__(self) -> str:
        return f"{'ok   ' if self.well else 'wrong'}  {self.part:<8}  {self.text}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Where:
    """The addresses of a deployment.

    - ``address``: the address below which the app, the API and the API's documentation are. It has no trailing slash.
    - ``app_url``: the parameter AppUrl.
    - ``alarm_topic``: an ARN; empty without a topic.
    - ``own_name``: the custom domain; empty without one.
    - ``name_leads_to``: the DNS target for the custom domain.
    """

    region: str
    address: str
    app_url: str
    alarm_topic: str
    own_name: str
    name_leads_to: str
    stack_id: str
    table_prefix: str
    queue_prefix: str
    exports_bucket: str

    @classmethod
    def of(cls, stack: Json, region: str) -> Self:
        """Read the addresses from a stack as CloudFormation describes it."""
        given = parameters_of(stack)
        outputs = _outputs(stack)
        return cls(
            region=region,
            address=outputs["Address"].rstrip("/"),
            app_url=given.get("AppUrl", "").rstrip("/"),
            alarm_topic=given.get("AlarmTopic", ""),
            own_name=given.get("DomainName", ""),
            name_leads_to=outputs.get("NameLeadsTo", ""),
            stack_id=stack["StackId"],
            table_prefix=given["TablePrefix"],
            queue_prefix=given["QueuePrefix"],
            exports_bucket=outputs["ExportsBucketName"],
        )

    @property
    def app(self) -> str:
        return self.app_url or self.address + APP_PATH

    @property
    def api(self) -> str:
        return self.address + BASE_PATH

    @property
    def docs(self) -> str:
        return f"{self.address}/docs"

    def environment(self) -> dict[str, str]:
        """Return the environment variables that ``manage.py`` needs to work on this deployment, in addition to
        credentials."""
        return {
            "AWS_REGION": self.region,
            "AWS_DEFAULT_REGION": self.region,  # set too, because manage.py prefers a value that the shell already has
            "STACK_ID": self.stack_id,
            "TABLE_PREFIX": self.table_prefix,
            "QUEUE_PREFIX": self.queue_prefix,
            "SECRETS_KEY": f"alias/{self.table_prefix}secrets",
            "EXPORTS_BUCKET": self.exports_bucket,
            **({"APP_URL": self.app_url} if self.app_url else {}),
            **({"ALARM_TOPIC": self.alarm_topic} if self.alarm_topic else {}),
        }

    def lines(self) -> list[str]:
        """Return lines for the operator: the addresses, and what to do next."""
        told = self.alarm_topic or "in CloudWatch only, until the parameter AlarmTopic names an SNS topic"
        name = f"{self.own_name} must lead to {self.name_leads_to} (CNAME, or an alias)"
        return [
            "",
            f"App        {self.app}",
            f"API        {self.api}",
            f"Docs       {self.docs}",
            f"Alarms     {told}",
            f"Dashboard  {self.table_prefix}operation, in CloudWatch ({self.region})",
            *([f"DNS        {name}"] if self.own_name else []),
            "",
            "`make deploy-check` checks all of them. For manage.py, with the same credentials:",
            f"export {' '.join(f'{name}={shlex.quote(value)}' for name, value in self.environment().items())}",
        ]


def stack(stacks: Any, name: str) -> Json | None:
    """Return the stack as CloudFormation describes it; None if it does not exist. ``stacks``: a client of
    CloudFormation."""
    try:
        found: Json = stacks.describe_stacks(StackName=name)["Stacks"][0]
    except ClientError as error:
        if "does not exist" in error.response["Error"].get("Message", ""):
            return None
        raise
    return found


def parameters_of(found: Json) -> dict[str, str]:
    """Return the parameter values of a stack. CloudFormation masks the values of secret parameters."""
    return {one["ParameterKey"]: one.get("ParameterValue", "") for one in found.get("Parameters", [])}


def is_complete(found: Json) -> bool:
    """Whether the stack has the outputs that name its addresses. It has these outputs if this release created it and
    the creation succeeded."""
    return {"Address", "ExportsBucketName"} <= set(_outputs(found))


def _outputs(found: Json) -> dict[str, str]:
    return {one["OutputKey"]: one["OutputValue"] for one in found.get("Outputs", [])}


def ask(where: Where) -> list[Finding]:
    """Check whether each part of the deployment answers. Changes nothing. Raises botocore's errors."""
    findings = [
        _page("API", f"{where.api}/openapi.json", "application/json"),
        _page("App", f"{where.app}/sign-in", "text/html"),
        _page("Docs", where.docs, "text/html"),
    ]
    if not where.alarm_topic:
        return [*findings, Finding("Alarms", True, "in CloudWatch only: AlarmTopic names no SNS topic")]
    wrong = health.topic_faults(where.alarm_topic)
    text = "; ".join(wrong) or f"{where.alarm_topic} has a confirmed subscription"
    return [*findings, Finding("Alarms", not wrong, text)]


def _page(part: str, url: str, kind: str) -> Finding:
    settings = network_settings()
    try:
        reply = calls.call_operators_address(
            "GET",
            url,
            {"Accept": kind, "User-Agent": f"website-optimization/{VERSION}"},
            seconds=ASK_SECONDS,
            allow_addresses=settings.allow_addresses,
            extra_hosts=settings.extra_hosts,
            ca_file=settings.extra_ca_file,
            most_bytes=MOST_BYTES,
        )
    except (calls.NoAnswer, OwnFailure) as error:
        return Finding(part, False, f"{url} does not answer: {printable(str(error), _MOST_OF_A_REASON)}")
    if reply.status != 200:
        return Finding(part, False, f"{url} answers {reply.status}")
    if not reply.headers.get("content-type", "").startswith(kind):
        return Finding(part, False, f"{url} does not answer {kind}: another service runs there")
    version = printable(reply.headers.get("x-service-version", ""), _MOST_OF_A_REASON)
    if version and version != VERSION:
        return Finding(part, False, f"{url} runs version {version}, but this is version {VERSION}: deploy again")
    return Finding(part, True, f"{url} answers" + (f", version {version}" if version else ""))

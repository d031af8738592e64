"""``make deploy``: uploads the package that ``make package`` built, and lets CloudFormation create or update the stack.

``python -m infra.deploy`` has three commands. ``read`` only checks the file of parameters. ``deploy`` deploys.
``check`` tests whether the deployment answers. Every command can be run again:

- Uploads are named by their content.
- If another deployment is changing the stack, this deployment waits until the other has ended.
- If nothing has changed, nothing is done.
"""

import argparse
import hashlib
import json
import os
import re
import secrets
import sys
import time
import uuid
from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, TextIO

import botocore.session
from botocore.exceptions import ClientError, NoRegionError

from chalicelib.domain.accounts.rights import OPERATOR
from chalicelib.domain.printable import printable
from chalicelib.operations import addresses
from chalicelib.settings.reading import forget_settings
from chalicelib.store import client
from chalicelib.store.errors import AWS_ERRORS, AWS_NOT_SET_UP
from infra import deployed, parameters
from infra.parameters import CURSOR_SECRET, BadFile, Json, Reference, Wanted

FILE: Final = Path("deploy.toml")
POLL_SECONDS: Final = 5.0
MOST_SECONDS: Final = 7_200.0  # how long CloudFormation may take
MOST_REASONS: Final = 10
MOST_OF_A_REASON: Final = 500  # characters
SECRET_BYTES: Final = 32
_ARCHIVE: Final = re.compile(r"^(\s*CodeUri: )\./deployment\.zip$", re.MULTILINE)
# The states of a stack whose creation or deletion failed: CloudFormation cannot update it any more.
_DEAD: Final = ("CREATE_FAILED", "DELETE_FAILED", "ROLLBACK_COMPLETE", "ROLLBACK_FAILED")
_BEGUN: Final = ("CREATE_IN_PROGRESS", "UPDATE_IN_PROGRESS")
_NOTHING_MADE: Final = "REVIEW_IN_PROGRESS"  # a change set that was never executed
# If one of these changes, CloudFormation replaces the stack's tables by empty ones.
_FIXED: Final = ("TablePrefix", "QueuePrefix")
_NO_CHANGE: Final = ("didn't contain changes", "No updates are to be performed")

Connect = Callable[[str], Any]


class CannotDeploy(Exception):
    """Raised if the deployment cannot continue. The message says why and what to do."""


class Deployment:
    """One run of ``make deploy`` with the parameters ``wanted``.

    ``connect`` makes the client of an AWS service. ``say`` prints a line for the operator. ``pause``: seconds between
    two checks of the stack.
    """

    def __init__(self, connect: Connect, wanted: Wanted, say: Callable[[str], None], *, pause: float) -> None:
        self.stack = wanted.stack
        self.wanted = wanted
        self._connect = connect
        self._stacks = connect("cloudformation")
        self._say = say
        self._pause = pause

    def run(self, package: Path) -> Json:
        """Deploy the package, and return the stack as CloudFormation describes it.

        Secrets are read, and their lengths checked, before anything is uploaded. Raises ``CannotDeploy`` and botocore's
        errors.
        """
        known = parameters.declared()
        values = {**self.wanted.values, **self._secrets(known)}
        stack = self._settled(deployed.stack(self._stacks, self.stack))
        exists = stack is not None and stack["StackStatus"] != _NOTHING_MADE
        if stack is not None and stack["StackStatus"] in _DEAD:
            raise CannotDeploy(
                f"The stack {self.stack} is {stack['StackStatus']}, and CloudFormation can no longer change it. "
                "Delete the stack, and deploy again."
            )
        before = deployed.parameters_of(stack) if stack is not None and exists else {}
        given = self._given(known, values, before)
        self._check_prefixes(known, given, before)
        self._tell_changes(known, given, before)
        url = self._upload(package)
        if not self._apply(url, given, exists):
            self._say(f"stack {self.stack}: nothing to change")
            assert stack is not None  # a stack that does not exist yet always has changes
            return stack
        return self._ended()

    def _secrets(self, known: Json) -> dict[str, str]:
        found = {}
        for name, reference in self.wanted.secrets.items():
            value = self._secret(name, reference)
            least = known[name].get("MinLength", 1)
            if not least <= len(value) <= parameters.MOST_CHARACTERS:
                raise CannotDeploy(
                    f"{name}: the value at {reference} has {len(value)} characters, but must have {least} to "
                    f"{parameters.MOST_CHARACTERS:,}."
                )
            found[name] = value
        return found

    def _secret(self, name: str, reference: Reference) -> str:
        try:
            if reference.store == "ssm":
                answer = self._connect("ssm").get_parameter(Name=reference.name, WithDecryption=True)
                return str(answer["Parameter"]["Value"])
            answer = self._connect("secretsmanager").get_secret_value(SecretId=reference.name)
        except ClientError as error:
            raise CannotDeploy(f"{name}: {reference} cannot be read: {error.response['Error']['Code']}.") from None
        text = answer.get("SecretString")
        if reference.member:
            try:
                text = json.loads(text)[reference.member]
            except (KeyError, TypeError, ValueError, RecursionError):
                text = None
        if not isinstance(text, str):
            raise CannotDeploy(f"{name}: {reference} holds no text.")
        return text

    def _settled(self, stack: Json | None) -> Json | None:
        """Wait until no other change of the stack is running. Returns the stack; None if it does not exist."""
        if stack is None or not _is_under_way(stack["StackStatus"]):
            return stack
        self._say(f"stack {self.stack}: {stack['StackStatus']}; waiting until this operation has ended")
        return self._await(_is_under_way)

    def _await(self, waits_at: Callable[[str], bool]) -> Json | None:
        """Poll the stack while ``waits_at(status)`` is true. Returns the stack; None if it does not exist any more."""
        until = time.monotonic() + MOST_SECONDS
        while time.monotonic() < until:
            stack = deployed.stack(self._stacks, self.stack)
            if stack is None or not waits_at(stack["StackStatus"]):
                return stack
            time.sleep(self._pause)
        raise CannotDeploy(
            f"The stack {self.stack} is still being changed after two hours. Look at it in CloudFormation."
        )

    def _given(self, known: Json, values: Json, before: Json) -> list[Json]:
        """Return the parameters in CloudFormation's form. A parameter that is left out gets the template's default."""
        found: list[Json] = []
        for name in known:
            kept = name in before and (not self.wanted.whole or name == CURSOR_SECRET)
            if name in values:
                found.append({"ParameterKey": name, "ParameterValue": values[name]})
            elif kept:
                found.append({"ParameterKey": name, "UsePreviousValue": True})
            elif name == CURSOR_SECRET:  # generated with the stack; later deployments keep it
                found.append({"ParameterKey": name, "ParameterValue": secrets.token_hex(SECRET_BYTES)})
        return found

    def _check_prefixes(self, known: Json, given: list[Json], before: Json) -> None:
        now = _values(given, before)
        for name in _FIXED:
            value = now.get(name, str(known[name]["Default"]))
            if value != before.get(name, value):
                raise CannotDeploy(
                    f"{name} of the stack {self.stack} is {before[name]!r}, and would become {value!r}. The new stack "
                    f"would not find the data stored so far. Write {name} = {json.dumps(before[name])} under "
                    "[parameters], or name another stack."
                )

    def _tell_changes(self, known: Json, given: list[Json], before: Json) -> None:
        now = _values(given, before)
        for name in before:
            if name not in known:
                self._say(f"{name}: no parameter any more")
                continue
            if known[name].get("NoEcho"):
                continue
            value = now.get(name, str(known[name]["Default"]))
            if value != before[name]:
                self._say(f"{name}: {before[name]!r} becomes {value!r}")

    def _upload(self, package: Path) -> str:
        """Upload archive and template to the bucket, named by their content. Returns the template's address."""
        objects = self._connect("s3")
        archive = (package / "deployment.zip").read_bytes()
        archive_key = f"{self.stack}/{hashlib.sha256(archive).hexdigest()}.zip"
        text, count = _ARCHIVE.subn(
            rf"\1s3://{self.wanted.bucket}/{archive_key}", (package / "sam.yaml").read_text(encoding="utf-8")
        )
        if not count:
            raise CannotDeploy(f"{package / 'sam.yaml'} names no archive: make package builds it.")
        template = text.encode()
        template_key = f"{self.stack}/{hashlib.sha256(template).hexdigest()}.yaml"
        for key, content in ((archive_key, archive), (template_key, template)):
            if not self._lies_there(objects, key):
                self._say(f"uploading {len(content) / 1024 / 1024:.1f} MB to {self.wanted.bucket}")
                objects.put_object(Bucket=self.wanted.bucket, Key=key, Body=content)
        return f"{objects.meta.endpoint_url}/{self.wanted.bucket}/{template_key}"

    def _lies_there(self, objects: Any, key: str) -> bool:
        try:
            objects.head_object(Bucket=self.wanted.bucket, Key=key)
        except ClientError:  # the object does not exist, or may not be read
            return False
        return True

    def _apply(self, url: str, given: list[Json], exists: bool) -> bool:
        """Make CloudFormation begin with the changes. Returns False if there are none."""
        name = f"deploy-{uuid.uuid4().hex}"
        self._stacks.create_change_set(
            StackName=self.stack,
            ChangeSetName=name,
            ChangeSetType="UPDATE" if exists else "CREATE",
            TemplateURL=url,
            Parameters=given,
            Capabilities=["CAPABILITY_IAM"],
        )
        if not self._is_ready(name):
            return False
        self._say(f"stack {self.stack}: {'updating' if exists else 'creating'}, which takes minutes")
        self._stacks.execute_change_set(StackName=self.stack, ChangeSetName=name)
        return True

    def _is_ready(self, name: str) -> bool:
        """Wait for the change set. Returns whether it contains changes."""
        until = time.monotonic() + MOST_SECONDS
        while time.monotonic() < until:
            found = self._stacks.describe_change_set(StackName=self.stack, ChangeSetName=name)
            if found["Status"] == "CREATE_COMPLETE":
                return True
            if found["Status"] == "FAILED":
                reason = printable(found.get("StatusReason", "no reason given"), MOST_OF_A_REASON)
                self._stacks.delete_change_set(StackName=self.stack, ChangeSetName=name)
                if any(text in reason for text in _NO_CHANGE):
                    return False
                raise CannotDeploy(f"CloudFormation refuses the template: {reason}")
            time.sleep(self._pause)
        raise CannotDeploy(f"The change set {name} is not ready after two hours: look at it in CloudFormation.")

    def _ended(self) -> Json:
        stack = self._await(lambda status: status.endswith("_IN_PROGRESS"))
        if stack is None:
            raise CannotDeploy(f"The stack {self.stack} is gone.")
        if stack["StackStatus"] not in ("CREATE_COMPLETE", "UPDATE_COMPLETE"):
            reasons = "".join(f"\n  {reason}" for reason in self._reasons())
            raise CannotDeploy(f"The stack {self.stack} is {stack['StackStatus']}.{reasons}")
        return stack

    def _reasons(self) -> list[str]:
        """Return why resources failed in the stack's last operation, the earliest failure first."""
        pages = self._stacks.get_paginator("describe_stack_events").paginate(StackName=self.stack)
        failed: list[str] = []
        for event in (event for page in pages for event in page["StackEvents"]):  # the newest come first
            name, status = event["LogicalResourceId"], event["ResourceStatus"]
            if name == self.stack and status in _BEGUN:
                break
            if status.endswith("_FAILED") and event.get("ResourceStatusReason"):
                failed.append(f"{name}: {printable(event['ResourceStatusReason'], MOST_OF_A_REASON)}")
        return failed[::-1][:MOST_REASONS]


def _values(given: list[Json], before: Json) -> Json:
    """Return the values that the stack will have for the parameters in ``given``."""
    return {one["ParameterKey"]: one.get("ParameterValue", before.get(one["ParameterKey"])) for one in given}


def _is_under_way(status: str) -> bool:
    return status.endswith("_IN_PROGRESS") and status != _NOTHING_MADE


def _options(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m infra.deploy", description=__doc__)
    parser.add_argument("act", choices=("read", "deploy", "check"))
    parser.add_argument("--file", type=Path, help="the file of parameters (default: deploy.toml, if it exists)")
    parser.add_argument("--package", type=Path, default=Path("build/package"), help="what make package built")
    parser.add_argument("--bucket", default="", help="the bucket for the archive and the template")
    parser.add_argument("--stack", default="", help="the name of the stack")
    parser.add_argument("--app-url", default="", help="the parameter AppUrl")
    parser.add_argument("--engine-image", default="", help="the parameter EngineImage")
    return parser.parse_args(arguments)


def wanted_by(options: argparse.Namespace) -> Wanted:
    """Combine the parameters of the file and of the command line. Raises ``BadFile``."""
    file = options.file or (FILE if FILE.exists() else None)
    found = Wanted() if file is None else parameters.read(file)
    values = {"AppUrl": options.app_url, "EngineImage": options.engine_image}
    return found.with_options(bucket=options.bucket, stack=options.stack, values=values)


def point_at(where: deployed.Where) -> None:
    """Make this process's store use the deployment's region and tables."""
    os.environ.update(AWS_DEFAULT_REGION=where.region, TABLE_PREFIX=where.table_prefix)
    forget_settings()
    client.reset()


@lru_cache(maxsize=1)
def _session() -> botocore.session.Session:
    """Return this process's botocore session. It reads the description of each AWS service once."""
    return botocore.session.get_session()


def run(arguments: Sequence[str], say: Callable[[str], None], *, pause: float) -> int:
    """Run the command line, and return the exit status. Raises ``BadFile``, ``CannotDeploy`` and botocore's errors."""
    options = _options(arguments)
    wanted = wanted_by(options)
    if options.act != "check":
        parameters.check(wanted)
    if options.act == "read":
        return 0
    session = _session()
    # botocore reads AWS_DEFAULT_REGION and the profile by itself.
    region = wanted.region or os.environ.get("AWS_REGION") or session.get_config_variable("region")
    if not region:
        raise NoRegionError

    def connect(service: str) -> Any:
        return session.create_client(service, region_name=region)

    if options.act == "deploy":
        stack = Deployment(connect, wanted, say, pause=pause).run(options.package)
        where = deployed.Where.of(stack, region)
        point_at(where)
        if not where.app_url:  # then links in mails and events need a stored address
            addresses.set_public_address(OPERATOR, where.address)
        for line in where.lines():
            say(line)
        return 0
    found = deployed.stack(connect("cloudformation"), wanted.stack)
    if found is None or not deployed.is_complete(found):
        raise CannotDeploy(f"There is no stack {wanted.stack} of this release in {region}: deploy it first.")
    where = deployed.Where.of(found, region)
    point_at(where)
    findings = deployed.ask(where)
    for finding in findings:
        say(str(finding))
    return 0 if all(finding.well for finding in findings) else 1


def main(arguments: Sequence[str], *, pause: float = POLL_SECONDS) -> int:
    """Run the command line. Errors are printed to standard error, and the exit status is then 1."""
    try:
        return run(arguments, lambda line: _write(sys.stdout, line), pause=pause)
    except (BadFile, CannotDeploy) as error:
        _write(sys.stderr, str(error))
    except AWS_NOT_SET_UP:
        _write(sys.stderr, "AWS is not set up: name a region (AWS_REGION, or region in deploy.toml) and credentials.")
    except AWS_ERRORS as error:
        _write(sys.stderr, f"AWS: {printable(str(error), MOST_OF_A_REASON)}")
    return 1


def _write(stream: TextIO, line: str) -> None:
    stream.write(f"{line}\n")
    stream.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""What the commands work on: the local service when it runs, otherwise AWS with the operator's credentials."""

import json
import os
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

from chalicelib import clock
from chalicelib.operations.errors import Refused
from chalicelib.settings.reading import forget_settings

CONTROL_TIMEOUT_SECONDS = 3_600  # moving the clock waits for jobs to end
CLOCK_TIMEOUT_SECONDS = 10

_LOCAL = {
    "AWS_ACCESS_KEY_ID": "local",
    "AWS_SECRET_ACCESS_KEY": "local",
    "AWS_DEFAULT_REGION": "us-east-1",
    "AWS_EC2_METADATA_DISABLED": "true",
    "NO_PROXY": "*",  # everything is on this machine
    "no_proxy": "*",
}
# The service's own settings that decide what a command may do, and where they stand in run.json.
_SETTINGS = {
    "APP_URL": "appUrl",
    "BASE_URL": "baseUrl",
    "ALLOW_ADDRESSES": "allowAddresses",
    "EXTRA_HOSTS": "extraHosts",
    "EXTRA_CA_FILE": "extraCaFile",
}
# Any of these would lead past the local service, or to the operator's real account.
_CLEARED = (
    "AWS_PROFILE",
    "AWS_REGION",
    "AWS_SESSION_TOKEN",
    "AWS_ENDPOINT_URL_DYNAMODB",
    "AWS_ENDPOINT_URL_SQS",
    "AWS_ENDPOINT_URL_KMS",
    "AWS_ENDPOINT_URL_S3",
    "AWS_IGNORE_CONFIGURED_ENDPOINT_URLS",
)


def local_service() -> dict[str, Any] | None:
    """The local service's ``run.json``, or None when none runs (``LOCAL_DIR`` says which, default ``.local``)."""
    path = Path(os.environ.get("LOCAL_DIR") or ".local") / "run.json"
    try:
        content = json.loads(path.read_bytes())
    except FileNotFoundError:
        return None
    except ValueError:
        raise Refused("bad_run_file", f"{path} is not JSON: remove it, or start the local service again.") from None
    return dict(content)


def choose() -> None:
    """Point this process at the local service when it runs, and set its clock to the service's."""
    service = local_service()
    if service is None:
        return
    for name in _CLEARED:
        os.environ.pop(name, None)
    os.environ.update(_LOCAL, AWS_ENDPOINT_URL=service["awsEndpointUrl"])
    for name, member in _SETTINGS.items():
        if member in service:
            os.environ[name] = service[member]
    os.environ.update(service.get("settings", {}))  # the outside services that it asks
    forget_settings()
    clock.set_offset(float(control("GET", "/clock")["offsetSeconds"]))


def control(method: str, path: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
    """Ask the local service's control address, and give its answer.

    Raises ``Refused`` when no local service runs, when it does not answer, and when it refuses.
    """
    service = local_service()
    if service is None:
        raise Refused("not_local", "No local service runs here: start it with make run.")
    request = urllib.request.Request(
        service["controlUrl"].rstrip("/") + path,
        method=method,
        data=None if body is None else json.dumps(body).encode(),
        headers={"Content-Type": "application/json"},
    )
    try:
        with urllib.request.urlopen(
            request, timeout=CLOCK_TIMEOUT_SECONDS if body is None else CONTROL_TIMEOUT_SECONDS
        ) as answer:
            return dict(json.loads(answer.read()))
    except urllib.error.HTTPError as error:
        raise Refused("refused", _reason(error)) from None
    except OSError as error:
        raise Refused(
            "not_answering", f"The local service at {service['controlUrl']} does not answer ({error})."
        ) from None


def _reason(error: urllib.error.HTTPError) -> str:
    try:
        return str(json.loads(error.read())["error"]["message"])
    except (ValueError, KeyError, TypeError):
        return f"The local service answered {error.code}."

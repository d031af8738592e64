"""Chooses the target of the commands: the local service if it runs, otherwise AWS with the operator's credentials."""

import http.client
import json
import os
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any, Final

from chalicelib import clock
from chalicelib.operations.errors import Refused
from chalicelib.settings.reading import forget_settings, settle_region

CONTROL_TIMEOUT_SECONDS: Final = 3_600  # moving the clock waits for jobs to end
CLOCK_TIMEOUT_SECONDS: Final = 10
MOST_BYTES: Final = 1_000_000  # the most bytes of run.json, and of an answer of the control address

_LOCAL = {
    "AWS_ACCESS_KEY_ID": "local",
    "AWS_SECRET_ACCESS_KEY": "local",
    "AWS_DEFAULT_REGION": "us-east-1",
    "AWS_EC2_METADATA_DISABLED": "true",
    "NO_PROXY": "*",  # all addresses are on this machine
    "no_proxy": "*",
}
# The service's settings that decide what a command may do, and the names of their members in run.json.
_SETTINGS = {
    "APP_URL": "appUrl",
    "BASE_URL": "baseUrl",
    "ALLOW_ADDRESSES": "allowAddresses",
    "EXTRA_HOSTS": "extraHosts",
    "EXTRA_CA_FILE": "extraCaFile",
}
# Any of these would send calls to another service than the local one, or to the operator's real account.
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

AWS_IS_MISSING: Final = (
    "No local service runs here, and AWS is not set up. Start the local service with `make run`, or set AWS_REGION and "
    "credentials (AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY)."
)


def run_file() -> Path:
    """Return the path of the local service's ``run.json`` (``LOCAL_DIR`` names the folder, default ``.local``)."""
    return Path(os.environ.get("LOCAL_DIR") or ".local") / "run.json"


def local_service() -> dict[str, Any] | None:
    """Read the local service's ``run.json``. Returns None if no local service is running.

    Raises ``Refused`` with ``bad_run_file`` if the file cannot be read, or is not the file of a local service.
    """
    path = run_file()
    try:
        with path.open("rb") as file:
            content = json.loads(file.read(MOST_BYTES))
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise Refused("bad_run_file", f"{path} cannot be read: {error.strerror}.") from None
    except (ValueError, RecursionError):
        raise Refused("bad_run_file", f"{path} is not JSON: remove it, or start the local service again.") from None
    if not _is_usable(content):
        raise Refused(
            "bad_run_file", f"{path} is not the file of a local service: remove it, or start the local service again."
        )
    return dict(content)


def _is_usable(content: object) -> bool:
    if not isinstance(content, dict):
        return False
    settings = content.get("settings", {})
    texts = [content.get("awsEndpointUrl"), content.get("controlUrl")]
    texts += [content[member] for member in _SETTINGS.values() if member in content]
    texts += [*settings.values()] if isinstance(settings, dict) else [None]
    return all(isinstance(text, str) and "\0" not in text for text in texts)


def choose() -> None:
    """If the local service runs, make the commands of this process work on it, and set this process's clock to the
    service's clock."""
    service = local_service()
    if service is None:
        settle_region()
        return
    for name in _CLEARED:
        os.environ.pop(name, None)
    os.environ.update(_LOCAL, AWS_ENDPOINT_URL=service["awsEndpointUrl"])
    for name, member in _SETTINGS.items():
        if member in service:
            os.environ[name] = service[member]
    os.environ.update(service.get("settings", {}))  # the addresses of outside services
    forget_settings()
    offset = control("GET", "/clock").get("offsetSeconds")
    if not isinstance(offset, int | float):
        raise _not_ours(service["controlUrl"])
    clock.set_offset(float(offset))


def state_folder() -> Path | None:
    """Return the folder in which the local service stores rows and secrets across restarts; None if it stores
    nothing."""
    folder = (local_service() or {}).get("stateDir")
    return Path(folder) if isinstance(folder, str) else None


def note_on(part: str, here: str | None) -> str | None:
    """Return a sentence for a command whose queued work cannot be done because a key is missing; None if no key is
    missing.

    - ``part``: the kind of work, as named in run.json.
    - ``here``: the sentence if a key is missing in the process of the command; None if none is missing.

    If the local service runs, its run.json names the keys that it lacks. A deployment does not say which keys it lacks.
    The sentence is then ``here``, with a warning that the deployment may lack the key too.
    """
    service = local_service()
    if service is None:
        return (
            here
            and f"{here} This is so in the command's process. If the service lacks it too, the command has no effect."
        )
    lacks = service.get("notConnected")
    told = lacks.get(part) if isinstance(lacks, dict) else here
    return f"{told} The command has no effect until the service is started with this setting." if told else None


def control(method: str, path: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
    """Send a request to the local service's control address, and return its answer.

    Raises ``Refused`` if no local service runs, if it does not answer, or if it refuses.
    """
    service = local_service()
    if service is None:
        raise Refused("not_local", "No local service runs here: start it with `make run`.")
    address = service["controlUrl"]
    timeout = CLOCK_TIMEOUT_SECONDS if body is None else CONTROL_TIMEOUT_SECONDS
    try:
        request = urllib.request.Request(
            address.rstrip("/") + path,
            method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={"Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request, timeout=timeout) as answer:
            content = json.loads(answer.read(MOST_BYTES))
    except urllib.error.HTTPError as error:
        raise Refused("refused", _reason(error)) from None
    except OSError as error:
        raise Refused("not_answering", _why_silent(address, error, timeout)) from None
    except (ValueError, RecursionError, http.client.HTTPException):
        raise _not_ours(address) from None
    if not isinstance(content, dict):
        raise _not_ours(address)
    return content


def _why_silent(address: str, error: OSError, timeout: int) -> str:
    reason = getattr(error, "reason", error)
    if isinstance(reason, ConnectionRefusedError):
        return (
            f"The local service at {address} does not answer: it has ended without removing {run_file()}. Start it "
            "again with `make run`, or remove the file to work on AWS."
        )
    if isinstance(reason, TimeoutError):
        return f"The local service at {address} did not answer within {timeout:,} seconds. Try again, or see its log."
    words = getattr(reason, "strerror", None) or str(reason)
    return f"The local service at {address} does not answer: {words}. Start it again with `make run`."


def _not_ours(address: str) -> Refused:
    return Refused(
        "not_answering",
        f"The process that answers at {address} is not the local service. Start the service again with `make run`, or "
        f"remove {run_file()} to work on AWS.",
    )


def _reason(error: urllib.error.HTTPError) -> str:
    try:
        return str(json.loads(error.read(MOST_BYTES))["error"]["message"])
    except (ValueError, KeyError, TypeError, OSError, RecursionError):
        return f"The local service answered {error.code}."

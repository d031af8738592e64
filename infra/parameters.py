"""Reads and checks the file that says what is deployed (``deploy.toml``), before anything is built or uploaded.

The allowed parameters are those that the template declares. No other list of them exists. Secrets are given only as
references: ``secretsmanager:NAME``, ``secretsmanager:NAME#MEMBER`` (of a JSON text) or ``ssm:NAME``.
"""

import copy
import difflib
import textwrap
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final, NamedTuple

from chalicelib.domain.accounts import emails
from infra.rewriting import declare_parameters
from management import template

Json = dict[str, Any]

STACK: Final = "website-optimization"
CURSOR_SECRET: Final = "CursorSecret"  # noqa: S105 - the parameter's name
MOST_BYTES: Final = 100_000  # of the file
MOST_CHARACTERS: Final = 4_096  # the longest value that CloudFormation accepts
STORES: Final = ("secretsmanager", "ssm")
_TOGETHER: Final = (("DomainName", "CertificateArn"), ("BudgetAmount", "BudgetAddress"))
_FRACTIONS: Final = ("CruxRequestsASecond",)  # parameters that may be fractions
_EMAILS: Final = ("BudgetAddress", "MailFrom")  # parameters that are e-mail addresses, or empty
_TOO_LARGE: Final = 10**15
_WIDTH: Final = 118


class BadFile(Exception):
    """Raised if the file cannot be used. The message has one line for each fault, and repeats no secret."""


class Reference(NamedTuple):
    """Where a secret is stored: its ``name`` in the ``store`` (one of ``STORES``).

    ``member``: the member of a JSON text that contains the secret. If it is empty, the whole text is the secret.
    """

    store: str
    name: str
    member: str = ""

    def __str__(self) -> str:
        return f"{self.store}:{self.name}{'#' if self.member else ''}{self.member}"


@dataclass(frozen=True, slots=True)
class Wanted:
    """The deployment that the file describes.

    - ``region``: empty means the region of the environment.
    - ``values``: parameter -> value.
    - ``secrets``: parameter -> where its value is stored.
    - ``whole``: whether a parameter without a value gets the template's default. If false, the parameter keeps the
      value that the stack has.
    """

    bucket: str = ""
    stack: str = STACK
    region: str = ""
    values: Mapping[str, str] = field(default_factory=dict)
    secrets: Mapping[str, Reference] = field(default_factory=dict)
    whole: bool = False

    def with_options(self, *, bucket: str = "", stack: str = "", values: Mapping[str, str] | None = None) -> "Wanted":
        """Return a copy with the options of the command line. They take precedence over the file. Empty options change
        nothing."""
        given = {name: value for name, value in (values or {}).items() if value}
        return replace(self, bucket=bucket or self.bucket, stack=stack or self.stack, values={**self.values, **given})


def declared() -> Json:
    """Return every parameter of the deployed template: name -> its declaration for CloudFormation."""
    found = {name: copy.deepcopy(template.load()[name]) for name in ("Parameters", "Globals")}
    declare_parameters(found)
    parameters: Json = found["Parameters"]
    return parameters


def read(path: Path) -> Wanted:
    """Read the file. Raises ``BadFile``, which lists every fault."""
    try:
        with path.open("rb") as file:
            content = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise BadFile(f"{path} cannot be read: {error.strerror}") from None
    if len(content) > MOST_BYTES:
        raise BadFile(f"{path} has more than {MOST_BYTES:,} bytes")
    try:
        found = tomllib.loads(content.decode())
    except UnicodeDecodeError:
        raise BadFile(f"{path} is not UTF-8 text") from None
    except tomllib.TOMLDecodeError as error:
        raise BadFile(f"{path} is not TOML: {error}") from None
    except (RecursionError, ValueError):  # ValueError: a number of thousands of digits
        raise BadFile(f"{path} is not valid TOML") from None
    faults: list[str] = []
    wanted = _read(found, faults)
    if faults:
        raise BadFile("\n".join(f"{path}: {fault}" for fault in faults))
    return wanted


def check(wanted: Wanted) -> None:
    """Raise ``BadFile`` if something is missing, or if two parameters contradict each other."""
    if not wanted.bucket:
        raise BadFile("the bucket for the archive is missing: use make deploy BUCKET=…, or set bucket in deploy.toml")
    for pair in _TOGETHER:
        given = [name for name in pair if wanted.values.get(name, "") not in ("", "0")]
        if len(given) == 1:
            (other,) = set(pair) - set(given)
            raise BadFile(f"{given[0]} needs {other}: give both, or neither")
    if int(wanted.values.get("BudgetAmount", 0)) < 0:
        raise BadFile("BudgetAmount must be 0 or more, in USD")


def _read(found: Json, faults: list[str]) -> Wanted:
    places = {"bucket": "", "stack": STACK, "region": ""}
    for name, value in found.items():
        if name in places:
            if _is_text(value) and value:
                places[name] = value
            else:
                faults.append(f"{name} must be a text in quotes")
        elif name != "parameters":
            faults.append(_unknown(name, [*places, "parameters"]))
    parameters = found.get("parameters", {})
    values: dict[str, str] = {}
    secrets: dict[str, Reference] = {}
    known = declared()
    if not isinstance(parameters, dict):
        faults.append("parameters is a section: [parameters]")
        parameters = {}
    for name, value in parameters.items():
        specification = known.get(name)
        if specification is None:
            faults.append(_unknown(name, list(known)))
        elif specification.get("NoEcho"):
            reference = _reference(value)
            if reference is None:
                faults.append(
                    f'{name} is secret, so this file may only have a reference to it: "secretsmanager:NAME", '
                    '"secretsmanager:NAME#MEMBER" or "ssm:NAME". Store the value there'
                )
            else:
                secrets[name] = reference
        else:
            fault = _not_positive(value) if name in _FRACTIONS else _fault(name, specification, value)
            if fault is None:
                values[name] = str(value)
            else:
                faults.append(f"{name} {fault}")
    return Wanted(places["bucket"], places["stack"], places["region"], values, secrets, whole=True)


def _unknown(name: str, known: list[str]) -> str:
    lower = {one.casefold(): one for one in known}
    near = difflib.get_close_matches(name.casefold(), lower, n=1)
    meant = f"; did you mean {lower[near[0]]}?" if near else ""
    return f"there is no {name[:100]!r}{meant}"


def _reference(value: object) -> Reference | None:
    if not _is_text(value):
        return None
    store, colon, rest = str(value).partition(":")
    if not colon or store not in STORES:
        return None
    name, mark, member = rest.partition("#") if store == "secretsmanager" else (rest, "", "")
    good = bool(name) and not any(map(str.isspace, value)) and bool(member) == bool(mark)  # type: ignore[call-overload]
    return Reference(store, name, member) if good else None


def _fault(name: str, specification: Json, value: object) -> str | None:
    if specification["Type"] == "Number":
        if isinstance(value, int) and not isinstance(value, bool) and abs(value) < _TOO_LARGE:
            return None
        return "must be a whole number, without quotes"
    if not _is_text(value):
        return f"must be a text in quotes, of at most {MOST_CHARACTERS:,} characters"
    allowed = specification.get("AllowedValues")
    if allowed is not None and value not in allowed:
        return f"must be one of {', '.join(map(repr, allowed))}"
    if name in _EMAILS and value and emails.deliverable(str(value)) is None:
        return "must be one e-mail address, without a name, such as service@acme.example"
    return None


def _not_positive(value: object) -> str | None:
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < _TOO_LARGE:
        return None
    return "must be a number above 0, without quotes"


def _is_text(value: object) -> bool:
    return isinstance(value, str) and value.isprintable() and len(value) <= MOST_CHARACTERS


def example() -> str:
    """Return the text of ``deploy.example.toml``. For each parameter, it has the description and, below it, the
    parameter with its default as a comment."""
    lines = [
        "# What `make deploy` deploys: copy this file to deploy.toml, and name your bucket. infra/README.md says more.",
        "# A parameter that you leave out has the default shown here. A secret parameter is then empty, except",
        "# CursorSecret, which is generated with the stack. For secrets, write only references: secretsmanager:NAME,",
        "# secretsmanager:NAME#MEMBER for a member of a JSON text, or ssm:NAME. `make docs` writes this file.",
        "",
        "# The bucket that the archive and the template are uploaded to, in the region of the stack.",
        'bucket = "your-bucket"',
        "",
        "# The name of the stack.",
        f'# stack = "{STACK}"',
        "",
        "# The region of the deployment. Default: the variable AWS_REGION.",
        '# region = "eu-central-1"',
        "",
        "[parameters]",
    ]
    for name, specification in declared().items():
        lines += ["", *textwrap.wrap(specification["Description"], _WIDTH, initial_indent="# ", subsequent_indent="# ")]
        lines.append(f"# {name} = {_shown(name, specification)}")
    return "\n".join(lines) + "\n"


def _shown(name: str, specification: Json) -> str:
    if specification.get("NoEcho"):
        return f'"secretsmanager:{STACK}#{name}"'
    default = specification["Default"]
    return str(default) if specification["Type"] == "Number" else f'"{default}"'

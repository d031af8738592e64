"""The rooms and the arrows between them (the table in the README): every import is read, and any other arrow fails.

Besides arrows: AWS, sockets, the clock and randomness are each read in one room only, every third-party module that
is imported is pinned, and the app starts quickly.
"""

import ast
import re
import sys
from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).resolve().parent.parent
DOMAIN = ROOT / "chalicelib" / "domain"

# Room -> the rooms it may import. Everything may import settings, typed and version. What api, http and manage take
# from the domain are names and shapes; what they and api take from the store are reads. manage takes the names of its
# groups from api.
ARROWS: dict[str, set[str]] = {
    "app": {"api", "exports", "http", "mcp", "web", "workers"},
    "web": {"api", "domain", "http", "operations", "rules", "store"},
    "api": {"domain", "http", "operations", "rules", "store"},
    "http": {"domain", "store"},
    "mcp": {"api", "domain", "http", "store"},
    "exports": {"api", "domain", "http", "rules", "store", "workers"},
    "manage": {"api", "domain", "exports", "operations", "store"},
    "host": {"app", "http", "store"},
    "workers": {"connectors", "domain", "net", "operations", "rules", "store", "suggestions"},
    "operations": {"connectors", "domain", "rules", "store"},
    "connectors": {"domain", "net"},
    "store": {"domain"},
    "rules": {"domain", "suggestions"},
    "suggestions": {"domain"},
    "net": {"domain"},
    "domain": set(),
    "settings": set(),
    "clock": set(),
    "metrics": set(),
    "randomness": set(),
    "typed": set(),
    "version": set(),
}
# The same inside the domain: folder -> the folders that it may import. All may import the modules beside the folders,
# and these import no folder.
DOMAIN_ARROWS: dict[str, set[str]] = {
    "accounts": set(),
    "analytics": {"crawl", "search"},
    "audit": {"crawl", "page", "search", "webhooks"},
    "changes": {"audit", "crawl", "page", "webhooks"},
    "connector": {"crawl"},
    "crawl": set(),
    "page": {"crawl"},
    "readiness": {"changes", "connector", "crawl", "page"},
    "search": {"crawl", "page"},
    "speed": {"audit", "crawl", "webhooks"},
    "visibility": {"crawl", "page", "search"},
    "webhooks": set(),
}
PURE = {"domain", "rules", "suggestions"}
DOMAIN_PACKAGES = {"charset_normalizer", "msgspec", "numpy", "publicsuffix2", "pydantic", "selectolax", "webencodings"}
AWS_PACKAGES = {"boto3", "botocore", "aioboto3", "aiobotocore"}
SOCKET_PACKAGES = {
    "aiohttp",
    "http.client",
    "http.server",
    "requests",
    "smtplib",
    "socket",
    "socketserver",
    "ssl",
    "urllib.request",
}
CLOCK_NAMES = {"datetime.now", "datetime.utcnow", "datetime.today", "date.today"}
RANDOM_PACKAGES = {"random", "secrets"}
# Modules that stand outside chalicelib and are part of a room.
OUTER = {"app": "app", "host": "host", "infra": "infra", "manage": "manage", "management": "manage"}


class Import(NamedTuple):
    """One import: the file and line it stands in, that file's room, and the module."""

    path: Path
    line: int
    room: str
    module: str

    def __str__(self) -> str:
        return f"{self.path.relative_to(ROOT)}:{self.line}: {self.room} imports {self.module}"


def room_of(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    if parts[0] != "chalicelib":
        return OUTER[parts[0]]
    return parts[1]


@lru_cache(maxsize=1)
def project_files() -> list[Path]:
    files = [ROOT / "app.py", ROOT / "manage.py"]
    files += [path for folder in ("host", "management") for path in (ROOT / folder).rglob("*.py")]
    files += [path for path in (ROOT / "chalicelib").rglob("*.py") if path.parent.name != "chalicelib"]
    files += [ROOT / "chalicelib" / f"{name}.py" for name in ("clock", "metrics", "randomness", "typed", "version")]
    return files


class Read(NamedTuple):
    """What stands in a file, wherever in it, each with its line. ``imported``: modules; ``from a import b`` counts as
    a.b when that is a module. ``attributes``: the last name of what has it (None: it has no name), and its own."""

    imported: list[tuple[int, str]]
    attributes: list[tuple[int, str | None, str]]


@cache
def read(path: Path) -> Read:
    found = Read([], [])
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"), str(path))):
        if isinstance(node, ast.Import):
            found.imported.extend((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno}: imports are absolute"
            found.imported.extend((node.lineno, f"{node.module}.{alias.name}") for alias in node.names)
        elif isinstance(node, ast.Attribute):
            owner = node.value
            name = owner.id if isinstance(owner, ast.Name) else getattr(owner, "attr", None)
            found.attributes.append((node.lineno, name, node.attr))
    return found


@lru_cache(maxsize=1)
def imports() -> list[Import]:
    return [
        Import(path, line, room_of(path), module) for path in project_files() for line, module in read(path).imported
    ]


def within(module: str, packages: set[str]) -> bool:
    return any(module == package or module.startswith(f"{package}.") for package in packages)


def show(wrong: list[Import]) -> str:
    return "\n".join(map(str, wrong))


def target_room(module: str) -> str | None:
    """The room that an import leads to; None: it is not one of ours."""
    parts = module.split(".")
    if parts[0] == "chalicelib":
        return parts[1] if len(parts) > 1 else None
    return OUTER.get(parts[0], "local" if parts[0] in ("local", "bench", "tests", "documents") else None)


def test_modules_import_only_from_allowed_folders() -> None:
    wrong = []
    for found in imports():
        target = target_room(found.module)
        if target is None or target in (found.room, "settings", "typed", "version"):
            continue
        allowed = ARROWS[found.room] | (set() if found.room in PURE else {"clock", "metrics", "randomness"})
        if target not in allowed:
            wrong.append(found)
    assert not wrong, show(wrong)


def folders_of(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir() if path.is_dir() and any(path.glob("*.py"))}


def test_every_folder_has_import_rules() -> None:
    assert folders_of(ROOT / "chalicelib") <= set(ARROWS)
    assert folders_of(DOMAIN) == set(DOMAIN_ARROWS)


def test_folders_inside_the_domain_follow_their_import_rules() -> None:
    wrong = []
    for found in imports():
        parts = found.module.split(".")
        if found.room != "domain" or parts[:2] != ["chalicelib", "domain"]:
            continue
        own, target = found.path.relative_to(DOMAIN).parts[0], parts[2]
        if target in DOMAIN_ARROWS and target != own and target not in DOMAIN_ARROWS.get(own, set()):
            wrong.append(found)
    assert not wrong, show(wrong)


@cache
def module_imports() -> dict[str, set[str]]:
    """For each module of the project, tests left out: the modules of the project that it imports, wherever in it."""
    folders = ("bench", "chalicelib", "conformance", "documents", "host", "infra", "local", "management")
    files = [ROOT / "app.py", ROOT / "manage.py", *(path for name in folders for path in (ROOT / name).rglob("*.py"))]
    modules = {".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path for path in files}
    return {
        name: {module if module in modules else module.rpartition(".")[0] for _, module in read(path).imported}
        & (set(modules) - {name})
        for name, path in modules.items()
    }


def circle(arrows: Mapping[str, set[str]]) -> list[str]:
    """Return a circle of these arrows, the first repeated at its end; empty without one."""
    try:
        TopologicalSorter(arrows).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def test_the_import_rules_contain_no_cycle() -> None:
    assert not circle(ARROWS)
    assert not circle(DOMAIN_ARROWS)


def test_no_module_imports_itself_indirectly() -> None:
    assert not circle(module_imports())


def test_an_import_cycle_is_detected() -> None:
    assert len(circle({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}})) == 4
    assert not circle({"a": {"b", "c"}, "b": {"c"}})


def test_pure_folders_import_only_pure_packages() -> None:
    wrong = [
        found
        for found in imports()
        if found.room in PURE
        and target_room(found.module) is None
        and found.module.split(".")[0] not in sys.stdlib_module_names | DOMAIN_PACKAGES | {"chalicelib"}
    ]
    assert not wrong, show(wrong)


def test_only_the_store_and_two_connectors_call_aws() -> None:
    connectors = ROOT / "chalicelib" / "connectors"
    places = ROOT / "chalicelib" / "store", connectors / "function_calls.py", connectors / "ses.py"
    wrong = [
        found
        for found in imports()
        if within(found.module, AWS_PACKAGES) and not any(found.path.is_relative_to(place) for place in places)
    ]
    assert not wrong, show(wrong)


def test_only_the_net_folder_opens_sockets() -> None:
    """manage.py calls the control address of the local service on the same machine. host only listens."""
    rooms = ("net", "manage", "host")
    wrong = [found for found in imports() if within(found.module, SOCKET_PACKAGES) and found.room not in rooms]
    assert not wrong, show(wrong)


def test_only_one_module_reads_randomness() -> None:
    wrong = [found for found in imports() if within(found.module, RANDOM_PACKAGES) and found.room != "randomness"]
    wrong += [found for found in imports() if found.module in ("os.urandom", "uuid.uuid4", "uuid.uuid1")]
    assert not wrong, show(wrong)


def _clock_reads(path: Path) -> Iterator[int]:
    yield from (line for line, module in read(path).imported if within(module, {"time"}))
    yield from (line for line, owner, name in read(path).attributes if f"{owner}.{name}" in CLOCK_NAMES)


def test_only_one_module_reads_the_clock() -> None:
    wrong = [
        f"{path.relative_to(ROOT)}:{line}"
        for path in project_files()
        if room_of(path) != "clock"
        for line in _clock_reads(path)
    ]
    assert not wrong, "\n".join(wrong)


def _typed_reads(path: Path) -> Iterator[int]:
    """Lines in which msgspec is asked for a value of a type."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"), str(path))):
        if isinstance(node, ast.Call):
            asked = ast.unparse(node.func)
            names_type = any(keyword.arg == "type" for keyword in node.keywords)
            if re.fullmatch(r"(?:msgspec\.)?(?:convert|(?:json|msgpack)\.Decoder)", asked) or (
                re.fullmatch(r"(?:msgspec\.)?(?:json|msgpack)\.decode", asked) and names_type
            ):
                yield node.lineno


def test_only_one_module_reads_untyped_values() -> None:
    wrong = [
        f"{path.relative_to(ROOT)}:{line}"
        for path in project_files()
        if room_of(path) != "typed"
        for line in _typed_reads(path)
    ]
    assert not wrong, "\n".join(wrong)
    assert len(list(_typed_reads(ROOT / "chalicelib" / "typed.py"))) == 5


def test_random_bytes_are_not_read_from_the_operating_system_directly() -> None:
    wrong = [
        f"{path.relative_to(ROOT)}:{line}"
        for path in project_files()
        if room_of(path) != "randomness"
        for line, _, name in read(path).attributes
        if name in ("urandom", "uuid4", "uuid1", "getrandbits")
    ]
    assert not wrong, "\n".join(wrong)


# ------------------------------------------------------------------------------------------------- packages

# Module -> the package that brings it, where the names differ.
PACKAGE_OF = {
    "cfnlint": "cfn-lint",
    "samtranslator": "aws-sam-translator",
    "aws_lambda_powertools": "aws-lambda-powertools",
    "charset_normalizer": "charset-normalizer",
    "mypy_boto3_dynamodb": "mypy-boto3-dynamodb",
    "mypy_boto3_sqs": "mypy-boto3-sqs",
    "google": "google-genai",
    "jsonschema_rs": "jsonschema-rs",
    "openapi_spec_validator": "openapi-spec-validator",
    "perplexity": "perplexityai",
    "werkzeug": "moto",
    "yaml": "pyyaml",
    "yarl": "aiohttp",
}
OURS = {
    "app",
    "bench",
    "chalicelib",
    "conformance",
    "documents",
    "host",
    "infra",
    "local",
    "manage",
    "management",
    "tests",
}
TYPES_ONLY = {"mypy_boto3_dynamodb", "mypy_boto3_sqs"}


def declared(name: str) -> set[str]:
    lines = (ROOT / name).read_text(encoding="utf-8").splitlines()
    return {re.split(r"[\[=<>]", line)[0].strip().lower() for line in lines if line and line[0] not in "#-"}


def third_party(path: Path) -> set[str]:
    roots = {module.split(".")[0] for _, module in read(path).imported}
    return roots - sys.stdlib_module_names - OURS


def test_deployed_code_imports_only_deployed_packages() -> None:
    deployed = declared("requirements.in") | {"chalice"}  # its runtime is put into the package
    wrong = {
        f"{path.relative_to(ROOT)}: {name}"
        for path in project_files()
        if room_of(path) not in ("manage", "host")
        for name in third_party(path) - TYPES_ONLY
        if PACKAGE_OF.get(name, name) not in deployed
    }
    assert not wrong, "\n".join(sorted(wrong))


def test_the_conformance_checks_import_only_the_standard_library() -> None:
    files = list((ROOT / "conformance").glob("*.py"))
    assert files and not any(third_party(path) for path in files)
    roots = {module.split(".")[0] for path in files for _, module in read(path).imported}
    assert roots & OURS == {"conformance"}


def test_imported_packages_are_declared_and_deployed_packages_are_imported() -> None:
    known = declared("requirements.in") | declared("requirements-dev.in")
    browser = declared("requirements-web.in")
    folders = ("local", "tests", "bench", "conformance", "infra", "documents")
    files = [path for folder in folders for path in (ROOT / folder).rglob("*.py")]
    wrong = {
        f"{path.relative_to(ROOT)}: {name}"
        for path in [*project_files(), *files]
        for name in third_party(path)
        if PACKAGE_OF.get(name, name) not in (browser if path.is_relative_to(ROOT / "tests" / "browser") else known)
    }
    assert not wrong, "\n".join(sorted(wrong))
    used = {PACKAGE_OF.get(name, name) for path in project_files() for name in third_party(path)}
    assert declared("requirements.in") <= used


PINNED = [
    "requirements.txt",
    "requirements-host.txt",
    "requirements-dev.txt",
    "requirements-web.txt",
    "infra/engine/requirements.txt",
]


def pinned(name: str) -> set[str]:
    """The packages of a file of pinned versions, each with its version and hashes."""
    text = (ROOT / name).read_text(encoding="utf-8")
    return {line for line in text.replace(" \\\n", "").splitlines() if not line.startswith("#")}


@pytest.mark.parametrize("name", PINNED)
def test_every_package_is_pinned_with_hashes_and_without_a_registry(name: str) -> None:
    for line in pinned(name):
        assert re.fullmatch(r"[a-z0-9._-]+(\[[a-z,]+\])?==[^\s]+( ; .+?)?(    --hash=sha256:[0-9a-f]{64})+", line), line
        assert "://" not in line


def test_packages_have_the_same_pinned_version_everywhere() -> None:
    assert pinned("requirements.txt") <= pinned("requirements-host.txt") <= pinned("requirements-dev.txt")
    assert pinned("infra/engine/requirements.txt") <= pinned("requirements-dev.txt")


def test_the_host_and_its_command_line_import_only_installed_packages() -> None:
    known = declared("requirements.in") | declared("requirements-host.in")
    wrong = {
        f"{path.relative_to(ROOT)}: {name}"
        for path in project_files()
        for name in third_party(path) - TYPES_ONLY
        if PACKAGE_OF.get(name, name) not in known
    }
    assert not wrong, "\n".join(sorted(wrong))

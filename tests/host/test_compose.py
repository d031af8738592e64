"""The compose file: what docker compose refuses, and what would hold up or open a deployment made with it."""

import re
import subprocess
import sys
from dataclasses import fields
from importlib.metadata import version
from ipaddress import ip_address, ip_network
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from chalicelib.http.endpoints import BASE_PATH
from chalicelib.settings.core import APP_PATH
from chalicelib.settings.every import SUBJECTS
from host.__main__ import DEFAULT_PORT
from host.server import ApiServer
from host.shutdown import STOP_SECONDS
from local import embedded
from tests.real.dynoxide import PACKAGE

FOLDER = Path(__file__).resolve().parents[2] / "host"
DOCS = FOLDER.parent / "docs"
AWS = {
    *("AWS_DEFAULT_REGION", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_EC2_METADATA_DISABLED"),
    *("AWS_ENDPOINT_URL_DYNAMODB", "AWS_ENDPOINT_URL_SQS", "AWS_ENDPOINT_URL_S3"),
}
TEXT, DURATION = {"type": "string", "minLength": 1}, {"type": "string", "pattern": "^[0-9]+s$"}
TEXTS = {"type": "array", "items": TEXT, "minItems": 1, "uniqueItems": True}
WORDS = {"type": "array", "items": TEXT, "minItems": 1}


def members(required: str, /, **properties: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": required.split(),
        "additionalProperties": False,
    }


def named(value: Any) -> dict[str, Any]:
    return {"type": "object", "additionalProperties": value, "minProperties": 1}


# The parts of the compose specification that the file uses: a misspelt key is one that docker compose refuses.
SERVICE = members(
    "image restart networks healthcheck",
    image={"type": "string", "pattern": r"^[a-z0-9./-]+:[a-z0-9.-]+$"},
    build=members("", context=TEXT, dockerfile=TEXT, dockerfile_inline=TEXT),
    platform=TEXT,
    restart={"enum": ["unless-stopped"]},
    depends_on=named(members("condition", condition={"enum": ["service_healthy"]})),
    environment=named(TEXT),
    env_file={"type": "array", "items": members("path", path=TEXT, required={"type": "boolean"})},
    secrets=TEXTS,
    ports=TEXTS,
    volumes=TEXTS,
    networks={"oneOf": [TEXTS, named(members("ipv4_address", ipv4_address=TEXT))]},
    command=WORDS,
    init={"type": "boolean"},
    deploy=members("replicas", replicas={"type": "integer"}),
    stop_grace_period=DURATION,
    healthcheck=members(
        "test interval timeout retries",
        test={**WORDS, "prefixItems": [{"const": "CMD"}]},
        interval=DURATION,
        timeout=DURATION,
        retries={"type": "integer"},
        start_period=DURATION,
    ),
)
SCHEMA = {
    **members(
        "name services networks volumes secrets",
        name=TEXT,
        services=named(SERVICE),
        networks=named(
            {
                "anyOf": [
                    members("internal", internal={"const": True}),
                    members(
                        "ipam",
                        ipam=members(
                            "config",
                            config={"type": "array", "items": members("subnet", subnet=TEXT, ip_range=TEXT)},
                        ),
                    ),
                ]
            }
        ),
        volumes=named({"type": "null"}),
        secrets=named(members("file", file=TEXT)),
    ),
    "patternProperties": {"^x-": {}},
}


@pytest.fixture(scope="module")
def compose() -> Any:
    return yaml.safe_load((FOLDER / "compose.yaml").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def services(compose: Any) -> dict[str, Any]:
    return dict(compose["services"])


def test_the_compose_file_matches_the_schema_of_docker_compose(compose: Any) -> None:
    jsonschema.Draft202012Validator(SCHEMA).validate(compose)


def test_every_file_volume_and_network_in_the_compose_file_exists(compose: Any, services: dict[str, Any]) -> None:
    kept = {*compose["volumes"]}
    for service in services.values():
        assert set(service.get("depends_on", ())) <= set(services)
        assert set(service["networks"]) <= set(compose["networks"])
        assert set(service.get("secrets", ())) <= set(compose["secrets"])
        for volume in service.get("volumes", ()):
            source = volume.split(":")[0]
            assert source in kept or (source.startswith("./") and (FOLDER / source).is_file())
        if "dockerfile" in service.get("build", {}):
            assert (FOLDER / service["build"]["context"] / service["build"]["dockerfile"]).is_file()


def test_every_image_has_a_fixed_version(services: dict[str, Any]) -> None:
    for name, service in services.items():
        tag = service["image"].rpartition(":")[2]
        assert re.match(r"[0-9]+\.[0-9]+\.[0-9]+", tag) or (tag, "dockerfile" in service["build"]) == ("local", True), (
            name
        )
        for base in re.findall(r"^FROM (\S+)", service.get("build", {}).get("dockerfile_inline", ""), re.MULTILINE):
            assert re.search(r":[0-9]+\.[0-9]+\.[0-9]+", base)


def test_the_databases_have_the_same_versions_as_in_the_tests(services: dict[str, Any]) -> None:
    assert services["queues"]["image"].endswith(f"/moto:{version('moto')}")
    assert PACKAGE in services["tables"]["build"]["dockerfile_inline"]
    assert services["tables"]["image"].endswith(f":{PACKAGE.rpartition('@')[2]}")


def test_every_environment_variable_of_the_service_is_a_setting(services: dict[str, Any]) -> None:
    settings = {field.metadata["env"] for subject in SUBJECTS for field in fields(subject)}
    for name in ("service", "stores"):
        given = services[name]["environment"]
        assert set(given) - AWS <= settings
        assert given == services["service"]["environment"]
        assert given["APP_URL"].endswith(f"}}{APP_PATH}") and given["BASE_URL"].endswith(f"}}{BASE_PATH}")
        assert given["SECRETS_KEY"] == f"file:/run/secrets/{services[name]['secrets'][0]}"


def test_secrets_are_required_variables_and_are_not_in_files_under_git(compose: Any, services: dict[str, Any]) -> None:
    asked = {services["service"]["environment"]["CURSOR_SECRET"], compose["secrets"]["key"]["file"]}
    assert all(re.fullmatch(r"\$\{[A-Z_]+:\?.+\}", value) for value in asked)


def test_the_env_file_is_excluded_from_git_and_from_the_image(services: dict[str, Any]) -> None:
    root = FOLDER.parent
    copied = re.findall(r"^COPY (.+) \S+$", (FOLDER / "Containerfile").read_text(encoding="utf-8"), re.MULTILINE)
    for name in ("service", "stores"):
        (file,) = services[name]["env_file"]
        path = (FOLDER / file["path"]).resolve()
        assert f"/{path.relative_to(root)}" in (root / ".gitignore").read_text(encoding="utf-8").splitlines()
        assert not any(path.is_relative_to(root / part) for line in copied for part in line.split())
        assert file["required"] is False


def test_documented_commands_use_names_that_the_compose_file_defines(compose: Any, services: dict[str, Any]) -> None:
    backups, operating = ((DOCS / name).read_text(encoding="utf-8") for name in ("backups.md", "operating.md"))
    assert set(re.findall(r"--volume (\w\S+):/tables", backups)) == {f"{compose['name']}_tables"}
    assert set(re.findall(r"^  (\S+) tar ", backups, re.MULTILINE)) == {services["tables"]["image"]}
    assert services["tables"]["volumes"] == ["tables:/tables"]
    (block,) = re.findall(r"^sh -c '(.+?)'$", operating, re.MULTILINE | re.DOTALL)
    asked = set(re.findall(r"\$\{([A-Z_]+):\?", (FOLDER / "compose.yaml").read_text(encoding="utf-8")))
    assert asked == set(re.findall(r"\b([A-Z_]+)=", block))


def test_the_documented_setup_creates_keys_and_settings_only_once(tmp_path: Path) -> None:
    operating = (DOCS / "operating.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"^sh -c '(.+?)'$", operating, re.MULTILINE | re.DOTALL)
    folder = tmp_path / "wos"
    script = block.replace("/etc/wos", str(folder)).replace("chown 10001", "test -e")
    made = []
    for _ in range(2):
        done = subprocess.run(["sh", "-c", script], capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (0, "")
        made.append({path.name: (path.read_text("utf-8"), path.stat().st_mode & 0o777) for path in folder.iterdir()})
    assert made[0] == made[1]
    assert {name: mode for name, (_, mode) in made[0].items()} == {"secrets.key": 0o600, "env": 0o600}
    lines = made[0]["env"][0].splitlines()
    assert [line.partition("=")[0] for line in lines] == ["DOMAIN", "SECRETS_KEY_FILE", "CURSOR_SECRET"]
    assert len(lines[-1].partition("=")[2]) == 64 and len(made[0]["secrets.key"][0].strip()) == 44


def test_in_the_compose_file_a_dollar_sign_always_begins_a_variable(services: dict[str, Any]) -> None:
    assert re.findall(r"\$(?!\{[A-Z][A-Z0-9_]*(?::[?-][^}]*)?\})", str(services)) == []


def test_only_the_proxy_is_reachable_from_outside_and_trusted(compose: Any, services: dict[str, Any]) -> None:
    assert [name for name, service in services.items() if "ports" in service] == ["proxy"]
    assert compose["networks"]["back"] == {"internal": True}
    for name in ("tables", "queues"):
        assert services[name]["networks"] == ["back"]
    address = services["proxy"]["networks"]["front"]["ipv4_address"]
    assert services["service"]["environment"]["TRUSTED_PROXIES"] == address
    (front,) = compose["networks"]["front"]["ipam"]["config"]
    assert ip_address(address) in ip_network(front["subnet"])
    others = ip_network(front["ip_range"])
    assert ip_address(address) not in others and others.subnet_of(ip_network(front["subnet"]))


def test_services_can_reach_an_external_object_store_if_they_use_it(services: dict[str, Any]) -> None:
    for name in ("service", "stores"):
        assert {*services[name]["networks"]} == {"front", "back"}


def test_two_replicas_run_and_have_time_to_stop_gracefully(services: dict[str, Any]) -> None:
    service = services["service"]
    assert service["deploy"]["replicas"] == 2
    assert int(service["stop_grace_period"].removesuffix("s")) > STOP_SECONDS
    assert f"service {DEFAULT_PORT}" in (FOLDER / "Caddyfile").read_text(encoding="utf-8")


def test_the_stores_container_creates_missing_tables_and_queues_repeatedly(services: dict[str, Any]) -> None:
    (loop,) = [word for word in services["stores"]["command"] if "manage.py" in word]
    assert "python manage.py store create" in loop and loop.startswith("while true")
    marks = set(re.findall(r"/tmp/\w+", loop))
    assert marks == {services["stores"]["healthcheck"]["test"][-1]}


def test_the_health_check_succeeds_while_the_service_answers(services: dict[str, Any]) -> None:
    from app import app

    program = services["service"]["healthcheck"]["test"][-1]
    assert f":{DEFAULT_PORT}/" in program
    with embedded.running():
        server = ApiServer(app, 0)
        asked = [sys.executable, "-c", program.replace(f":{DEFAULT_PORT}/", f":{server.port}/")]
        assert subprocess.run(asked, timeout=60, check=False).returncode == 0
        server.stop()
        assert subprocess.run(asked, timeout=60, check=False, stderr=subprocess.DEVNULL).returncode != 0

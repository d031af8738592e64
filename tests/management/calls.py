"""Every command of manage.py with arguments that fit a workspace, for tests that run all of them."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import typer.main

import manage


@dataclass(frozen=True)
class World:
    """The ids that commands can name. An empty workspace lacks most of them, and commands refuse."""

    folder: Path
    workspace: str
    person: str
    site: str
    key: str = "key_none"
    endpoint: str = "end_none"
    delivery: str = "dlv_none"
    audit: str = "crawl_none"
    issue: str = "iss_none"
    batch: str = "batch_none"
    prompt: str = "prm_none"
    job: str = "speed_tests"
    report: str = "0"
    name: str = "Acme"  # of the workspace

    def file(self, content: str) -> str:
        path = self.folder / "given.json"
        path.write_text(content, encoding="utf-8")
        return str(path)


@cache
def leaves() -> frozenset[str]:
    """The names of all commands, such as ``keys create-site``."""

    def walk(command: Any, words: tuple[str, ...]) -> Iterator[str]:
        known = getattr(command, "commands", None)
        if known is None:
            yield " ".join(words)
        else:
            for name, one in known.items():
                yield from walk(one, (*words, name))

    return frozenset(walk(typer.main.get_command(manage.application), ()))


def calls(world: World) -> dict[str, list[list[str]]]:
    """Command -> the arguments that it is run with, in this order. Reads come first, removals last."""
    workspace, site, person = world.workspace, world.site, world.person
    credentials = world.file('{"property": "sc-domain:acme.example", "credentials": {}}')
    return {
        "workspaces list": [[]],
        "workspaces log": [[workspace], [workspace, "--limit", "1", "--before", "act_none"]],
        "workspaces usage": [[workspace]],
        "people list": [[workspace]],
        "keys list": [[workspace]],
        "websites list": [[workspace]],
        "connections list": [[site]],
        "connections check": [[site]],
        "connections list-workspace": [[workspace]],
        "endpoints list": [[workspace]],
        "endpoints log": [[workspace, world.endpoint]],
        "issues history": [[site, world.issue]],
        "audits diff": [[site, world.audit], [site, world.audit, "--against", world.audit]],
        "gate": [[site, "--no-new", "high"], [site, "--audit", world.audit, "--min-score", "0.5", "--format", "junit"]],
        "issues list": [[site], [site, "--status", "resolved"]],
        "issues show": [[site, world.issue], [site, world.issue, "--pages", "1"]],
        "changes list": [[site]],
        "reports list": [[site]],
        "jobs list": [[site]],
        "queues list": [[]],
        "queues show": [["crawl"]],
        "queues redrive": [["crawl"]],
        "prompts list": [[site]],
        "prompts propose": [[site]],
        "doctor": [[]],
        "store create": [[]],
        "store pending": [[]],
        "store hold": [[]],
        "store release": [["--drop", "write", "--older", "1d", "--yes"], ["--yes"]],
        "store migrate": [["--websites", "1"], []],
        "secrets reencrypt": [["--workspaces", "1"], []],
        "init": [["Acme", "ada@acme.example", "https://acme.example"]],
        "workspaces create": [["Another", "--plan", "free"]],
        "export": [[site, str(world.folder / "exported")]],
        "workspaces export": [[workspace, str(world.folder / "exported-workspace")]],
        "workspaces set-plan": [[workspace, "agency"]],
        "people add": [[workspace, "new@acme.example", "--role", "member"]],
        "people link": [[workspace, person], [workspace, "NEW@acme.example"]],
        "people sessions": [[workspace, person]],
        "people sign-out": [[workspace, person]],
        "address set": [["https://seo.acme.example/"]],
        "address show": [[]],
        "people set-role": [[workspace, person, "admin"]],
        "keys create": [[workspace, "--person", person, "--scope", "sites:read", "--site", site]],
        "keys create-site": [[site, "--person", person]],
        "keys edit": [[world.key, "--scope", "pages:read"]],
        "keys narrow": [[workspace]],
        "websites add": [[workspace, "https://new.example"]],
        "websites edit": [
            [site, "--name", "Other", "--alias", "Acme", "--url", "https://acme.example/", "--weekly", "mon-14"],
            [site, "--weekly", "default"],
        ],
        "pages watch": [[site, "/boots"]],
        "pages list": [[site]],
        "pages unwatch": [[site, "/boots"]],
        "websites index-now": [[site], [site, "--on"], [site, "--off"]],
        "websites pause": [[site]],
        "websites resume": [[site]],
        "audits start": [[site, "--page-budget", "20"]],
        "audits cancel": [[site, world.audit]],
        "audits weekly": [[]],
        "issues ignore": [[site, world.issue]],
        "issues unignore": [[site, world.issue]],
        "issues explain": [[site, world.issue]],
        "changes cancel": [[site, world.batch], [site, "--waiting"]],
        "changes undo": [[site, world.batch]],
        "reports share": [[site], [site, "--days", "90"]],
        "reports brand": [[workspace, "--name", "Agency", "--colour", "#123456"]],
        "reports take-back": [[site, world.report]],
        "prompts add": [[site, "Which boots?", "--locale", "de-AT"]],
        "prompts pause": [[site, world.prompt]],
        "prompts resume": [[site, world.prompt]],
        "prompts remove": [[site, world.prompt]],
        "sampling run": [[site, "--dry-run"], [site]],
        "drafts result": [[]],
        "drafts draw": [["--seed", "7"]],
        "drafts read": [[]],
        "speed run": [[site], [site, "--url", "https://acme.example/"]],
        "imports run": [[site, "search"], [site, "field-data"]],
        "jobs retry": [[site, world.job]],
        "endpoints add": [[workspace, "https://new.example/hook", "--event", "audit.finished"]],
        "endpoints edit": [[workspace, world.endpoint, "--event", "audit.finished"]],
        "endpoints off": [[workspace, world.endpoint]],
        "endpoints on": [[workspace, world.endpoint]],
        "endpoints test": [[workspace, world.endpoint]],
        "endpoints replay": [[workspace, world.delivery]],
        "connections set": [[site, "search", "--file", credentials]],
        "connections set-workspace": [[workspace, "openai", "--file", world.file("sk-0123456789")]],
        "clock advance": [["1s"]],
        "standin": [["cms", "--fault", "none"]],
        "connections remove": [[site, "search"]],
        "connections remove-workspace": [[workspace, "openai"]],
        "endpoints remove": [[workspace, world.endpoint]],
        "keys revoke": [[world.key]],
        "people remove": [[workspace, person]],
        "websites remove": [[site]],
        "workspaces remove": [[workspace, "--yes", world.name]],
    }

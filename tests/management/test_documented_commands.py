"""Each command of ``manage.py`` that a document shows exists, and takes the arguments that it is shown with."""

import re
import shlex
from typing import Any

import pytest
from typer.main import get_command

from manage import application
from tests.test_docs import DOCUMENTS

_LINE = re.compile(r"^(?:\.venv/bin/)?(?:python )?manage\.py (.+)$|^\S*/python manage\.py (.+)$", re.MULTILINE)
_BLOCK = re.compile(r"^ *```[a-z]*\n(.*?)^ *```", re.MULTILINE | re.DOTALL)
_INLINE = re.compile(r"`(?:\.venv/bin/python )?manage\.py ([a-z][^`]+)`")


def shown_in_blocks() -> list[str]:
    """The lines of code blocks."""
    found = set()
    for document in DOCUMENTS:
        for block in _BLOCK.findall(document.read_text(encoding="utf-8")):
            found |= {one or other for one, other in _LINE.findall(block.replace("\\\n", " "))}
    return sorted(found)


def shown_in_sentences() -> list[str]:
    found = {written for document in DOCUMENTS for written in _INLINE.findall(document.read_text(encoding="utf-8"))}
    return sorted(" ".join(written.split()) for written in found)


def command_of(words: list[str]) -> tuple[Any, list[str]]:
    """The command that the words begin with, and the words after its name. Raises ``UsageError``."""
    command: Any = get_command(application)
    context = None
    while hasattr(command, "resolve_command"):
        context = command.make_context("manage.py", list(words), parent=context)
        _, command, words = command.resolve_command(context, words)
    return command, words


@pytest.mark.parametrize("line", shown_in_blocks())
def test_every_command_in_a_code_block_has_valid_arguments(line: str) -> None:
    command, words = command_of([word for word in shlex.split(line, comments=True) if word != "--json"])
    given, left, _ = command.make_parser(command.context_class(command)).parse_args(list(words))
    assert not left
    for parameter in command.params:
        assert not parameter.required or given.get(parameter.name) not in (None, ()), parameter.name


@pytest.mark.parametrize("written", shown_in_sentences())
def test_every_command_in_a_sentence_exists_with_its_options(written: str) -> None:
    command, words = command_of([word for word in shlex.split(written) if word not in ("--json", "…")])
    options = {option for parameter in command.params for option in parameter.opts}
    assert {word for word in words if word.startswith("--")} <= options


def test_the_documentation_contains_commands() -> None:
    assert len(shown_in_blocks()) > 5 and len(shown_in_sentences()) > 20

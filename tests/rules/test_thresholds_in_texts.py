"""The numbers in a rule's sentences are taken from the constants that its check uses, so the two cannot disagree.

The sound way to say so in a text is an f-string. A number that a person typed is read from the syntax tree: the parts
of string literals that are no placeholders. Where such a number means the same as a constant of the module (its own or
an imported one) in any way that texts write it (1,500, 500 KB, 70%, "four", "a quarter"), the sentence would stay
behind when somebody changes the constant, and this test fails.
"""

import ast
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Final

import pytest

from chalicelib.rules import wording
from chalicelib.rules.registry import FILES
from chalicelib.rules.wording import part, spelled

ROOMS: Final = Path(wording.__file__).parent
RULE_FILES: Final = [(folder, file) for folder, files in FILES.items() for file in files]
WORDS: Final = {
    **{spelled(number): number for number in range(2, 13)},
    "twice": 2,
    **{part(share).removeprefix("a "): share for share in (0.5, 0.25, 0.2, 0.9)},
}
_NUMBER: Final = re.compile(
    rf"(?<![\w.*/#=-])(?P<number>\d[\d,]*(?:\.\d+)?|(?:{'|'.join(WORDS)})\b)(?P<unit>%|\s?(?:KB|KiB|MB|MiB|s|seconds)\b)?",
    re.IGNORECASE,
)
# What a unit makes of the number before it, in the units of constants.
_FACTORS: Final = {
    "": (1.0,),
    "%": (1.0, 0.01),
    "KB": (1_000.0,),
    "KiB": (1_024.0,),
    "MB": (1_000_000.0, 1_048_576.0),
    "MiB": (1_048_576.0,),
    "s": (1.0, 1_000.0),
    "seconds": (1.0, 1_000.0),
}
# Numbers that happen to equal a constant and mean something else.
MEANT_OTHERWISE: Final = {
    "seo_aeo_012_question_without_answer": "two or three sentences",  # to write; a question has as many words
    "seo_con_001_thin_page": "limits of 200 to 300 words",  # of other tools
    "seo_onp_004_title_too_short": "use 20 to 30 characters",  # of other tools
    "seo_onp_012_013_description_length": "use 70 to 120 characters",  # of other tools
    "seo_tec_003_server_error": "at least two seconds apart",
    "seo_tec_006_timeout": "at least two seconds apart",
    "seo_tec_026_html_too_large": "From 1 MB on",  # the unit
}


def literals(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """(line, text) of what was typed by hand: string literals but docstrings and patterns, without placeholders."""
    left_out: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.FunctionDef | ast.ClassDef) and ast.get_docstring(node) is not None:
            left_out.add(id(node.body[0].value))  # type: ignore[attr-defined]
        elif isinstance(node, ast.Call) and ast.unparse(node.func) == "re.compile":
            left_out.update(id(inner) for inner in ast.walk(node))
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in left_out:
            yield node.lineno, node.value


def constants(module: ModuleType) -> dict[str, frozenset[float]]:
    """The numbers that a module's constants stand for, imported ones too; not how much evidence is shown."""
    found = {}
    for name, value in vars(module).items():
        if not name.isupper() or name.endswith("SHOWN") or isinstance(value, bool):
            continue
        if isinstance(value, int | float):
            found[name] = frozenset({float(value)})
        elif isinstance(value, frozenset) and value and all(isinstance(one, int) for one in value):
            found[name] = frozenset(map(float, value))
    return found


def typed(text: str, known: dict[str, frozenset[float]]) -> Iterator[str]:
    """The numbers of a text that equal a constant: ``1,600 is WIDEST_SHOWN``."""
    for match in _NUMBER.finditer(text):
        written = match["number"].lower()
        number = WORDS[written] if written in WORDS else float(written.replace(",", ""))
        values = {round(number * factor, 6) for factor in _FACTORS[(match["unit"] or "").strip()]}
        for name, meant in known.items():
            if values & meant:
                yield f'"{match[0]}" is {name}'


@pytest.mark.parametrize(("folder", "file"), RULE_FILES, ids=[file for _, file in RULE_FILES])
def test_a_number_in_a_message_comes_from_its_constant(folder: str, file: str) -> None:
    known = constants(import_module(f"chalicelib.rules.{folder}.{file}"))
    tree = ast.parse((ROOMS / folder / f"{file}.py").read_text(encoding="utf-8"))
    allowed = MEANT_OTHERWISE.get(file, "")
    wrong = [
        f"line {line}: {found}"
        for line, text in literals(tree)
        for found in typed(text.replace(allowed, "") if allowed else text, known)
    ]
    assert not wrong, "write these as placeholders of an f-string:\n" + "\n".join(wrong)


def test_every_listed_exception_is_still_in_the_text_of_its_rule() -> None:
    for file, phrase in MEANT_OTHERWISE.items():
        (path,) = ROOMS.glob(f"*/{file}.py")
        text = "".join(literal for _, literal in literals(ast.parse(path.read_text(encoding="utf-8"))))
        assert phrase in text, file


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("wider than 1,600 pixels", 1_600),
        ("more than 500 KB", 500_000),
        ("larger than 500 KiB", 512_000),
        ("the first 2 MB", 2 * 1024 * 1024),
        ("at least 70% of the titles", 0.7),
        ("at least 90% of the addresses", 90.0),
        ("later than 2.5 seconds", 2_500),
        ("less than a quarter of the words", 0.25),
        ("at least five pages", 5),
        ("Twice, with a pause", 2),
    ],
)
def test_every_notation_of_a_number_is_recognised(text: str, value: float) -> None:
    assert list(typed(text, {"LIMIT": frozenset({float(value)})}))
    assert not list(typed(text, {"LIMIT": frozenset({float(value) + 1})}))

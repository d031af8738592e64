"""The command group ``drafts``: draw, read, result."""

import sys
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from chalicelib.domain.accounts.rights import OPERATOR
from chalicelib.domain.draft_readings import MOST_BAD, READ_DRAFTS, Mark
from chalicelib.domain.printable import printable
from management.output import show, timestamp

if TYPE_CHECKING:
    from chalicelib.domain.draft_readings import Reading

commands = typer.Typer(
    help="Drafts by an assistant: read 100 of them before you switch drafting on.", no_args_is_help=True
)

_MARKS: Final[dict[str, Mark]] = {"g": "good", "b": "bad", "i": "invented"}
_MOST_SHOWN: Final = 500  # characters


@commands.callback()
def group() -> None:
    """Drafts of descriptions by the operator's assistant, and the review that must pass before users get drafts."""


def _shown(reading: "Reading") -> dict[str, Any]:
    return {
        "id": reading.assistant,
        "seed": reading.seed,
        "at": timestamp(reading.at),
        "drafts": reading.drafts,
        "good": reading.marks.get("good", 0),
        "bad": reading.marks.get("bad", 0),
        "invented": reading.marks.get("invented", 0),
        "unread": READ_DRAFTS - sum(reading.marks.values()),
        "mostBad": MOST_BAD,
        "passed": reading.passed,
    }


@commands.command()
def draw(
    seed: Annotated[str, typer.Option("--seed", help="any text; the same text selects the same pages")] = "1",
) -> None:
    """Let the assistant of the setting ASSISTANT make 100 drafts for a review. This takes minutes.

    After an interruption, run the same command again to continue. With another seed or another assistant, a new review
    without marks begins.
    """
    from chalicelib.operations import draft_readings

    show(_shown(draft_readings.draw(OPERATOR, seed)))


@commands.command()
def read() -> None:
    """Show each unread draft with the sentences of its page, and ask for your mark. Prints the result at the end.

    The marks are g (good), b (bad) and i (the draft says something that the page does not say). q stops; run the
    command again to continue.
    """
    from chalicelib.operations import draft_readings

    for draft in draft_readings.unread(OPERATOR):
        lines = [f"{draft.number} of {READ_DRAFTS}: {draft.url}", f"  {draft.text}"]
        lines += [f"  based on: {sentence}" for sentence in draft.rests_on]
        for line in lines:
            typer.echo(printable(line, _MOST_SHOWN), err=True)
        given = _answer()
        if given is None:
            break
        draft_readings.mark(OPERATOR, draft, given)
    show(_shown(draft_readings.result(OPERATOR)))


def _answer() -> Mark | None:
    """Read lines until one is valid, and return its mark. Returns None at q and at the end of the input."""
    while True:
        typer.echo("[g]ood, [b]ad, [i]nvented, [q]uit: ", err=True, nl=False)
        line = sys.stdin.readline()
        given = line.strip().lower()
        if not line or given == "q":
            return None
        if given in _MARKS:
            return _MARKS[given]


@commands.command()
def result() -> None:
    """Print the marks so far, and whether drafts may be switched on."""
    from chalicelib.operations import draft_readings

    show(_shown(draft_readings.result(OPERATOR)))

"""The command group ``prompts``: add, list, pause, resume, remove, propose."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from chalicelib.domain.accounts.rights import OPERATOR
from management.arguments import PromptId, Site
from management.output import show, timestamp

if TYPE_CHECKING:
    from chalicelib.domain.visibility.prompts import Prompt

commands = typer.Typer(help="The questions that AI assistants are asked for a website.", no_args_is_help=True)


def _shown(prompt: "Prompt") -> dict[str, Any]:
    return {
        "id": prompt.id,
        "prompt": prompt.text,
        "locale": prompt.locale,
        "active": prompt.active,
        "createdAt": timestamp(prompt.created_at),
    }


@commands.command()
def add(
    site: Site,
    text: Annotated[str, typer.Argument(metavar="TEXT", help="the question, as a customer asks it")],
    locale: Annotated[str | None, typer.Option(help="language and country, such as de or de-AT")] = None,
) -> None:
    """Add a prompt. It is asked each Monday, 03:00 UTC."""
    from chalicelib.operations import prompts

    show(_shown(prompts.add(OPERATOR, site, text, locale=locale)))


@commands.command("list")
def list_(site: Site) -> None:
    """List the prompts of a website."""
    from chalicelib.operations import prompts

    show({"items": [_shown(prompt) for prompt in prompts.list_all(OPERATOR, site)]})


@commands.command()
def pause(site: Site, prompt: PromptId) -> None:
    """Stop asking a prompt. Its answers are kept."""
    from chalicelib.operations import prompts

    show(_shown(prompts.pause(OPERATOR, site, prompt)))


@commands.command()
def resume(site: Site, prompt: PromptId) -> None:
    """Start asking a paused prompt again."""
    from chalicelib.operations import prompts

    show(_shown(prompts.resume(OPERATOR, site, prompt)))


@commands.command()
def remove(site: Site, prompt: PromptId) -> None:
    """Remove a prompt. Weeks in which it was asked still show the prompt."""
    from chalicelib.operations import prompts

    prompts.remove(OPERATOR, site, prompt)
    show({"id": prompt, "removed": True})


@commands.command()
def propose(site: Site) -> None:
    """Suggest questions that could be added as prompts, each with its source. The command adds none of them."""
    from chalicelib.operations import prompts

    found = prompts.propose(OPERATOR, site)
    rows = enumerate(found, 1)
    show(
        {
            "items": [
                {"id": str(number), "prompt": one.text, "locale": one.locale, "source": one.source}
                for number, one in rows
            ]
        }
    )

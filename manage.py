"""The operator's command line: ``.venv/bin/python manage.py --help``.

If the local service runs (``.local/run.json``), the commands work on it. Otherwise they work on AWS with the operator's
credentials. ``--json``, before or after the command, prints one JSON object. The exit status is 0 after success. After
a failure it is 2, with one line on standard error. ``gate`` exits with 1 if the audit fails the gate.
"""

import sys
from collections.abc import Sequence
from io import TextIOWrapper
from typing import Annotated, Final

import typer
from typer._click.exceptions import ClickException, NoArgsIsHelpError

from chalicelib.operations.errors import Refused
from chalicelib.version import VERSION
from management import (
    address,
    audits,
    beginning,
    changes,
    clocks,
    connections,
    doctor,
    drafts,
    endpoints,
    exports,
    gates,
    imports,
    issues,
    jobs,
    keys,
    output,
    pages,
    people,
    prompts,
    queues,
    reports,
    sampling,
    secrets,
    speed,
    standins,
    store,
    target,
    websites,
    workspaces,
)

MOST_CHARACTERS: Final = 4_000  # of an argument

application = typer.Typer(
    help="Operate the website optimization service.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
application.add_typer(workspaces.commands, name="workspaces")
application.add_typer(people.commands, name="people")
application.add_typer(keys.commands, name="keys")
application.add_typer(websites.commands, name="websites")
application.add_typer(connections.commands, name="connections")
application.add_typer(endpoints.commands, name="endpoints")
application.add_typer(audits.commands, name="audits")
application.add_typer(issues.commands, name="issues")
application.add_typer(pages.commands, name="pages")
application.add_typer(changes.commands, name="changes")
application.add_typer(reports.commands, name="reports")
application.add_typer(jobs.commands, name="jobs")
application.add_typer(queues.commands, name="queues")
application.add_typer(imports.commands, name="imports")
application.add_typer(prompts.commands, name="prompts")
application.add_typer(sampling.commands, name="sampling")
application.add_typer(drafts.commands, name="drafts")
application.add_typer(speed.commands, name="speed")
application.add_typer(clocks.commands, name="clock")
application.add_typer(store.commands, name="store")
application.add_typer(address.commands, name="address")
application.add_typer(secrets.commands, name="secrets")
application.command("init")(beginning.init)
application.command("standin")(standins.standin)
application.command("doctor")(doctor.doctor)
application.command("gate")(gates.gate)
application.command("export")(exports.export)


def _use_json(wanted: bool) -> bool:
    output.use_json(wanted)
    return wanted


def _print_version(wanted: bool) -> None:
    if wanted:
        output.show({"id": "website-optimization", "version": VERSION})
        raise typer.Exit


@application.callback()
def options(
    # Eager options are handled in the order given, and ``main`` puts --json first.
    json_: Annotated[
        bool,
        typer.Option(
            "--json",
            is_eager=True,
            callback=_use_json,
            help="Print one JSON object. The option may also follow the command.",
        ),
    ] = False,
    version: Annotated[
        bool, typer.Option("--version", is_eager=True, callback=_print_version, help="Print the version.")
    ] = False,
) -> None:
    """Operate the website optimization service."""
    target.choose()


def main(arguments: Sequence[str]) -> int:
    """Run one command and return the exit status."""
    rest = [argument for argument in arguments if argument != "--json"]
    if len(rest) < len(arguments):
        rest.insert(0, "--json")
    try:
        _check(rest)
        status = application(rest, standalone_mode=False, prog_name="manage.py")
    except NoArgsIsHelpError as shown:
        typer.echo(shown.format_message())
        return _refuse("A command is missing.")
    except ClickException as error:
        return _refuse(error.format_message())
    except Refused as refused:
        return _refuse(refused.message)
    except typer.Abort:
        return _refuse("Interrupted.")
    except Exception as error:
        from chalicelib.store.errors import AWS_ERRORS, AWS_NOT_SET_UP

        if isinstance(error, AWS_NOT_SET_UP):
            return _refuse(target.AWS_IS_MISSING)
        if not isinstance(error, AWS_ERRORS):
            raise
        return _refuse(f"AWS: {error}")
    return int(status or 0)


def _check(arguments: Sequence[str]) -> None:
    """Refuse arguments that no command accepts: bytes that are not UTF-8, and texts longer than any value."""
    for argument in arguments:
        if len(argument) > MOST_CHARACTERS:
            raise Refused("bad_argument", f"An argument has at most {MOST_CHARACTERS:,} characters.")
        if not argument.isascii() and any("\ud800" <= character <= "\udfff" for character in argument):
            raise Refused("bad_argument", "An argument is not UTF-8 text.")


def _refuse(message: str) -> int:
    output.refuse(message)
    return 2


if __name__ == "__main__":
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # a terminal may know fewer characters than websites
    sys.exit(main(sys.argv[1:]))

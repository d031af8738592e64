"""The command ``doctor``, which finds problems of the deployment."""

import typer

from management import target
from management.output import refuse, show


def doctor() -> None:
    """Check settings, tables, queues, the key, the clock and overdue work, and say what is wrong and what to do.

    Changes nothing. The exit status is 2 if something is wrong.
    """
    from chalicelib import api
    from chalicelib.operations import doctor

    findings = doctor.examine((*api.GROUPS, *api.ROOMS))
    state = target.state_folder()
    if state is not None:
        findings.append(doctor.look_at_state(state))
    show(
        {
            "items": [
                {"id": one.part, "state": "wrong" if one.todo else "ok", "found": one.found, "todo": one.todo}
                for one in findings
            ]
        }
    )
    wrong = [one.part for one in findings if one.todo]
    if wrong:
        refuse(f"Wrong: {', '.join(wrong)}. The list above says what to do.")
        raise typer.Exit(2)

"""Makes the table of an issue's states in docs/decisions/issues.md."""

from chalicelib.domain.audit.issues import MOVERS, TRANSITIONS
from documents.blocks import table


def parts() -> dict[str, str]:
    """Return the generated parts of the page: name -> Markdown."""
    rows = (
        (f"`{before}`", f"`{what}`", ", ".join(sorted(MOVERS[what])), f"`{after}`")
        for (before, what), after in TRANSITIONS.items()
    )
    return {"transitions": table(("State", "What happens", "Who may", "Next state"), rows)}

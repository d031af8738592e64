"""The actions of people and the operator in a workspace, for its activity log."""

from typing import Final

import msgspec

KEPT_DAYS: Final = 400
LONGEST_ABOUT: Final = 300  # an e-mail address and a role

# Every kind of act, worded to follow a name: "ada@example.org made an API key".
ACTS: Final = {
    "key.made": "made an API key",
    "key.edited": "edited an API key",
    "key.revoked": "revoked an API key",
    "endpoint.added": "added a webhook endpoint",
    "endpoint.edited": "edited a webhook endpoint",
    "endpoint.on": "switched a webhook endpoint on",
    "endpoint.off": "switched a webhook endpoint off",
    "endpoint.removed": "removed a webhook endpoint",
    "endpoint.tested": "tested a webhook endpoint",
    "delivery.replayed": "replayed a delivery",
    "person.added": "added a person",
    "person.invited": "sent an invitation",
    "person.changed": "changed a person's role or websites",
    "person.removed": "removed a person",
    "workspace.created": "created the workspace",
    "plan.changed": "changed the plan",
    "audit.started": "started an audit",
    "preview.started": "started a preview",
    "changes.approved": "approved changes",
    "changes.undone": "took changes back",
    "issue.ignored": "ignored an issue, or some of its pages",
    "issue.unignored": "stopped ignoring an issue",
    "website.added": "added a website",
    "website.edited": "edited a website",
    "website.removed": "removed a website",
    "report.shared": "created a link to a report",
    "report.taken_back": "revoked a link to a report",
    "report.mail_asked": "asked an address to confirm the monthly report",
    "report.mail_ended": "ended the monthly report to an address",
    "reports.branded": "chose how reports look",
    "connection.made": "connected a website",
    "connection.removed": "disconnected a website",
    "assistant_key.kept": "stored a key for an assistant",
    "assistant_key.removed": "deleted a key for an assistant",
}


class Act(msgspec.Struct, frozen=True):
    """An entry of the activity log: who did what in a workspace.

    - ``at``: epoch seconds.
    - ``person_id``: None for the operator.
    - ``key_id``: the API key that the person used; None if the person used the app.
    - ``who``: the person's e-mail address at that time; None if unknown.
    - ``subject``: the id of what was changed, such as a website or a key.
    - ``about``: the name, address or role that ``subject`` had at that time.
    """

    id: str
    act: str
    at: float
    person_id: str | None
    key_id: str | None
    who: str | None
    subject: str
    about: str

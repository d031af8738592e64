"""Maps paths to screens. A screen's module is imported on its first request."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from types import ModuleType
from typing import Final, Literal, NamedTuple, get_args
from urllib.parse import unquote

from chalicelib.domain.accounts.rights import Right

# The groups of the navigation, in order.
Group = Literal["", "Search", "AI", "Website", "Workspace", "Account"]
GROUPS: Final[tuple[Group, ...]] = get_args(Group)
OF_WEBSITE: Final = "sites/{siteId}"


@dataclass(frozen=True, slots=True)
class Route:
    """The route of a screen.

    - ``path``: the path below the app's root.
    - ``screen``: a module of ``screens``.
    - ``label``: the screen's name in the navigation, in the group ``group``; None if the screen is not in the
      navigation.
    - ``within``: the screen in the navigation to which this screen belongs.
    - ``anyone``: whether the screen is shown without signing in.
    - ``viewers_act``: whether viewers may send its forms too, because the forms affect only the signed-in person.
    - ``right``: the right that people need to see a link to the screen. If a person without this right opens the
      screen, an error is shown.
    - ``from_anywhere``: whether any page or program may post to it, without a form or session, because the address
      itself contains a token.
    - ``secret_query``: whether the query is secret. If it is, a person who must sign in first returns to the address
      without the query.
    """

    path: str
    screen: str
    label: str | None = None
    group: Group = ""
    within: str | None = None
    anyone: bool = False
    viewers_act: bool = False
    from_anywhere: bool = False
    secret_query: bool = False
    right: Right = "read"

    @property
    def module(self) -> ModuleType:
        return import_module(f"chalicelib.web.screens.{self.screen}")


# One line per screen, in the order of the navigation.
ROUTES: Final[tuple[Route, ...]] = (
    Route("", "portfolio", label="Websites"),
    Route("sign-in", "sign_in", anyone=True),
    Route("r/{token}", "report", anyone=True),
    Route("sign-out", "sign_out", viewers_act=True),
    Route("workspaces", "workspaces", viewers_act=True),
    Route("add-website", "add_website", within="portfolio"),
    Route("sessions", "sessions", label="Sessions", group="Account", viewers_act=True),
    Route("notices", "notices", label="Notices", group="Account", viewers_act=True),
    Route("notices/off", "notices_off", anyone=True, from_anywhere=True),
    Route("reports/confirm", "report_confirm", anyone=True),
    Route("reports/off", "report_off", anyone=True, from_anywhere=True),
    Route("settings/assistants", "assistants", label="Assistants", group="Workspace", right="manage_keys"),
    Route("settings/keys", "keys", label="API keys", group="Workspace", right="manage_keys"),
    Route("settings/keys/{keyId}", "key", within="keys"),
    Route("settings/people", "people", label="People", group="Workspace", right="manage_people"),
    Route("settings/people/{personId}", "person", within="people"),
    Route("settings/webhooks", "webhooks", label="Webhooks", group="Workspace", right="manage_endpoints"),
    Route("settings/webhooks/{endpointId}", "webhook", within="webhooks"),
    Route("settings/webhooks/{endpointId}/deliveries/{deliveryId}", "webhook_delivery", within="webhooks"),
    Route("settings/reports", "report_brand", label="Client reports", group="Workspace", right="brand_reports"),
    Route("settings/plan", "plan", label="Plan and use", group="Workspace", right="change_plan"),
    Route("settings/log", "log", label="Who did what", group="Workspace", right="read_log"),
    Route("google/callback", "google_callback", within="portfolio", secret_query=True),
    Route("sites/{siteId}", "overview", label="Overview"),
    Route("sites/{siteId}/actions", "actions", label="Actions"),
    Route("sites/{siteId}/actions/review", "review", within="actions"),
    Route("sites/{siteId}/issues", "issues", label="Issues"),
    Route("sites/{siteId}/issues/{issueId}", "issue", within="issues"),
    Route("sites/{siteId}/issues/{issueId}/images", "alt_texts", within="issues"),
    Route("sites/{siteId}/pages", "pages", label="Pages"),
    Route("sites/{siteId}/pages/watched", "watched", within="pages"),
    Route("sites/{siteId}/pages/{pageId}", "page", within="pages"),
    Route("sites/{siteId}/search", "search", label="Search", group="Search"),
    Route("sites/{siteId}/topics", "topics", label="Topics", group="Search"),
    Route("sites/{siteId}/analytics", "analytics", label="Conversions", group="Search"),
    Route("sites/{siteId}/ai-readiness", "readiness", label="AI readiness", group="AI"),
    Route("sites/{siteId}/ai-readiness/crawlers", "crawler_rules", within="readiness"),
    Route("sites/{siteId}/ai-readiness/llms-txt", "llms_text", within="readiness"),
    Route("sites/{siteId}/ai-visibility", "visibility", label="AI visibility", group="AI"),
    Route("sites/{siteId}/ai-visibility/questions", "questions", within="visibility"),
    Route("sites/{siteId}/agentic", "agentic", label="Agentic browsing", group="AI"),
    Route("sites/{siteId}/performance", "performance", label="Speed", group="Website"),
    Route("sites/{siteId}/audits", "audits", label="Audits", group="Website"),
    Route("sites/{siteId}/audits/{auditId}", "audit", within="audits"),
    Route("sites/{siteId}/redirects", "redirects", label="Redirects", group="Website"),
    Route("sites/{siteId}/changes", "changes", label="Changes", group="Website"),
    Route("sites/{siteId}/changes/{batchId}", "change_batch", within="changes"),
    Route("sites/{siteId}/changes/{batchId}/undo", "change_undo", within="changes"),
    Route("sites/{siteId}/reports", "reports", label="Client report", group="Website", right="work"),
    Route("sites/{siteId}/connections", "connections", label="Connections", group="Website"),
    Route("sites/{siteId}/settings", "settings", label="Settings", group="Website"),
)


class Match(NamedTuple):
    """A route, and the values in its path."""

    route: Route
    names: Mapping[str, str]


def match(path: str) -> Match | None:
    """Return the route of a path below the root. The path is as the browser sent it. Returns None if no route
    matches."""
    parts = path.split("/")
    for route in ROUTES:
        own = route.path.split("/")
        if len(own) == len(parts):
            names: dict[str, str] = {}
            for mine, sent in zip(own, parts, strict=True):
                if mine.startswith("{") and sent:
                    names[mine[1:-1]] = unquote(sent)
                elif mine != sent:
                    break
            else:
                return Match(route, names)
    return None


def rail(of_website: bool, has: Callable[[Right], bool]) -> list[tuple[Group, list[Route]]]:
    """Return the screens in the navigation, by group: either the screens of a website or the screens of the workspace.

    ``has``: whether the signed-in person has a right.
    """
    shown = [
        one
        for one in ROUTES
        if one.label is not None and one.path.startswith(OF_WEBSITE) == of_website and has(one.right)
    ]
    found = [(group, [route for route in shown if route.group == group]) for group in GROUPS]
    return [(group, routes) for group, routes in found if routes]

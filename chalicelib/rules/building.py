"""Builds the website as a whole from its crawls and other data, for audits and rechecks."""

from chalicelib.domain.audit.inputs import SiteInputs
from chalicelib.domain.page.facts import SiteFacts
from chalicelib.rules.context import SiteBuilder


def site_builder(
    site_facts: SiteFacts, now: float, beside: SiteInputs, had: frozenset[str] = frozenset()
) -> SiteBuilder:
    """Return a builder for the website's addresses. ``now``: epoch seconds.

    ``had``: names of the inputs that earlier judgements of the website used. If one of these inputs is missing in
    ``beside``, the rules that need it decide nothing.
    """
    return SiteBuilder(
        site_facts,
        now=now,
        search=beside.search,
        speed=beside.speed,
        rendered=beside.rendered,
        content=beside.content,
        agentic=beside.agentic,
        lacks=had - beside.names,
    )

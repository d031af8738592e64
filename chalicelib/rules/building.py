"""Builds the website as a whole from its crawls and other data, for audits and rechecks."""

from chalicelib.domain.audit.inputs import SiteInputs
from chalicelib.domain.page.facts import SiteFacts
from chalicelib.rules.context import SiteBuilder


def site_builder(
    site_facts: SiteFacts, now: float, beside: SiteInputs, had: frozenset[str] = frozenset()
) -> SiteBuilder:
    """Return a builder for the website's addresses.

    - ``now``: epoch seconds.
    - ``beside``: data that does not come from a crawl, such as search data.
    - ``had``: the kinds of data from outside the crawl that earlier judgements of the website used. If ``beside`` lacks
      one of these kinds, the rules that need it give no verdict.
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

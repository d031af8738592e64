"""The suggestions of an audit.

They are collected page by page during judging, and chosen for the whole website at the end. Of each page, only a few
short candidate texts are kept until then.

Failure policy: a page that did not answer stays in the issue's list of pages, without a suggestion. A suggestion of an
older audit is never reused, because other pages may have that text by now.
"""

from collections.abc import Iterable, Mapping, Sequence

from chalicelib.domain.audit.records import AffectedPage
from chalicelib.domain.page.facts import PageFacts
from chalicelib.domain.suggestion import WRITABLE_FIELDS, Suggested
from chalicelib.rules import registry
from chalicelib.rules.articles import is_article
from chalicelib.rules.context import Site
from chalicelib.rules.suggested_descriptions import Descriptions
from chalicelib.rules.suggested_texts import Headings
from chalicelib.rules.suggested_titles import Titles
from chalicelib.rules.suggested_values import Values
from chalicelib.rules.website_titles import shared_title


class Suggester:
    """Collects possible values for the affected pages of one website.

    - ``known_titles``: titles in the CMS, by address; None without synced content.
    - ``composed_before``: see ``Descriptions``.
    """

    def __init__(
        self,
        site: Site,
        site_id: str,
        known_titles: Mapping[str, str] | None = None,
        composed_before: Mapping[str, str] | None = None,
    ) -> None:
        shared = site.once(shared_title)
        headings = Headings(site, shared)
        self._site = site
        self._titles = Titles(site, shared, headings, known_titles)
        self._descriptions = Descriptions(site, shared, headings, composed_before)
        self._values = Values(site, site_id, shared)

    def add(self, facts: PageFacts, rule_ids: Iterable[str]) -> None:
        """Collect the values of one page and the rules that fire on it. ``facts`` are not stored."""
        fired = frozenset(rule_ids)
        fields = {field for rule_id in fired if (field := registry.BY_ID[rule_id].writable_field) is not None}
        if not fields or facts.url not in self._site.addresses:
            return
        address = self._site.addresses[facts.url]
        kept = self._values.kept_copy(facts, address) if not fields.isdisjoint(("title", "meta_description")) else None
        if "title" in fields:
            self._titles.add(facts, fired, kept)
        if "meta_description" in fields:
            self._descriptions.add(facts, address, kept)
        if "canonical" in fields:
            self._values.add_canonical(facts, address, fired)
        if "noindex" in fields:
            self._values.add_noindex(address, fired, is_article=is_article(facts))

    def finish(
        self, affected: Mapping[str, Sequence[AffectedPage]], site_rules: Iterable[str] = ()
    ) -> dict[str, Suggested]:
        """Return the suggestions by rule.

        ``affected``: the affected pages of each rule. ``site_rules``: the site rules that fire.
        """
        self._titles.choose()
        self._descriptions.choose()
        note = self._titles.letter_case_note()
        result: dict[str, Suggested] = {}
        for rule_id, pages in affected.items():
            field = registry.BY_ID[rule_id].writable_field
            if field not in WRITABLE_FIELDS:
                continue
            listed = sorted(pages, key=lambda page: page.url)
            if field == "title":
                chosen = [self._titles.of_page(page, rule_id) for page in listed]
            elif field == "meta_description":
                chosen = [self._descriptions.of_page(page) for page in listed]
            else:
                chosen = [self._values.of_page(page, field, rule_id) for page in listed]
            result[rule_id] = Suggested(chosen, note if field == "title" else None)
        for rule_id in site_rules:
            of_site = self._values.of_site_rule(rule_id)
            if of_site:
                result[rule_id] = Suggested(of_site)
        return result

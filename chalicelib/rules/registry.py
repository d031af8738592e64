"""All rules, in the order in which they are judged, listed and documented."""

import hashlib
from collections.abc import Mapping
from importlib import import_module
from typing import Final, Protocol

from chalicelib.domain.audit import score as scoring
from chalicelib.domain.audit.ignoring import Aside
from chalicelib.domain.audit.score import RuleShare, ScoredRule
from chalicelib.domain.severity import Severity
from chalicelib.rules.model import Rule

__all__ = [
    "BY_ID",
    "FILES",
    "RULES",
    "RULESET",
    "SCORE_VERSION",
    "TITLES_AND_SEVERITIES",
    "Rule",
    "ruleset_of",
    "scored",
    "shares",
]

# The files of the rules by folder. Their order is that in which rules are judged, listed and documented. A new rule is
# one line here.
FILES: Final[Mapping[str, tuple[str, ...]]] = {
    "onp": (
        "seo_onp_001_title_missing",
        "seo_onp_002_title_duplicated",
        "seo_onp_003_several_titles",
        "seo_onp_004_title_too_short",
        "seo_onp_005_title_too_long",
        "seo_onp_006_title_says_nothing",
        "seo_onp_008_title_breaks_template",
        "seo_onp_010_description_missing",
        "seo_onp_011_description_duplicated",
        "seo_onp_012_013_description_length",
        "seo_onp_014_several_descriptions",
        "seo_onp_015_h1_missing",
        "seo_onp_016_several_h1",
        "seo_onp_018_heading_levels_skipped",
        "seo_onp_019_language_missing",
        "seo_onp_020_viewport_missing",
        "seo_onp_021_head_tags_in_body",
        "seo_onp_023_snippets_forbidden",
        "seo_onp_024_url_hard_to_read",
        "seo_onp_025_language_differs",
    ),
    "tec": (
        "seo_tec_001_robots_blocks_site",
        "seo_tec_002_home_noindex",
        "seo_tec_003_server_error",
        "seo_tec_004_client_error_linked",
        "seo_tec_005_soft_404",
        "seo_tec_006_timeout",
        "seo_tec_007_crawler_refused",
        "seo_tec_008_important_noindex",
        "seo_tec_009_noindex_in_sitemap",
        "seo_tec_010_noindex_unreadable",
        "seo_tec_011_conflicting_directives",
        "seo_tec_012_disallowed_but_linked",
        "seo_tec_013_canonical_missing",
        "seo_tec_014_017_canonical_target",
        "seo_tec_018_several_canonicals",
        "seo_tec_019_canonical_form",
        "seo_tec_020_one_canonical",
        "seo_tec_021_home_variants",
        "seo_tec_022_redirect_chain",
        "seo_tec_023_redirect_loop",
        "seo_tec_025_needs_javascript",
        "seo_tec_026_html_too_large",
        "seo_tec_028_parameter_duplicates",
        "seo_tec_030_robots_txt_errors",
        "seo_tec_034_canonical_elsewhere",
        "seo_tec_035_changed_by_javascript",
        "seo_tec_040_home_forwards",
        "seo_tec_041_042_scripts_and_styles",
        "seo_tec_043_scripts_closed",
        "seo_tec_044_canonical_to_other_text",
    ),
    "smp": (
        "seo_smp_001_no_sitemap",
        "seo_smp_002_sitemap_not_readable",
        "seo_smp_003_sitemap_lists_dead_addresses",
        "seo_smp_004_non_canonical_listed",
        "seo_smp_005_blocked_listed",
        "seo_smp_006_not_in_sitemap",
        "seo_smp_008_lastmod_not_real",
    ),
    "lnk": (
        "seo_lnk_001_broken_link",
        "seo_lnk_002_link_to_redirect",
        "seo_lnk_003_orphan_page",
        "seo_lnk_005_too_deep",
        "seo_lnk_006_no_outgoing_links",
        "seo_lnk_007_nofollow_internal",
        "seo_lnk_008_broken_external",
        "seo_lnk_009_not_crawlable",
        "seo_lnk_010_vague_text",
        "seo_lnk_012_wrong_places",
    ),
    "img": (
        "seo_img_001_alt_missing",
        "seo_img_003_alt_is_file_name",
        "seo_img_004_005_image_files",
        "seo_img_006_no_dimensions",
        "seo_img_007_main_image_lazy",
    ),
    "sch": (
        "seo_sch_001_does_not_parse",
        "seo_sch_002_required_property_missing",
        "seo_sch_003_differs_from_page",
        "seo_sch_004_template_without_type",
        "seo_sch_005_breadcrumb_markup",
        "seo_sch_008_says_nothing",
    ),
    "hre": (
        "seo_hre_001_no_return_link",
        "seo_hre_002_bad_target",
        "seo_hre_003_invalid_code",
        "seo_hre_004_no_self_reference",
        "seo_hre_006_contradicting_set",
    ),
    "sec": (
        "seo_sec_001_page_on_http",
        "seo_sec_002_mixed_content",
        "seo_sec_003_hsts_missing",
        "seo_sec_004_headers_missing",
        "seo_sec_005_form_on_http",
        "seo_sec_006_certificate",
    ),
    "prf": (
        "seo_prf_001_003_web_vitals",
        "seo_prf_004_slow_answer",
        "seo_prf_005_no_compression",
        "seo_prf_007_dom_too_large",
    ),
    "con": (
        "seo_con_001_thin_page",
        "seo_con_002_exact_duplicate",
        "seo_con_003_near_duplicate",
        "seo_con_004_empty_archive",
        "seo_con_005_placeholder_text",
        "seo_con_008_account_page_indexable",
    ),
    "aeo": (
        "seo_aeo_001_search_crawlers_blocked",
        "seo_aeo_002_003_other_crawlers_blocked",
        "seo_aeo_004_fetchers_get_another_answer",
        "seo_aeo_005_llms_txt_missing",
        "seo_aeo_006_007_llms_txt_content",
        "seo_aeo_008_no_organization",
        "seo_aeo_009_no_profiles",
        "seo_aeo_010_contact_data_disagree",
        "seo_aeo_011_no_about_or_contact",
        "seo_aeo_012_question_without_answer",
        "seo_aeo_015_snippet_limited",
        "seo_aeo_016_signals_contradict_robots",
        "seo_aeo_017_content_needs_scripts",
        "seo_aeo_018_019_closed_by_firewall",
    ),
    "agt": ("seo_agt_001_006_agentic_checks",),
}


def _rules_of(folder: str, file: str) -> tuple[Rule, ...]:
    """Return the rules of a file: its ``RULE``, or the ``RULES`` of a family in order."""
    module = import_module(f"chalicelib.rules.{folder}.{file}")
    rules: tuple[Rule, ...] = module.RULES if hasattr(module, "RULES") else (module.RULE,)
    return rules


RULES: Final[tuple[Rule, ...]] = tuple(
    rule for folder, files in FILES.items() for file in files for rule in _rules_of(folder, file)
)

# By rule id: what events say about an issue besides its id.
TITLES_AND_SEVERITIES: Final[Mapping[str, tuple[str, Severity]]] = {
    rule.id: (rule.title, rule.severity) for rule in RULES
}

BY_ID: Final[Mapping[str, Rule]] = {rule.id: rule for rule in RULES}


def is_critical(rule_id: str) -> bool:
    """Whether issues of the rule count as critical. Returns False for a rule that is no longer registered."""
    rule = BY_ID.get(rule_id)
    return rule is not None and rule.severity == "critical"


class Counts(Protocol):
    """A rule's counts: how many pages it applies to, and how many it affects. ``units``: see ``RuleShare``."""

    @property
    def applicable(self) -> int: ...

    @property
    def affected(self) -> int: ...

    @property
    def units(self) -> int | None: ...


def scored(rule: Rule) -> ScoredRule:
    """Return the properties of a rule from which the score is computed."""
    return ScoredRule(rule.id, rule.category, rule.weight, rule.kappa, rule.gate)


def shares(counts: Mapping[str, Counts], aside: Mapping[str, Aside] | None = None) -> list[RuleShare]:
    """Return, for computing the score, how many pages each rule applies to and how many it affects.

    Rules that are no longer registered are left out.

    - ``counts``: the counts of each rule, by its id.
    - ``aside``: the affected pages of each rule that people ignore. They are left out when the service estimates by how
      many points the score rises once the issue is resolved (the gain).
    """
    return [
        _share(BY_ID[rule_id], count, (aside or {}).get(rule_id))
        for rule_id, count in counts.items()
        if rule_id in BY_ID
    ]


def _share(rule: Rule, count: Counts, aside: Aside | None) -> RuleShare:
    share = RuleShare(scored(rule), count.applicable, count.affected, count.units)
    if aside is None:
        return share
    units = None if count.units is None else min(count.units, aside.units)
    return share._replace(ignored=aside.pages, ignored_units=units)


def ruleset_of(rules: tuple[Rule, ...]) -> str:
    """Return a short id made from the score's version and from all properties of these rules that affect the score."""
    digest = hashlib.sha256(f"score {scoring.VERSION}".encode())
    for rule in sorted(rules, key=lambda rule: rule.id):
        parts = (
            rule.id,
            rule.category,
            rule.severity,
            rule.confidence,
            rule.scope,
            rule.population,
            rule.weight,
            rule.effort,
            rule.gate,
        )
        digest.update(repr(parts).encode())
    return digest.hexdigest()[:12]


RULESET: Final = ruleset_of(RULES)
# How a published score was computed. Scores are compared only if all of this is equal.
SCORE_VERSION: Final = f"{scoring.VERSION}-{RULESET}"

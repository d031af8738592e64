"""All rules, in the order in which they are judged, listed and documented."""

import hashlib
from collections.abc import Mapping
from typing import Final, Protocol

from chalicelib.domain.audit.score import VERSION as SCORE_VERSION
from chalicelib.domain.audit.score import RuleShare, ScoredRule
from chalicelib.rules.aeo import (
    seo_aeo_001_search_crawlers_blocked,
    seo_aeo_005_llms_txt_missing,
    seo_aeo_008_no_organization,
    seo_aeo_015_snippet_limited,
)
from chalicelib.rules.con import seo_con_001_thin_page, seo_con_002_exact_duplicate
from chalicelib.rules.hre import seo_hre_003_invalid_code
from chalicelib.rules.img import seo_img_001_alt_missing
from chalicelib.rules.lnk import (
    seo_lnk_001_broken_link,
    seo_lnk_002_link_to_redirect,
    seo_lnk_003_orphan_page,
    seo_lnk_005_too_deep,
)
from chalicelib.rules.model import Rule
from chalicelib.rules.onp import (
    seo_onp_001_title_missing,
    seo_onp_002_title_duplicated,
    seo_onp_003_several_titles,
    seo_onp_005_title_too_long,
    seo_onp_010_description_missing,
    seo_onp_011_description_duplicated,
    seo_onp_015_h1_missing,
    seo_onp_019_language_missing,
    seo_onp_020_viewport_missing,
    seo_onp_023_snippets_forbidden,
)
from chalicelib.rules.prf import seo_prf_005_no_compression
from chalicelib.rules.sch import seo_sch_001_does_not_parse, seo_sch_004_template_without_type
from chalicelib.rules.sec import seo_sec_001_page_on_http, seo_sec_003_hsts_missing
from chalicelib.rules.smp import seo_smp_001_no_sitemap, seo_smp_003_sitemap_lists_dead_addresses
from chalicelib.rules.tec import (
    seo_tec_001_robots_blocks_site,
    seo_tec_002_home_noindex,
    seo_tec_003_server_error,
    seo_tec_004_client_error_linked,
    seo_tec_009_noindex_in_sitemap,
    seo_tec_014_017_canonical_target,
    seo_tec_022_redirect_chain,
)

__all__ = ["BY_ID", "RULES", "RULESET", "SCORE_VERSION", "TOLD", "Rule", "ruleset_of", "scored", "shares"]

RULES: Final[tuple[Rule, ...]] = (
    seo_onp_001_title_missing.RULE,
    seo_onp_002_title_duplicated.RULE,
    seo_onp_003_several_titles.RULE,
    seo_onp_005_title_too_long.RULE,
    seo_onp_010_description_missing.RULE,
    seo_onp_011_description_duplicated.RULE,
    seo_onp_015_h1_missing.RULE,
    seo_onp_019_language_missing.RULE,
    seo_onp_020_viewport_missing.RULE,
    seo_onp_023_snippets_forbidden.RULE,
    seo_tec_001_robots_blocks_site.RULE,
    seo_tec_002_home_noindex.RULE,
    seo_tec_003_server_error.RULE,
    seo_tec_004_client_error_linked.RULE,
    seo_tec_009_noindex_in_sitemap.RULE,
    seo_tec_014_017_canonical_target.BROKEN,
    seo_tec_014_017_canonical_target.REDIRECT,
    seo_tec_014_017_canonical_target.NOT_INDEXABLE,
    seo_tec_014_017_canonical_target.CHAIN,
    seo_tec_022_redirect_chain.RULE,
    seo_smp_001_no_sitemap.RULE,
    seo_smp_003_sitemap_lists_dead_addresses.RULE,
    seo_lnk_001_broken_link.RULE,
    seo_lnk_002_link_to_redirect.RULE,
    seo_lnk_003_orphan_page.RULE,
    seo_lnk_005_too_deep.RULE,
    seo_img_001_alt_missing.RULE,
    seo_sch_001_does_not_parse.RULE,
    seo_sch_004_template_without_type.RULE,
    seo_hre_003_invalid_code.RULE,
    seo_sec_001_page_on_http.RULE,
    seo_sec_003_hsts_missing.RULE,
    seo_prf_005_no_compression.RULE,
    seo_con_001_thin_page.RULE,
    seo_con_002_exact_duplicate.RULE,
    seo_aeo_001_search_crawlers_blocked.RULE,
    seo_aeo_005_llms_txt_missing.RULE,
    seo_aeo_008_no_organization.RULE,
    seo_aeo_015_snippet_limited.RULE,
)

# Title and severity by rule id: what events tell of an issue's rule.
TOLD: Final[Mapping[str, tuple[str, str]]] = {rule.id: (rule.title, rule.severity) for rule in RULES}

BY_ID: Final[Mapping[str, Rule]] = {rule.id: rule for rule in RULES}


def is_critical(rule_id: str) -> bool:
    """Whether issues of the rule count as critical. One that is no longer registered does not."""
    rule = BY_ID.get(rule_id)
    return rule is not None and rule.severity == "critical"


class Counts(Protocol):
    """How many pages a rule applied to and how many it affects."""

    @property
    def applicable(self) -> int: ...

    @property
    def affected(self) -> int: ...


def scored(rule: Rule) -> ScoredRule:
    """What the score knows of a rule."""
    return ScoredRule(rule.id, rule.category, rule.weight, rule.kappa, rule.gate)


def shares(counts: Mapping[str, Counts]) -> list[RuleShare]:
    """The score's input: counts by rule id. Rules that are no longer registered count for nothing."""
    return [
        RuleShare(scored(BY_ID[rule_id]), count.applicable, count.affected)
        for rule_id, count in counts.items()
        if rule_id in BY_ID
    ]


def ruleset_of(rules: tuple[Rule, ...]) -> str:
    """A short name of everything about these rules that moves the score, and of the score's own version."""
    digest = hashlib.sha256(f"score {SCORE_VERSION}".encode())
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

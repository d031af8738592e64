"""Whether the website's sitemaps can be judged at all."""

from chalicelib.rules.context import Site


def was_read(site: Site) -> bool:
    """Whether every sitemap had the time to answer: what a slow file would have listed, nobody knows."""
    return not site.facts.sitemap_late

"""Decides whether the website's sitemaps can be judged at all."""

from chalicelib.rules.context import Site


def was_read(site: Site) -> bool:
    """Whether every sitemap answered in time. The entries of a sitemap that did not answer are unknown."""
    return not site.facts.sitemap_late

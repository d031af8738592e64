"""Tables of SEO-AEO-016."""

from tests.rules.builders import Case, robots, site_case, site_facts


def saying(text: str, status: int = 200) -> Case:
    """A website with this robots.txt."""
    return site_case(site=site_facts(robots=robots(text, status)))


FAILS = {
    "search=yes for a crawler that is kept out": site_case(
        site=site_facts(robots=robots("User-agent: OAI-SearchBot\nContent-Signal: search=yes\nDisallow: /\n")),
        seen={
            "contradictions": [
                {
                    "lineNumber": 2,
                    "field": "content-signal",
                    "value": "search=yes",
                    "bot": "OAI-SearchBot",
                    "against": 'line 3 ("Disallow: /") keeps OAI-SearchBot out',
                }
            ]
        },
        says='"Content-Signal: search=yes"',
    ),
    "ai-input=yes for everybody": saying("User-agent: *\nContent-Signal: ai-input=yes, ai-train=no\nDisallow: /\n"),
    "the other spelling": saying("User-agent: *\nContent-Usage: search=y\nDisallow: /\n"),
    "no to a search crawler that is let in by name": saying(
        "User-agent: PerplexityBot\nContent-Signal: search=no\nAllow: /\n"
    ),
}
FAILS |= {
    "the other standard's words in a Content-Signal line": site_case(
        site=site_facts(robots=robots("User-agent: *\nContent-Signal: search=yes, train-ai=n\nAllow: /\n")),
        seen={
            "contradictions": [],
            "malformed": [
                {
                    "lineNumber": 2,
                    "field": "content-signal",
                    "value": "search=yes, train-ai=n",
                    "part": "train-ai=n",
                    "why": "train-ai is a key of Content-Usage",
                }
            ],
        },
        says="train-ai is a key of Content-Usage",
    ),
    "the other standard's words in a Content-Usage line": saying(
        "User-agent: *\nContent-Usage: ai-train=no\nAllow: /\n"
    ),
    "the other standard's values": saying("User-agent: *\nContent-Signal: search=y\nAllow: /\n"),
    "a value that use does not take": saying("User-agent: *\nContent-Signal: use=yes\nAllow: /\n"),
    "a word without a value": saying("User-agent: *\nContent-Signal: search\nAllow: /\n"),
    "a key with an underscore": saying("User-agent: *\nContent-Signal: ai_train=no\nAllow: /\n"),
    "nothing at all": saying("User-agent: *\nContent-Signal:\nAllow: /\n"),
}
PASSES = {
    "all four keys": saying(
        "User-agent: *\nContent-Signal: search=yes,ai-input = yes, ai-train=no,use=reference\nAllow: /\n"
    ),
    "usage preferences of a path": saying("User-agent: *\nContent-Usage: /a train-ai=n, search=y\nAllow: /\n"),
    "a key that is new": saying("User-agent: *\nContent-Signal: search=yes, ai-print=maybe\nAllow: /\n"),
    "a value that is too long to be kept whole": saying(
        f"User-agent: *\nContent-Signal: {'search=yes, ' * 16}ai-train=no, ai-train=no\nAllow: /\n"
    ),
    "yes, and let in": saying("User-agent: *\nContent-Signal: search=yes, ai-train=no\nAllow: /\n"),
    "no, and kept out": saying("User-agent: PerplexityBot\nContent-Signal: search=no\nDisallow: /\n"),
    "no to everybody": saying("User-agent: *\nContent-Signal: ai-input=no\nAllow: /\n"),
    "training may differ": saying("User-agent: GPTBot\nContent-Signal: ai-train=yes\nDisallow: /\n"),
    "a part of the website": saying("User-agent: *\nContent-Signal: search=yes\nDisallow: /cart/\n"),
}
NOT_APPLICABLE = {
    "no such line": saying("User-agent: *\nDisallow: /\n"),
    "robots.txt fails": saying("", 500),
}
TABLES = {"SEO-AEO-016": (FAILS, PASSES, NOT_APPLICABLE)}

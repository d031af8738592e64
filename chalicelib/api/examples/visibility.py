"""Examples of AI visibility."""

from collections.abc import Mapping
from typing import Any, Final

from chalicelib.api.examples.shared import SHOP, WHOLE

_PROMPT: Final = "prm_01JDBY7QKZ6N8V2H4T5M9W3XRE"

EXAMPLES: Final[Mapping[str, Any]] = {
    "read_visibility": {
        "offset": 0,
        "nextOffset": 1,
        "truncated": False,
        "weeks": [
            {
                "week": "2026-W47",
                "answers": 199,
                "named": 60,
                "cited": 48,
                "mentionRate": 0.3015075376884422,
                "mentionInterval": {"low": 0.2420, "high": 0.3685},
                "citationRate": 0.24120603015075376,
                "citationInterval": {"low": 0.1870, "high": 0.3051},
                "asked": 200,
                "failed": 0,
                "refused": 1,
                "unsearched": 0,
                "notAsked": 0,
                "promptsAsked": 50,
                "truncated": True,
                "prompts": [
                    {
                        "promptId": _PROMPT,
                        "prompt": "Which hiking jackets keep dry in a week of rain?",
                        "locale": "en-GB",
                        "active": True,
                        "answers": [
                            {
                                "model": "gpt-5-mini-2025-08-07",
                                "modelName": "GPT-5 mini",
                                "provider": "openai",
                                "namedUs": True,
                                "citedUs": True,
                                "citedUrls": [f"{SHOP}/hiking-jackets/", "https://reviews.example.org/jackets"],
                                "sources": ["shop.example.com", "reviews.example.org"],
                                "position": 2,
                                "listed": 5,
                                "answeredAt": "2026-11-16T03:00:41Z",
                            }
                        ],
                    }
                ],
            }
        ],
    },
    "read_visibility_gaps": {
        "total": 1,
        **WHOLE,
        "gaps": [
            {
                "promptId": _PROMPT,
                "prompt": "Which hiking jackets keep dry in a week of rain?",
                "answers": 16,
                "namedUs": 0,
                "citedOthers": ["reviews.example.org", "outdoor.example.net"],
            }
        ],
    },
}

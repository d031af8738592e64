"""Examples of content that a CMS sends."""

from collections.abc import Mapping
from typing import Any, Final

EXAMPLES: Final[Mapping[str, Any]] = {
    "put_content.body": {
        "items": [
            {
                "cmsId": "post-17",
                "url": "https://www.example.com/hiking-jackets/",
                "type": "post",
                "status": "published",
                "title": "Hiking jackets",
                "modifiedAt": "2026-11-21T16:20:00Z",
                "fields": {
                    "title": "Hiking jackets for rain and snow | Example",
                    "meta_description": None,
                    "canonical": None,
                    "noindex": False,
                },
                "deleted": False,
            }
        ]
    },
    "put_content": {"accepted": 1},
    "post_alert.body": {
        "kind": "content_changed",
        "at": "2026-11-21T16:20:00Z",
        "urls": ["https://www.example.com/hiking-jackets/", "https://www.example.com/rain-jackets/"],
        "detail": "A post was published under another address.",
    },
    "post_alert": {"accepted": 2},
}

"""Which protection stands before a website."""

import pytest

from chalicelib.domain.page.protections import protection_of


@pytest.mark.parametrize(
    ("headers", "name"),
    [
        ({"cf-mitigated": "challenge"}, "Cloudflare"),
        ({"server": "cloudflare"}, "Cloudflare"),
        ({"server": "AkamaiGHost"}, "Akamai"),
        ({"server": " Sucuri/Cloudproxy"}, "Sucuri"),
        ({"x-amzn-waf-action": "captcha", "server": "CloudFront"}, "AWS WAF"),
        ({"x-datadome": "protected", "server": "cloudflare"}, "DataDome"),
        ({"x-iinfo": "1-2-3"}, "Imperva"),
        ({"server": "nginx"}, None),
        ({"server": "not cloudflare"}, None),
        ({}, None),
    ],
)
def test_a_bot_protection_is_recognised_by_its_headers(headers: dict[str, str], name: str | None) -> None:
    assert protection_of(headers) == name

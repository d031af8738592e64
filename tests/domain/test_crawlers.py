"""The list of crawlers that ships with the service."""

from chalicelib.domain.crawlers import crawler_list, find
from chalicelib.rules.aeo.seo_aeo_001_search_crawlers_blocked import CRAWLERS


def test_crawlers_use_only_listed_purposes_and_kinds_and_unique_names() -> None:
    listed = crawler_list()
    assert len(listed.crawlers) == 34
    assert {crawler.purpose for crawler in listed.crawlers} <= set(listed.purposes)
    assert {crawler.kind for crawler in listed.crawlers} <= set(listed.kinds)
    assert len({crawler.bot.casefold() for crawler in listed.crawlers}) == len(listed.crawlers)


def test_a_token_that_is_used_only_in_robots_txt_has_no_user_agent() -> None:
    for crawler in crawler_list().crawlers:
        assert (crawler.user_agent_contains is None) == (crawler.kind == "token_only")


def test_a_crawler_name_is_found_in_any_letter_case() -> None:
    found = find("gptbot")
    assert found is not None and (found.bot, found.owner, found.purpose) == ("GPTBot", "OpenAI", "training")
    assert find("anthropic-ai") is None


def test_a_renamed_crawler_is_listed_only_by_its_new_name() -> None:
    assert find("Google-GeminiNotebook") is not None and find("Google-NotebookLM") is None
    assert "Google-NotebookLM" in crawler_list().retired_tokens.tokens


def test_retired_crawlers_are_not_listed() -> None:
    assert all(find(token) is None for token in crawler_list().retired_tokens.tokens)


def test_crawlers_needed_for_search_have_the_purpose_search() -> None:
    for name in CRAWLERS:
        found = find(name)
        assert found is not None and found.purpose == "search"

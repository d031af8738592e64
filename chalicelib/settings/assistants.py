"""Settings of the AI assistants: which assistant drafts, which ones answer prompts, and each provider's key and
address."""

from dataclasses import dataclass

from chalicelib.settings.reading import read, secret, setting


@dataclass(frozen=True, slots=True)
class AssistantSettings:
    """The settings, as the unchanged text of their environment variables.

    Each provider has ``<provider>_api_key`` and ``<provider>_base_url``.
    """

    assistant: str = setting(
        "ASSISTANT",
        "",
        "the assistant that drafts explanations and descriptions: openai, anthropic, gemini or perplexity; empty: none",
    )
    model: str = setting("ASSISTANT_MODEL", "", "the model that drafts; empty: the provider's default model")
    drafts_a_day: str = setting(
        "DRAFTS_A_DAY",
        "0",
        "the most descriptions drafted for a workspace in a day; 0: none. First read 100 drafts (drafts read)",
    )
    sampling_models: str = setting(
        "SAMPLING_MODELS",
        "",
        "the models asked for AI visibility, such as openai=gpt-5,gemini=gemini-pro-latest; empty: defaults",
    )
    sampling_answers: str = setting(
        "SAMPLING_ANSWERS", "500", "the most answers for AI visibility in a week, per workspace"
    )
    openai_api_key: str = secret("OPENAI_API_KEY", "OpenAI's API key (secret)")
    openai_base_url: str = setting("OPENAI_BASE_URL", "https://api.openai.com", "where OpenAI's API is")
    anthropic_api_key: str = secret("ANTHROPIC_API_KEY", "Anthropic's API key (secret)")
    anthropic_base_url: str = setting("ANTHROPIC_BASE_URL", "https://api.anthropic.com", "where Anthropic's API is")
    gemini_api_key: str = secret("GEMINI_API_KEY", "Gemini's API key (secret)")
    gemini_base_url: str = setting(
        "GEMINI_BASE_URL", "https://generativelanguage.googleapis.com", "where Gemini's API is"
    )
    perplexity_api_key: str = secret("PERPLEXITY_API_KEY", "Perplexity's API key (secret)")
    perplexity_base_url: str = setting("PERPLEXITY_BASE_URL", "https://api.perplexity.ai", "where Perplexity's API is")


def assistant_settings() -> AssistantSettings:
    """Return the settings of the AI assistants."""
    return read(AssistantSettings)

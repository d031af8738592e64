"""Display names of models and their makers."""

import re
from collections.abc import Mapping
from typing import Final, Literal, get_args

Provider = Literal["openai", "anthropic", "gemini", "perplexity"]
PROVIDERS: Final[tuple[Provider, ...]] = get_args(Provider)

MAKERS: Final[Mapping[str, str]] = {
    "openai": "openai",
    "anthropic": "anthropic",
    "gemini": "google",
    "perplexity": "perplexity",
}
_DATE: Final = re.compile(r"-(?:\d{4}-\d{2}-\d{2}|\d{8}|\d{2}-\d{4})$")
_VERSION: Final = re.compile(r"(?<=\d)-(?=\d)")
_WRITTEN: Final = {"gpt": "GPT", "chatgpt": "ChatGPT", "ai": "AI"}


def model_name(model: str) -> str:
    """Return the usual name of a model: Claude Haiku 4.5 for ``claude-haiku-4-5-20251001``, GPT-5 mini for
    ``gpt-5-mini-2025-08-07``.

    For any other id, the words of the id are returned, capitalised.
    """
    name = _VERSION.sub(".", _DATE.sub("", model.rpartition("/")[2]))
    words = [word for word in name.split("-") if word]
    if words and words[0] == "gpt" and len(words) > 1:
        return " ".join([f"GPT-{words[1]}", *words[2:]])
    return " ".join(_WRITTEN.get(word, word[:1].upper() + word[1:]) for word in words) or model

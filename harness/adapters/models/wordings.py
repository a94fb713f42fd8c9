"""How endpoints word their refusals. Data only: lower-case fragments of error bodies, with where they come from."""

from __future__ import annotations

CONTEXT_TOO_LONG = (
    "context_length_exceeded",  # OpenAI, Azure, Groq (code)
    "maximum context length",  # OpenAI, vLLM, OpenRouter, DeepSeek
    "exceed_context_size",  # llama.cpp (type)
    "exceeds the available context size",  # llama.cpp
    "exceed context window",  # llama-cpp-python
    "context window",  # Anthropic-compatible, Together
    "context length",  # Ollama, LM Studio
    "prompt is too long",  # Anthropic-compatible
    "input is too long",  # Bedrock gateways
    "input length and `max_tokens` exceed",  # Anthropic-compatible
    "maximum prompt length",  # xAI
    "input token count",  # Gemini
    "range of input length",  # DashScope
    "maximum input length",  # DashScope
    "exceeded model token limit",  # Moonshot
    "too many tokens",
    "reduce the length of the messages",
    "max_prompt_tokens",  # Zhipu
    "must have less than",  # TGI: "`inputs` must have less than N tokens"
    "tokens_limit_reached",  # GitHub Models
    "string_above_max_length",  # OpenAI (code)
)

RESPONSE_FORMAT = ("response_format", "response format", "json_schema", "json schema", "structured output", "json mode",
                   "json_object", "guided_json", "guided decoding", "grammar")  # fmt: skip
"""A refusal that names one of these is about the form of structured output."""

BAD_SCHEMA = (
    "invalid schema",  # OpenAI
    "failed to parse grammar",  # llama.cpp
    "json schema conversion failed",  # llama.cpp
    "json schema error",  # llama.cpp
    "unsupported schema",
    "grammar error",
    "schema is too complex",
    "too many states",  # Gemini
)
"""The endpoint takes the form, but not this schema: nothing to remember for other calls."""

PREFILL = (
    "prefill",  # llama.cpp, Anthropic-compatible
    "must end with a user message",  # Anthropic-compatible
    "last message must",  # Mistral
    "last message role",
    "expected last role",  # Mistral
    "last message is from the assistant",  # vLLM with mistral_common
    "continue_final_message",
    "add_generation_prompt",
    "trailing whitespace",  # Anthropic-compatible
    "roles must alternate",  # templates
    "prefix",  # DeepSeek: only its beta address takes it
)

SINGLE_SYSTEM = (
    "system message must be at the beginning",  # Qwen templates
    "system message must be the first",
    "system messages must be at the beginning",
    "only the first message can have the role 'system'",
    "only one system message",
    "unexpected system message",
)

MODEL_UNKNOWN = (
    "model_not_found",  # OpenAI, Groq (code)
    "model_not_exist",
    "no such model",
    "unknown model",
    "invalid model",
    "model not found",
    "model not exist",  # DeepSeek
    "is not a valid model",  # OpenRouter
    "model_not_available",
    "no endpoints found for",  # OpenRouter
    "invalidendpointormodel",  # Volcengine
    "deploymentnotfound",  # Azure
    "model_unknown",
    "not supported model",
)
MODEL_MISSING = ("not found", "not exist", "does not exist", "unknown", "not available", "no access", "not loaded",
                 "not a valid")  # fmt: skip
"""Together with the model id or the word "model" in a 404 body."""

BAD_KEY = ("invalid_api_key", "incorrect api key", "invalid api key", "api key not valid", "api_key_invalid",
           "missing api key", "no api key", "invalid token", "unauthorized")  # fmt: skip
"""In the body of a status other than 401 (Gemini answers 400)."""

CONTENT_FILTER = (
    "content_filter",  # OpenAI, Azure (code)
    "content management policy",  # Azure
    "data_inspection_failed",  # DashScope
    "content_policy_violation",
    "content exists risk",  # DeepSeek
    "sensitivecontentdetected",  # Volcengine
    "prohibited_content",  # Gemini
    "high risk",  # Moonshot
)

NO_CREDIT = ("insufficient_quota", "insufficient balance", "insufficient_balance", "exceeded your current quota",
             "arrearage", "credit balance")  # fmt: skip
"""A 429 or 403 that waiting does not cure."""

NOT_TAKEN = (
    "unsupported",  # OpenAI: unsupported_parameter, unsupported_value
    "not supported",
    "does not support",
    "unrecognized",
    "unknown",
    "unexpected",
    "not permitted",  # pydantic: "Extra inputs are not permitted"
    "not allowed",
    "not available",
    "unavailable",
    "deprecated",
    "not implemented",
)
"""A refusal of a parameter, together with the parameter's name."""

HTTPS_WANTED = ("plain http request was sent to https", "client sent an http request to an https server",
                "speaking plain http to an ssl-enabled")  # fmt: skip

REASONING_TAGS = ("think", "thinking", "reasoning", "thought")
"""Reasoning models put their thoughts into ``<tag>…</tag>`` (or ``[TAG]…[/TAG]``) before the answer."""

PREFILL_BY_HOST = {
    "api.openai.com": "off",
    "openai.azure.com": "off",
    "generativelanguage.googleapis.com": "off",
    "api.deepseek.com": "deepseek",
    "api.mistral.ai": "deepseek",
    "api.anthropic.com": "plain",
    "openrouter.ai": "plain",
}
"""Host suffix to what ``prefill_style = "auto"`` means there. ``deepseek`` (``prefix: true``) is Mistral's form, too."""

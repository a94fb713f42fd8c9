"""Settings of the turn machine."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from harness.settings.section import Section


class EngineSettings(Section):
    """The turn machine."""

    max_turns: int = Field(
        default=0, ge=0, description="Turns after which a session ends with a clear answer. 0: no limit."
    )
    short_term_window: int = Field(
        default=12,
        ge=2,
        description="Newest messages that are always sent as they were said. Older ones are summarized once there are twice as many.",
    )
    summary_trigger_tokens: int = Field(
        default=1500, ge=50, description="Tokens of recent messages above which the oldest are summarized."
    )
    summary_max_tokens: int = Field(default=400, ge=40, description="Longest summary, in tokens.")
    persona_consistency_check: bool = Field(
        default=True, description="Check the user's message before and the reply after it was made."
    )
    check_tier: Literal["rules", "classifier", "model"] = Field(
        default="classifier",
        description="Who checks messages and replies: rules in code; rules and the small classifiers of the language packs (no call); or those and then the evaluator (one more call before and after the reply).",
    )
    analysis: Literal["auto", "combined", "separate", "classifier", "rules"] = Field(
        default="auto",
        description="How a finished turn is analysed: one combined call, one call for each purpose, or without a call by rules, or by rules and the small classifiers of the language packs; auto is combined with a provider and classifier with the embedded model.",
    )
    summarize_with: Literal["auto", "model", "rules"] = Field(
        default="auto",
        description="Who summarizes; auto is the model with a provider and rules with the embedded model.",
    )
    max_revisions: int = Field(
        default=1,
        ge=0,
        le=5,
        description="Rounds of revision after a reply that failed its check. 0 switches revision off.",
    )
    revision_candidates: int = Field(
        default=2, ge=1, le=5, description="Replies sampled in one round of revision, until one passes."
    )
    begin_answers: Literal["auto", "always", "never"] = Field(
        default="auto",
        description="When the user denies a fact, asks for one they told, or mourns: always begins the first answer with the fact or a kind word, never leaves that to revision; auto is always with the embedded model and never with a provider.",
    )
    fallback_line: bool = Field(
        default=True,
        description="When no revision holds a fact that the user denied, answer with a line of the language pack that states it; when every reply breaks character, with one that does not.",
    )
    turn_timeout_s: float = Field(
        default=180.0,
        gt=0,
        description="Seconds after which a turn without a reply is given up; the session is unchanged.",
    )
    when_busy: Literal["wait", "refuse"] = Field(
        default="wait", description="What a second caller of the same session meets."
    )
    background: bool = Field(
        default=True, description="Give the reply as soon as it is durable, and do the bookkeeping behind it."
    )
    max_input_chars: int = Field(default=8000, ge=1, description="Longest message of the user, in characters.")
    context_placement: Literal["auto", "late_system", "user", "first"] = Field(
        default="auto",
        description="Where what changes from turn to turn stands: a late system message, before the user's words, or in the first system message (no stable prefix); auto is late_system until the endpoint refuses it.",
    )
    total_token_budget: int = Field(default=4096, ge=200, description="Most tokens of one prompt.")
    facts_max_tokens: int = Field(
        default=400, ge=0, description="Most tokens of facts in one prompt; pinned ones are never left out."
    )
    tool_result_tokens: int = Field(
        default=400,
        ge=20,
        description="Longest result of a tool, in tokens, that the conversation keeps whole. Of a longer one it keeps a digest and a reference; the whole goes to storage.artifacts.",
    )
    tool_results_shown: int = Field(default=5, ge=0, description="Most results of tools in one prompt.")
    tool_results_max_tokens: int = Field(default=800, ge=0, description="Most tokens of them together.")
    temperature: float = Field(default=0.7, ge=0, le=2, description="Sampling temperature of replies.")
    top_p: float = Field(default=0.9, gt=0, le=1, description="Nucleus sampling of replies.")
    max_reply_tokens: int = Field(default=220, ge=16, description="Longest reply, in tokens.")
    max_reply_chars: int = Field(
        default=8000,
        ge=100,
        description="Longest reply in characters, for endpoints that do not heed max_reply_tokens; a longer one is cut.",
    )
    seed: int | None = Field(
        default=None,
        description="Makes a session repeatable where the endpoint honours seeds. Unset: drawn for each turn.",
    )
    snapshot_every: int = Field(default=20, ge=1, description="Turns between two snapshots of the state.")

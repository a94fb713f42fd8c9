"""Every error the package raises, in one tree.

::

    HarnessError
    ├── ConfigurationError          a setting, persona, prompt or language file is wrong
    │   ├── SettingsError
    │   ├── PersonaError
    │   ├── PromptError
    │   ├── LanguageError
    │   ├── SuiteError              a suite of blind tests
    │   ├── RunError                a run of blind tests cannot be held, read or gone on with
    │   │   └── RunBusy             another process writes into its folder
    │   └── MissingExtra            an optional dependency is not installed
    ├── InputError                  what the user typed cannot become a turn
    │   ├── EmptyInput
    │   ├── OversizedInput
    │   └── MalformedInput
    ├── TurnError                   the turn machine could not finish a turn
    │   ├── StuckTurn
    │   ├── TurnTimeout
    │   ├── SessionBusy
    │   └── BudgetError             the context budget cannot hold what must never be cut
    ├── StateError                  a stored state cannot be read
    │   ├── NewerSchema
    │   └── OperationRejected
    ├── StoreError                  reading or writing sessions failed
    │   ├── SessionNotFound
    │   ├── SessionExists
    │   ├── TurnNotFound
    │   ├── ArtifactNotFound
    │   ├── ConflictError
    │   ├── CorruptStore
    │   └── StorageFull
    ├── ModelError                  the model endpoint could not answer
    │   ├── AuthenticationFailed    401, malformed or missing key
    │   ├── PermissionRefused       403
    │   ├── EndpointNotFound        404 on the path
    │   ├── ModelNotFound           404 on the model id
    │   ├── RateLimited             429
    │   ├── ServerFailed            5xx
    │   ├── BadRequest              400 and other refusals of the request itself
    │   │   ├── ContextTooLong
    │   │   └── UnsupportedFeature  the endpoint does not take this request form
    │   ├── Unreachable             connection refused or reset
    │   │   ├── ProxyUnreachable
    │   │   ├── NameNotResolved     DNS
    │   │   └── TLSFailed
    │   ├── ModelTimeout
    │   └── MalformedReply          the endpoint answered with something that is not a completion
    │       ├── NotJSON             an HTML page, plain text
    │       ├── ErrorBody           200 with an error object
    │       ├── NoChoices
    │       ├── EmptyReply
    │       ├── ContentFiltered
    │       ├── TruncatedStream
    │       └── UnreadableStructure structured output that no reading could save
    └── LocalModelError             the embedded model could not be fetched or started
        ├── DownloadFailed
        ├── ChecksumMismatch
        └── ServerStartFailed

Every error has a ``message`` (what was expected and what came), a ``remedy`` (what to do) and ``details``
(fields for programs). ``str(error)`` shows message and remedy. No error ever carries a key or a password.
"""

from __future__ import annotations


class HarnessError(Exception):
    """Base of every error of this package.

    Attributes:
        message: what was expected and what came instead.
        remedy: what the reader can do about it; may be empty.
        details: fields for programs (``status``, ``session_id`` …); never secrets.
    """

    remedy = ""

    def __init__(self, message: str, *, remedy: str = "", **details: object) -> None:
        super().__init__(message)
        self.message = message
        self.remedy = remedy or type(self).remedy
        self.details = details

    def __str__(self) -> str:
        return f"{self.message} {self.remedy}".rstrip()


class ConfigurationError(HarnessError):
    """A setting, persona, prompt or language file is wrong."""


class SettingsError(ConfigurationError):
    """A setting has an unknown name, a wrong type or an impossible value."""


class PersonaError(ConfigurationError):
    """A persona file is missing or does not hold a usable character."""


class PromptError(ConfigurationError):
    """A prompt template is missing, broken, or asks for a variable that was not given."""


class LanguageError(ConfigurationError):
    """A language pack is missing or does not validate."""


class SuiteError(ConfigurationError):
    """A suite file of blind tests is wrong. ``details["problems"]`` lists every mistake with line and column."""


class RunError(ConfigurationError):
    """A run of blind tests cannot be planned, read or gone on with."""


class RunBusy(RunError):
    """Another process writes into the folder of a run of blind tests."""


class MissingExtra(ConfigurationError):
    """An optional dependency is not installed. ``details["extra"]`` names the extra.

    ``remedy`` is what helps besides installing it.
    """

    def __init__(self, message: str, *, extra: str, remedy: str = "", package: str = "") -> None:
        """``package``: to be installed beside the extra."""
        packages = f"{package} " if package else ""
        install = (
            f"Install it: pip install {packages}'dialogue-harness[{extra}]' "
            f"(in a checkout: pip install {packages}'.[{extra}]')."
        )
        super().__init__(message, remedy=f"{install} {remedy}".rstrip(), extra=extra)


class InputError(HarnessError):
    """What the user typed cannot become a turn. The session is unchanged."""


class EmptyInput(InputError):
    """The text is empty or only white space."""

    remedy = "Type at least one visible character."


class OversizedInput(InputError):
    """The text is longer than ``harness.max_input_chars``."""

    remedy = "Shorten the text, or raise harness.max_input_chars."


class MalformedInput(InputError):
    """The text holds control characters or lone surrogates."""

    remedy = "Send valid Unicode text without control characters."


class TurnError(HarnessError):
    """The turn machine could not finish a turn."""


class StuckTurn(TurnError):
    """No row of the turn table matched: the table or a guard is wrong."""


class TurnTimeout(TurnError):
    """The turn took longer than ``harness.turn_timeout_s``."""

    remedy = "Try again, raise harness.turn_timeout_s, or use a faster model."


class SessionBusy(TurnError):
    """Another turn of this session is running and ``harness.when_busy`` is ``refuse``."""

    remedy = "Wait for the running turn, or set harness.when_busy to wait."


class BudgetError(TurnError):
    """The token budget cannot hold the parts that must never be cut (L0, L1, the goal), with room for a message."""

    remedy = "Raise harness.total_token_budget, or shorten the persona."


class StateError(HarnessError):
    """A stored state cannot be read."""


class NewerSchema(StateError):
    """The document was written by a newer version of the package than this one."""

    remedy = "Update the package; the document was left as it is."


class OperationRejected(StateError):
    """An operation does not hold in this state. ``details["reason"]`` says why; the state is unchanged."""

    remedy = "Nothing was changed. `harness facts list SESSION` and `harness task show SESSION` show what there is, with the ids."


class StoreError(HarnessError):
    """Reading or writing sessions failed."""


class SessionNotFound(StoreError):
    """No session of this id is stored."""

    remedy = "`harness sessions list` shows what is stored."


class SessionExists(StoreError):
    """A session of this id is stored already."""


class TurnNotFound(StoreError):
    """The session has no turn of this id or number."""

    remedy = "`harness show SESSION --timeline` lists the turns."


class ArtifactNotFound(StoreError):
    """A long tool result is not, or no longer, kept."""


class ConflictError(StoreError):
    """The session was changed elsewhere since it was read. ``details``: ``expected``, ``found`` (versions)."""

    remedy = "Open the session again and repeat the action."


class CorruptStore(StoreError):
    """The stored file cannot be read as what it should be. It was left untouched."""


class StorageFull(StoreError):
    """The disk or quota is full. Nothing was half-written."""

    remedy = "Free some space and repeat the action."


class ModelError(HarnessError):
    """The model endpoint could not answer. ``details``: ``status``, ``url``, ``model``, ``role`` where known."""


class AuthenticationFailed(ModelError):
    """401, or the key is missing or malformed before any request was sent."""


class PermissionRefused(ModelError):
    """403: the key is valid but may not do this."""


class EndpointNotFound(ModelError):
    """404 on the path: ``base_url`` does not point at an OpenAI-compatible API."""


class ModelNotFound(ModelError):
    """The endpoint does not know this model id."""


class RateLimited(ModelError):
    """429. ``details["retry_after"]``: seconds, or None."""


class ServerFailed(ModelError):
    """5xx: the endpoint failed."""


class BadRequest(ModelError):
    """The endpoint refused the request itself."""


class ContextTooLong(BadRequest):
    """The prompt does not fit into the model's context window."""


class UnsupportedFeature(BadRequest):
    """The endpoint does not take this form of request. ``details["feature"]`` names it."""


class Unreachable(ModelError):
    """No connection to the endpoint."""


class ProxyUnreachable(Unreachable):
    """A proxy variable (HTTP_PROXY, HTTPS_PROXY, ALL_PROXY) points at something that does not answer."""


class NameNotResolved(Unreachable):
    """The host name of ``base_url`` does not resolve."""


class TLSFailed(Unreachable):
    """The TLS handshake failed (certificate, protocol, or http where https was meant)."""


class ModelTimeout(ModelError):
    """The endpoint did not answer within the deadline."""


class MalformedReply(ModelError):
    """The endpoint answered with something that is not a completion."""


class NotJSON(MalformedReply):
    """An HTML page or plain text came instead of JSON."""


class ErrorBody(MalformedReply):
    """Status 200 with an error object as body."""


class NoChoices(MalformedReply):
    """A completion without choices."""


class EmptyReply(MalformedReply):
    """A completion whose content is empty."""


class ContentFiltered(MalformedReply):
    """The provider's content filter withheld the answer."""


class TruncatedStream(MalformedReply):
    """The stream ended before its end marker. ``details["text"]`` holds what had arrived."""


class UnreadableStructure(MalformedReply):
    """Structured output that no reading could save. State is unchanged."""


class LocalModelError(HarnessError):
    """The embedded model could not be fetched or started."""


class DownloadFailed(LocalModelError):
    """Every source of a model failed. ``details["attempts"]`` lists source and reason."""


class ChecksumMismatch(LocalModelError):
    """The file's sha256 is not the one in the catalogue. It was not used."""


class ServerStartFailed(LocalModelError):
    """The child server did not become ready. ``details["log"]`` holds the end of its output."""

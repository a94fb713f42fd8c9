"""Which models the embedded server can run, and where their files come from.

The shipped list is ``catalogue.yaml`` beside this module; a user's own file is merged over it by name.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from importlib import resources
from pathlib import Path
from typing import Annotated, Any, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, PositiveInt, ValidationError, model_validator

from harness.errors import SettingsError

NAME_PATTERN = r"^[a-z0-9][a-z0-9._-]*$"
SHA256_PATTERN = r"^[0-9a-f]{64}$"


class _Frozen(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class HubSource(_Frozen):
    """One URL that serves the whole file; resumed with HTTP ranges where the server has them."""

    kind: Literal["hub"]
    url: Annotated[str, Field(pattern=r"^https?://[^\s]+$")]

    @property
    def label(self) -> str:
        """What progress and error messages call this source."""
        return self.url


class WheelPartsSource(_Frozen):
    """The file cut into ``count`` wheels named ``pattern.format(n=1..count)``, each holding one data member."""

    kind: Literal["wheel-parts"]
    pattern: Annotated[str, Field(pattern=r"^[A-Za-z0-9._-]*\{n\}[A-Za-z0-9._-]*$")]
    count: PositiveInt
    version: Annotated[str, Field(pattern=r"^[0-9A-Za-z.+!-]+$")]
    member: str = "*/data/*.bin"
    """Glob of the data member inside each wheel; exactly one member must match."""

    @property
    def label(self) -> str:
        """What progress and error messages call this source."""
        return f"{self.pattern.format(n=f'1..{self.count}')}=={self.version}"

    def requirement(self, number: int) -> str:
        """Name and pinned version of part ``number`` (from 1)."""
        return f"{self.pattern.format(n=number)}=={self.version}"


Source = Annotated[HubSource | WheelPartsSource, Field(discriminator="kind")]


class CatalogueEntry(_Frozen):
    """One model: what it is, how its file is recognised, where it can be had."""

    name: Annotated[str, Field(pattern=NAME_PATTERN)]
    title: str = ""
    licence: str = ""
    languages: tuple[str, ...] = ()
    size: PositiveInt | None = None
    """Bytes of the .gguf file; None when unknown."""
    sha256: Annotated[str, Field(pattern=SHA256_PATTERN)] | None = None
    """Hash of the .gguf file; None: the hash of the first download is recorded and trusted from then on."""
    context: PositiveInt = 8192
    """Tokens one conversation may hold."""
    sources: Annotated[tuple[Source, ...], Field(min_length=1)]

    @model_validator(mode="after")
    def _parts_need_a_hash(self) -> CatalogueEntry:
        if self.sha256 is None or self.size is None:
            for source in self.sources:
                if isinstance(source, WheelPartsSource):
                    raise ValueError(  # noqa: TRY004 - pydantic reads it
                        f"model {self.name!r}: wheel-parts need both sha256 and size"
                    )
        return self


class Catalogue(_Frozen):
    """The merged list. ``default`` names models in order of preference."""

    models: tuple[CatalogueEntry, ...] = ()
    default: tuple[str, ...] = ()

    def get(self, name: str) -> CatalogueEntry:
        """The entry called ``name``.

        Raises:
            SettingsError: no entry has this name; the message suggests the nearest one.
        """
        for entry in self.models:
            if entry.name == name:
                return entry
        names = [entry.name for entry in self.models]
        near = difflib.get_close_matches(name, names, n=1)
        hint = f"Did you mean {near[0]!r}?" if near else f"Known: {', '.join(names)}, or the path of a .gguf file."
        raise SettingsError(f"No local model is called {name!r}.", remedy=hint, name=name, known=names)

    def merged(self, over: Catalogue) -> Catalogue:
        """This catalogue with the entries of ``over`` replacing or following its own."""
        entries = {entry.name: entry for entry in (*self.models, *over.models)}
        return Catalogue(models=tuple(entries.values()), default=over.default or self.default)


class _TextLoader(yaml.SafeLoader):
    """Safe loader that reads every scalar as text (`no`, `1.10` stay what they are) and refuses duplicate keys."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen: set[str] = set()
        for key, _ in node.value:
            if key.value in seen:
                raise yaml.constructor.ConstructorError(None, None, f"duplicate key {key.value!r}", key.start_mark)
            seen.add(key.value)
        return super().construct_mapping(node, deep)


_TextLoader.yaml_implicit_resolvers = {}


def load_catalogue(extra: Path | None = None) -> Catalogue:
    """The shipped catalogue, with the user's file ``extra`` merged over it.

    Raises:
        SettingsError: the file is missing, is not YAML, or does not validate; the message names file and place.
    """
    shipped = resources.files(__package__).joinpath("catalogue.yaml").read_text(encoding="utf-8")
    catalogue = _parse(shipped, "catalogue.yaml")
    if extra is not None:
        try:
            text = extra.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise SettingsError(f"The model catalogue {extra} cannot be read: {error}.") from error
        catalogue = catalogue.merged(_parse(text, str(extra)))
    for name in catalogue.default:
        catalogue.get(name)
    return catalogue


def _parse(text: str, origin: str) -> Catalogue:
    try:
        raw = yaml.load(text, Loader=_TextLoader)  # noqa: S506 - a subclass of SafeLoader
    except yaml.YAMLError as error:
        raise SettingsError(f"The model catalogue {origin} is not YAML: {error}") from error
    if raw is None or raw == "":
        return Catalogue()
    if not isinstance(raw, Mapping):
        raise SettingsError(f"The model catalogue {origin} must be a mapping with `models`, not {type(raw).__name__}.")
    try:
        return Catalogue.model_validate(raw)
    except ValidationError as error:
        problems = "; ".join(_problem(item["loc"], item["msg"]) for item in error.errors()[:5])
        raise SettingsError(f"The model catalogue {origin} is not valid: {problems}.") from error


def _problem(place: Sequence[int | str], message: str) -> str:
    return f"{'.'.join(str(step) for step in place)}: {message}"

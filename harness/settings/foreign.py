"""Configuration files of other programs, in our names: what maps, to what, and why the rest does not.

How their names are called here stands in ``foreign.yaml``. Which settings there are is looked up when it runs: what this version
does not have is reported, never dropped in silence. Keys and passwords are never taken over; the variable that is to hold one is
named in its place.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Literal

from pydantic import ValidationError

from harness.addresses import masked_in
from harness.settings import foreign_values as convert
from harness.settings.sections import SECTIONS
from harness.yaml_strict import load_yaml

TABLE = Path(__file__).with_name("foreign.yaml")
SECRET_NAME = re.compile(r"(?i)(?:api_?key|password|passwd|secret|credential|(?:^|[._])(?:auth_)?token$)")
SECRET_VALUE = re.compile(r"\bsk-[A-Za-z0-9_-]{8,}|\bBearer\s+\S+")
VARIABLE_NAME = re.compile(r"[A-Z][A-Z0-9_]*")
COMMON = {"memory", "models", "storage", "graph", "log"}
"""Sections of ours that other programs' files may have as well."""
Outcome = Literal["mapped", "same", "empty", "secret", "refused", "unsupported", "unknown"]


@dataclass(frozen=True, slots=True)
class Row:
    """One value of the other file.

    Attributes:
        theirs: its dotted name there. ``value``: as it may be shown.
        ours: the dotted name of our setting; empty for none. ``becomes``: the value it gets; None when it is not written.
        outcome: ``mapped``; ``same`` (ours is so anyway); ``empty``; ``secret`` (belongs into the environment); ``refused`` (ours
            does not take the value); ``unsupported`` (this version has no such setting); ``unknown``.
        note: why, or what to do.
    """

    theirs: str
    value: Any
    ours: str = ""
    becomes: Any = None
    outcome: Outcome = "mapped"
    note: str = ""


@dataclass(frozen=True, slots=True)
class Translation:
    """A file in our names. ``form``: what kind of file it is. ``values``: by section and key."""

    form: str
    rows: tuple[Row, ...] = ()
    values: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    @property
    def left(self) -> tuple[Row, ...]:
        """What was not taken over and is not so anyway."""
        return tuple(row for row in self.rows if row.outcome not in ("mapped", "same", "empty"))


@cache
def table() -> Mapping[str, Any]:
    """The names of other files."""
    found: Mapping[str, Any] = load_yaml(TABLE)
    return found


def form_of(raw: Mapping[str, Any]) -> str:
    """What kind of file of another program it is; empty for none that is known."""
    names = set(raw)
    if names & (SECTIONS.keys() - COMMON):
        return ""
    for form, told in table()["forms"].items():
        marks = set(told["marks"])
        if names & marks and (form != "layers" or len(names & marks) > 1 or "memory_layers" in names):
            return str(form)
    flat = raw and all(VARIABLE_NAME.fullmatch(name) and not isinstance(raw[name], dict) for name in raw)
    known = {name for name, _, _ in _rules() if VARIABLE_NAME.fullmatch(name.upper())}
    return "variables" if flat and any(name.lower() in known for name in raw) else ""


def translate(raw: Mapping[str, Any]) -> Translation:
    """A file of one of the known forms in our names.

    Raises:
        ValueError: it is of none.
    """
    form = form_of(raw)
    if not form:
        forms = "; ".join(told["title"] for told in table()["forms"].values())
        raise ValueError(f"expected {forms}")
    return _Work(form, dict(_leaves(raw))).done()


@cache
def _rules() -> tuple[tuple[str, str, str], ...]:
    """(their name, how it is turned, our name), those that come first before the others."""
    found = []
    for ours, names in table()["settings"].items():
        for name in names:
            theirs, _, how = name.partition(" | ")
            found.append((theirs.lower(), how.strip(), ours))
    for ours, parts in table()["addresses"].items():
        found += [
            (name.lower(), "address", ours) for names in parts.values() if isinstance(names, list) for name in names
        ]
    return tuple(found)


def _leaves(raw: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in raw.items():
        name = f"{prefix}{key}"
        if isinstance(value, dict) and value:
            yield from _leaves(value, f"{name}.")
        else:
            yield name, value


def _plain(theirs: str) -> str:
    """A name as the table has it: layers by their short names."""
    parts = theirs.lower().split(".")
    if parts[0] == "memory_harness" and len(parts) > 2 and parts[1] in ("memory_layers", "layers"):
        parts = parts[1:]
    if parts[0] == "layers":
        parts[0] = "memory_layers"
    if parts[0] == "memory_layers" and len(parts) > 1:
        for layer, names in table()["layers"].items():
            if any(parts[1].startswith(name) for name in names):
                parts[1] = layer
                break
    return ".".join(parts)


def _matching(pattern: str, name: str) -> tuple[str, ...] | None:
    """What the * of a pattern stands for, when the name fits."""
    ours, theirs = pattern.split("."), name.split(".")
    if len(ours) != len(theirs) or any(one not in ("*", other) for one, other in zip(ours, theirs, strict=True)):
        return None
    return tuple(other for one, other in zip(ours, theirs, strict=True) if one == "*")


@dataclass(slots=True)
class _Work:
    """Goes through the values of a file."""

    form: str
    given: dict[str, Any]
    rows: list[Row] = field(default_factory=list)
    values: dict[str, dict[str, Any]] = field(default_factory=dict)

    def done(self) -> Translation:
        plain = {_plain(theirs): theirs for theirs in self.given}
        addressed = self._addresses(plain)
        order = {name: place for place, (name, _, _) in enumerate(_rules())}
        for name, theirs in sorted(plain.items(), key=lambda one: order.get(one[0], len(order))):
            if name not in addressed:
                self._one(name, theirs, self.given[theirs])
        self._backends()
        places = {theirs: place for place, theirs in enumerate(self.given)}
        self.rows.sort(key=lambda row: places.get(row.theirs, len(places)))
        return Translation(self.form, tuple(self.rows), self.values)

    def _one(self, name: str, theirs: str, value: Any) -> None:
        if value in ("", None, {}, []):
            self.rows.append(Row(theirs, value, outcome="empty", note="it is empty; ours stays as it is"))
            return
        meant: dict[str, str] = {}
        for pattern, how, target in _rules():
            stars = _matching(pattern, name)
            if stars is not None:
                meant.setdefault(target.replace("*", stars[0]) if stars else target, how)
        for ours, how in meant.items():
            self._set(theirs, value, ours, how)
        if not meant:
            self._without(name, theirs, value)

    def _without(self, name: str, theirs: str, value: Any) -> None:
        for pattern, why in table()["without"].items():
            if _matching(pattern.lower(), name) is not None:
                self.rows.append(Row(theirs, _shown(theirs, value), outcome="unknown", note=why))
                return
        if SECRET_NAME.search(theirs):
            note = "a secret: it stays out of files; set it in the environment"
            self.rows.append(Row(theirs, convert.HIDDEN, outcome="secret", note=note))
        else:
            self.rows.append(
                Row(theirs, _shown(theirs, value), outcome="unknown", note="nothing here has this meaning")
            )

    def _set(self, theirs: str, value: Any, ours: str, how: str) -> None:
        shown = _shown(theirs, value)
        try:
            turned = convert.turned(how, value, theirs, ours, table())
        except convert.Already as reason:
            self.rows.append(Row(theirs, shown, ours, None, "same", str(reason)))
            return
        except convert.Withheld as reason:
            self.rows.append(Row(theirs, convert.HIDDEN, ours, None, "secret", str(reason)))
            return
        except (ValueError, TypeError, OverflowError) as error:
            self.rows.append(Row(theirs, shown, ours, None, "refused", str(error)))
            return
        becomes = self._known_fields(theirs, turned.value, ours) if how == "fields" else turned.value
        if becomes != []:
            self._take(Row(theirs, shown, ours, becomes, note=turned.note))

    def _known_fields(self, theirs: str, names: list[str], ours: str) -> list[str]:
        """The names that a layer has here; the others are told of, and cost the rest nothing."""
        model = SECTIONS.get(ours.partition(".")[0])
        known: tuple[str, ...] = getattr(model, "KNOWN", tuple(names))
        if unknown := [name for name in names if name not in known]:
            shown = _shown(theirs, ", ".join(unknown))
            note = f"no part of this layer is called so here; there are {', '.join(known)}"
            self.rows.append(Row(theirs, shown, ours, None, "unknown", note))
        return [name for name in names if name in known]

    def _take(self, row: Row) -> None:
        """Enter a value, if there is such a setting, it takes the value, and nothing else has set it."""
        section, _, key = row.ours.partition(".")
        outcome, note, becomes = self._checked(section, key, row.becomes)
        if outcome == "mapped" and key in self.values.get(section, {}):
            same = self.values[section][key] == becomes
            outcome, note = ("same", "") if same else ("refused", f"another value of the file says {row.ours} already")
        if outcome == "mapped":
            self.values.setdefault(section, {})[key] = becomes
        taken = becomes if outcome in ("mapped", "same") else None
        told = (note,) if outcome == "unsupported" else (note, row.note)
        self.rows.append(Row(row.theirs, row.value, row.ours, taken, outcome, "; ".join(filter(None, told))))

    def _checked(self, section: str, key: str, value: Any) -> tuple[Outcome, str, Any]:
        model = SECTIONS.get(section)
        if model is None or key not in model.model_fields:
            return "unsupported", f"this version has no setting {section}.{key}", None
        if isinstance(value, str) and SECRET_VALUE.search(value):
            return "secret", "it looks like a key: set it in the environment", None
        try:
            made = getattr(model.model_validate({key: value}), key)
        except ValidationError as error:
            return "refused", error.errors()[0]["msg"].removeprefix("Value error, "), None
        return "mapped", "", list(made) if isinstance(made, tuple) else made

    def _addresses(self, plain: Mapping[str, str]) -> set[str]:
        """Enter the addresses of servers, put together from their parts; gives the names that took part."""
        used: set[str] = set()
        for ours, parts in table()["addresses"].items():
            there = {
                part: next(
                    (name.lower() for name in names if self.given.get(plain.get(name.lower(), "")) not in (None, "")),
                    "",
                )
                for part, names in parts.items()
                if isinstance(names, list)
            }
            if not (there["url"] or there["host"]):
                continue
            got = {part: str(self.given[plain[name]]) for part, name in there.items() if name}
            try:
                address, hidden = convert.address(got, parts)
            except ValueError:
                continue  # each part is told of by itself
            note = f"the password is not written: set {parts['variable']} in the environment" if hidden else ""
            first = plain[there["url"] or there["host"]]
            whole = _shown(first, got.get("url") or got["host"])
            self._take(Row(first, whole, ours, address, note=note))
            for part, name in there.items():
                if name and plain[name] != first:
                    secret = part == "password"
                    shown = convert.HIDDEN if secret else _shown(plain[name], got[part])
                    ignored = self.rows[-1].outcome not in ("mapped", "same")
                    text = note if secret else f"part of {ours}"
                    self.rows.insert(
                        -1,
                        Row(
                            plain[name],
                            shown,
                            ours,
                            None,
                            "secret" if secret else "unsupported" if ignored else "same",
                            text,
                        ),
                    )
            used |= {name for name in there.values() if name}
        return used

    def _backends(self) -> None:
        """An address says which backend is meant, where nothing else does."""
        for section, keys in list(self.values.items()):
            scheme = str(keys.get("url", "")).partition("://")[0].partition("+")[0]
            backend = table()["schemes"].get(scheme, "")
            if backend and "backend" not in keys:
                source = next(row for row in self.rows if row.ours == f"{section}.url")
                self._take(Row(source.theirs, source.value, f"{section}.backend", backend, note="the address says so"))


def _shown(theirs: str, value: Any) -> Any:
    """A value as it may be shown."""
    if SECRET_NAME.search(theirs) and not isinstance(value, (int, float)):
        return convert.HIDDEN
    return SECRET_VALUE.sub(convert.HIDDEN, masked_in(value, convert.HIDDEN)) if isinstance(value, str) else value

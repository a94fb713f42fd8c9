"""What a suite must satisfy beyond the shape of its parts: names that are known, ids that are unique, values that can be drawn."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator
from typing import Any, get_args

from harness.blindtest.suite import CHARACTER_SLOT
from harness.blindtest.templates import names_in
from harness.language import LanguagePack, LanguagePacks
from harness.state.record import NoticeKind

Place = tuple[str | int, ...]
Complaint = tuple[Place, str]
_STATEMENT = ".statement"


def cross_check(data: dict[str, Any], packs: LanguagePacks) -> Iterator[Complaint]:
    """What is wrong across the parts of a suite, as (place, message).

    Works on the raw data as far as its shape allows, so that a mistake elsewhere hides none of these.
    """
    language = data.get("language")
    if isinstance(language, str) and language and language not in packs.codes:
        yield ("language",), f"there is no language pack {language!r}; there are {', '.join(sorted(packs.codes))}"
    slots = data.get("slots") if isinstance(data.get("slots"), dict) else {}
    values = data.get("values") if isinstance(data.get("values"), dict) else {}
    yield from _baits(slots or {}, values or {})
    pack = packs.get(language) if isinstance(language, str) and language in packs.codes else None
    scripts = data.get("scripts")
    seen: dict[str, int] = {}
    for index, script in enumerate(scripts if isinstance(scripts, list) else []):
        if not isinstance(script, dict):
            continue
        place: Place = ("scripts", index)
        name = str(script.get("id", ""))
        if name and name in seen:
            yield (*place, "id"), f"the id {name!r} stands twice; script {seen[name] + 1} has it already"
        seen.setdefault(name, index)
        yield from _names(script, place, slots or {}, fillers=bool(data.get("fillers")))
        yield from _words(script, place, packs, pack)
        yield from _undone(script, place)
    for index, filler in enumerate(data.get("fillers") or ()):
        yield from _unknown(filler, ("fillers", index), set(_known(slots or {})))


def _baits(slots: dict[str, Any], values: dict[str, Any]) -> Iterator[Complaint]:
    for name, slot in slots.items():
        wanted = slot.get("bait") if isinstance(slot, dict) else None
        for attribute in [wanted] if isinstance(wanted, str) else wanted or ():
            if not isinstance(values.get(attribute), list) or len(values[attribute]) < 2:
                yield (
                    ("slots", name, "bait"),
                    f"expected at least two `values` for {attribute!r}, from which a wrong one is drawn",
                )


def _known(slots: dict[str, Any]) -> Iterator[str]:
    yield CHARACTER_SLOT
    for name, slot in slots.items():
        yield name
        if isinstance(slot, dict) and "fact" in slot:
            yield name + _STATEMENT


def _names(script: dict[str, Any], place: Place, slots: dict[str, Any], *, fillers: bool) -> Iterator[Complaint]:
    known = set(_known(slots))
    facts = {name for name, slot in slots.items() if isinstance(slot, dict) and "fact" in slot}
    for where, step in _steps(script, place):
        if "filler" in step and not fillers:
            yield (*where, "filler"), "expected lines under `fillers` at the top of the suite, found none"
        capture = step.get("capture")
        names = list(capture) if isinstance(capture, dict) else []
        for name in names:
            if name in slots or name == CHARACTER_SLOT:
                yield (*where, "capture", name), f"{name!r} is a slot already; choose another name"
        yield from _in_step(step, where, known | set(names), said=known)
        holds = step.get("expect", {}).get("holds", ()) if isinstance(step.get("expect"), dict) else ()
        for slot in [holds] if isinstance(holds, str) else holds:
            if slot not in facts:
                yield (
                    (*where, "expect", "holds"),
                    f"expected the name of a slot with `fact`, got {slot!r}; there are {', '.join(sorted(facts)) or 'none'}",
                )
        known |= set(names)


def _words(
    script: dict[str, Any], place: Place, packs: LanguagePacks, pack: LanguagePack | None
) -> Iterator[Complaint]:
    """Words of which only some are known: emotions, notices, languages. And whether the script expects anything at all."""
    judged = False
    for where, step in _steps(script, place):
        expect, state = step.get("expect"), step.get("state")
        judged = judged or bool(expect or state or step.get("capture"))
        if isinstance(expect, dict) and (code := expect.get("language")) and code not in packs.codes:
            yield from _one_of([code], packs.codes, (*where, "expect", "language"), "a language")
        if not isinstance(state, dict):
            continue
        yield from _one_of(state.get("notice"), get_args(NoticeKind), (*where, "state", "notice"), "a notice")
        for field in ("emotion", "user_emotion") if pack is not None else ():
            known = ("neutral", *pack.emotion.prototypes) if pack is not None else ()
            yield from _one_of(state.get(field), known, (*where, "state", field), "an emotion")
    if not judged and isinstance(script.get("rounds"), list):
        yield (*place, "id"), "the script expects nothing; give one of its steps `expect`, `state` or `capture`"


def _undone(script: dict[str, Any], place: Place) -> Iterator[Complaint]:
    """Turns that are taken back are turns that were said, in the same session."""
    said = 0
    for where, step in _steps(script, place):
        if "say" in step:
            said += 1
        elif "filler" in step:
            said += _number(step["filler"])
        elif "new_session" in step:
            said = 0
        elif "undo" in step:
            wanted = _number(step["undo"])
            if wanted > said:
                yield (
                    (*where, "undo"),
                    f"expected at most the {said} turns that were said in this session before, got {wanted}",
                )
            said = max(0, said - wanted)


def _number(value: Any) -> int:
    """A whole number, as it was read; 0 for what is none, which is told elsewhere."""
    return int(value) if str(value).isascii() and str(value).isdigit() else 0


def _one_of(given: Any, known: Iterable[str], place: Place, what: str) -> Iterator[Complaint]:
    names = sorted(known)
    for word in [given] if isinstance(given, str) else given or ():
        if isinstance(word, str) and word not in names:
            near = difflib.get_close_matches(word, names, n=1)
            hint = f"did you mean `{near[0]}`?" if near else f"there are {', '.join(names)}"
            yield place, f"expected {what}, got {word!r}; {hint}"


def _steps(script: dict[str, Any], place: Place) -> Iterator[tuple[Place, dict[str, Any]]]:
    """Every step that has the shape of one, with its place."""
    rounds = script.get("rounds")
    for number, one in enumerate(rounds if isinstance(rounds, list) else []):
        steps = one.get("steps") if isinstance(one, dict) else None
        for index, step in enumerate(steps if isinstance(steps, list) else []):
            if isinstance(step, dict):
                yield (*place, "rounds", number, "steps", index), step


def _in_step(step: dict[str, Any], where: Place, known: set[str], *, said: set[str]) -> Iterator[Complaint]:
    for key in ("say", "event", "task"):
        yield from _unknown(step.get(key), (*where, key), said)
    for part in ("expect", "state"):
        fields = step.get(part)
        for key, value in fields.items() if isinstance(fields, dict) else ():
            if key in ("matches", "lacks", "length", "holds", "knows"):
                continue
            yield from _unknown(value, (*where, part, key), known)


def _unknown(value: Any, place: Place, known: set[str]) -> Iterator[Complaint]:
    """Names in a template that nothing fills."""
    if isinstance(value, list):
        for index, item in enumerate(value):
            yield from _unknown(item, (*place, index), known)
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _unknown(item, (*place, key), known)
    elif isinstance(value, str):
        try:
            names = names_in(value)
        except ValueError:
            return  # said by the model of the suite already
        for name in names:
            if name not in known:
                yield place, f"nothing fills {{{name}}}: no slot of this name, and no earlier step captures it"

"""The attributes that code knows by name: identifiers of the schema, the same in every language pack.

What a language calls them, and all words around them, is in the packs.
"""

from __future__ import annotations

from typing import Final

NAME: Final = "name"
AGE: Final = "age"
BIRTHDAY: Final = "birthday"
JOB: Final = "job"
PARTNER: Final = "partner"
PET: Final = "pet"
LIKES: Final = "likes"
MARITAL_STATE: Final = "marital state"
VITAL_STATUS: Final = "vital status"

RELATIVES: Final = frozenset({"sibling", "child", PARTNER, "parent", "friend"})
"""Attributes whose values are people of the subject's."""
FAMILY: Final = RELATIVES - {"friend"}
"""Attributes whose values are people nobody but the subject has."""
THINGS: Final = frozenset({LIKES, "hobby", "skill", "drinks", "diet", "possession", PET})
"""Attributes whose value "it" may mean where somebody likes or hates it."""
MANY: Final = frozenset({LIKES, "diet", "drinks", "hobby", "skill", "visited", "possession"})
"""Attributes of which a person has more than one value: another one contradicts nothing, and none of them alone is the answer."""
PRESENT: Final = frozenset(
    {"home", JOB, "side job", "workplace", "school", AGE, MARITAL_STATE, PARTNER, "allergy", "diet", "hobby"}
)
"""Attributes of a life: whoever has died has none of them any more."""
VAGUE: Final = frozenset({"possession"})
"""Attributes that the asker's own word tells more of: whoever asks for the camera is told the camera."""

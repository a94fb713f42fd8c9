"""What the search of memory tells of its layers: a threshold that lets nothing through, limits that were reached."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from harness.memory.policy import LayerPolicy
from harness.ports import Remembered
from harness.state import ContextWarning
from harness.state.memory import MemoryLayer

BELOW = "is below"
ALONE = ": alone it has"
"""Parts of the reasons for which items are left out; the warnings are made of them."""
_RELEVANCE = re.compile(r"relevance ([\d.]+)")


def layer_troubles(
    considered: Sequence[Remembered], layers: Mapping[MemoryLayer, LayerPolicy]
) -> tuple[ContextWarning, ...]:
    """The warnings for what was considered, each candidate with its reason in ``dropped``."""
    found = []
    nothing = not any(not one.dropped for one in considered)
    for name, layer in layers.items():
        own = [one for one in considered if one.item.layer == name]
        reasons = [one.dropped for one in own]
        if nothing and own and all(BELOW in reason for reason in reasons):
            best = max(float(match[1]) for reason in reasons if (match := _RELEVANCE.match(reason)))
            text = (
                f"the {len(own)} memories that were found are below the threshold of {name}: the best has {best:.2f}, "
                f"similarity_threshold is {layer.similarity_threshold:g}"
            )
            found.append(ContextWarning(kind="threshold_too_high", layer=name, text=text))
        if alone := [one.item.id for one in own if ALONE in one.dropped]:
            text = f"{', '.join(alone[:3])} alone {'is' if len(alone) == 1 else 'are each'} over the {layer.max_tokens} tokens of {name}"
            found.append(ContextWarning(kind="oversized_item", layer=name, text=text))
        if over := sum(one.dropped.startswith("over the") for one in own):
            text = f"{over} memories were left out: max_tokens of their layer is reached ({name}: {layer.max_tokens})"
            found.append(ContextWarning(kind="left_out", layer=name, text=text))
        if not own and layer.enabled and layer.always_inject:
            text = f"{name} is always to be shown (always_inject), and there is nothing to show"
            found.append(ContextWarning(kind="layer_empty", layer=name, text=text))
    return tuple(found)

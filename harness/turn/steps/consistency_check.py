"""consistency_check: does the user's message presuppose something that is not so, or ask for what was told?"""

from __future__ import annotations

from harness.ports import Ports
from harness.turn import judging
from harness.turn.turn import Turn
from harness.understanding.checks.calling import NAME
from harness.understanding.checks.consistency import check_premise
from harness.understanding.checks.own_answers import own_notices
from harness.understanding.checks.recall import recall_notices
from harness.understanding.checks.untold import untold_notices
from harness.understanding.facts.keys import BIRTHDAY
from harness.understanding.references.mixed import packs_beside


async def consistency_check(turn: Turn, ports: Ports) -> Turn:
    """Fill ``notices``: by rules, and then by the evaluator when ``check_tier`` is ``model`` and rules found nothing."""
    if not turn.settings.persona_consistency_check:
        return turn
    pack = ports.languages.get(turn.language)
    notices = check_premise(
        turn.text,
        state=turn.informed,
        persona=turn.persona,
        pack=pack,
        classify=turn.classified_checks,
        beside=packs_beside(turn.text, pack, ports.languages),
    )
    turn = turn.with_(notices=notices)
    if turn.settings.check_tier == "model" and not turn.notices:
        turn = await judging.judge_premise(turn, ports)
    if all(notice.attribute == NAME for notice in turn.notices):
        # Who calls the character by a wrong name may ask for something all the same.
        told = recall_notices(turn.text, state=turn.informed, pack=pack)
        if not told or all(notice.attribute == BIRTHDAY for notice in told):
            remembered = [one.item.text for one in turn.recalled.items]
            told = (
                untold_notices(turn.text, state=turn.informed, pack=pack, now=turn.now, remembered=remembered) or told
            )
        # What the user wants to hear of their own goes before what they ask of the character.
        own = () if told else own_notices(turn.text, state=turn.informed, persona=turn.persona, pack=pack)
        turn = turn.with_(notices=(*turn.notices, *told, *own))
    return turn

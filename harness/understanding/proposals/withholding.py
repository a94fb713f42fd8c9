"""What a model proposes from an attempt at the character is withheld: a poisoned message changes nothing, whoever reads it.

In a turn whose message the persona guard objects to, a proposal holds only where it rests on the rest of the message or
on the reply. Facts and promises are withheld from a reply, too, when it only gives the attempt's own words back.
"""

from __future__ import annotations

from dataclasses import dataclass

from harness.understanding.proposals.answers import (
    CommitmentProposal,
    EmotionProposal,
    EntityProposal,
    FactProposal,
    TaskProposal,
    TopicProposal,
)
from harness.understanding.proposals.evidence import Refused
from harness.understanding.proposals.grounding import occurs

Proposal = FactProposal | CommitmentProposal | TaskProposal | EntityProposal | TopicProposal | EmotionProposal


@dataclass(frozen=True, slots=True)
class Withholding:
    """Attributes:
    text: the user's message, whole.
    said: the same without what the persona guard objects to.
    reply: what the character answered.
    """

    text: str
    said: str
    reply: str

    def check(self, proposal: object) -> None:
        """Raises Refused with the reason when a proposal rests on an attempt. Nothing is refused in an ordinary turn."""
        if self.said == self.text:
            return
        if isinstance(proposal, FactProposal | CommitmentProposal | TaskProposal):
            self._words(proposal.quote)
            self._echo(proposal.value if isinstance(proposal, FactProposal) else proposal.text)
        elif isinstance(proposal, EntityProposal):
            self._words(proposal.name)
            if proposal.same_as.strip():
                raise Refused(f"{proposal.name!r} is not merged in the turn of an attempt at the character")
        elif isinstance(proposal, TopicProposal):
            self._topic(proposal)
        elif isinstance(proposal, EmotionProposal) and proposal.label.strip():
            self._mood(proposal)

    def echoes(self, value: str) -> bool:
        """Whether a value of the reply was put forward by the attempt, and by nothing else the user said."""
        return self.said != self.text and self._only_attempted(value)

    def _words(self, words: str) -> None:
        if self._only_attempted(words) and not occurs(words, self.reply):
            raise Refused(f"{words[:80]!r} is part of an attempt at the character")

    def _echo(self, value: str) -> None:
        if self._only_attempted(value):
            raise Refused(f"{value[:80]!r} was put forward by an attempt at the character")

    def _topic(self, proposal: TopicProposal) -> None:
        if proposal.action.strip() in ("", "keep"):
            return
        if not self.said.strip():
            raise Refused(f"an attempt at the character moves no topic ({proposal.action} {proposal.label[:60]!r})")
        if any(self._only_attempted(word) for word in (proposal.label, *proposal.label.split())):
            raise Refused(f"the topic {proposal.label[:60]!r} is part of an attempt at the character")

    def _mood(self, proposal: EmotionProposal) -> None:
        if not occurs(proposal.cause, f"{self.said}\n{self.reply}"):
            raise Refused(f"the emotion {proposal.label[:60]!r} rests on nothing but an attempt at the character")

    def _only_attempted(self, words: str) -> bool:
        return occurs(words, self.text) and not occurs(words, self.said)


__all__ = ["Withholding"]

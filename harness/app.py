"""The composition root: settings in, sessions out. Only this module and those named ``app_…`` import adapters."""

from __future__ import annotations

import structlog

from harness.app_elsewhere import Elsewhere, files_beside
from harness.app_parts import Parts
from harness.errors import HarnessError, InputError, MalformedInput, SessionExists, SessionNotFound, SettingsError
from harness.forgetting import Forgotten, forget_user, not_overwritten
from harness.memory.scopes import check_place
from harness.ports import MemoryFilter, Ports, SessionStore
from harness.session import Session, Turnstile, reference
from harness.state import USER, Persona, SessionInfo

log = structlog.get_logger("harness.app")

DEFAULT_PERSONA = "mia"


class Harness(Parts):
    """Opens sessions, deletes and forgets; and holds what sessions share: the model, the store, personas, prompts and languages.

    Use as an async context manager::

        async with Harness() as harness:
            session = await harness.open("mia", session="s1")
            print((await session.say("Hello!")).text)

    Nothing is started or connected before it is needed: the embedded model, for instance, when the first session
    is opened.

    Attributes:
        redactor: takes secrets out of texts, as the settings say.
        forgetters: what further stores forget of a user, by their name; :meth:`forget_user` calls them all. ``artifacts`` (long
            tool results) belong to the journal and go only with it; ``short_term`` is there where such messages are kept.
    """

    async def open(
        self,
        persona: str | Persona = "",
        *,
        session: str = "",
        user: str = "",
        project: str = "",
        world: str = "",
        connect: bool = True,
    ) -> Session:
        """Open a session: the stored one of this id, or a new one.

        Args:
            persona: id or name of a character, the path of a persona file, or a Persona. Empty: the stored session's,
                or the default character for a new one.
            session: id; a fresh one is made when empty.
            user: who the character talks with; kept apart from other users. Empty: the stored session's, or the one nameless
                user for a new one.
            project, world: what it is about and where it plays; memory keeps each apart. Empty: as the settings
                ``memory.project`` and ``memory.world`` say for a new session, and the stored ones for a stored session.
            connect: connect the model now; False leaves that to the first call, for work that may need none.

        Raises:
            PersonaError: no such character.
            SettingsError: the stored session is with another character or user, or in another project or world.
            MalformedInput: an id or name cannot be one.
        """
        check_id(session, "session id")
        check_id(user, "user id")
        memory = self.settings.memory
        for what, name in (("project", project or memory.project), ("world", world or memory.world)):
            check_place(name, what)
        store, ports = self.store(), await self.ports(connect=connect)
        chosen = self._persona(persona) if persona else None
        info = await self._find(store, session)
        if info is None:
            chosen = chosen or self._persona(DEFAULT_PERSONA)
            now = self._clock.now()
            info = SessionInfo(
                id=session or self._ids.new(),
                persona_ref=reference(chosen),
                persona=chosen,
                user=user or USER,  # an item of no user would be one for everybody
                project=project or memory.project,
                world=world or memory.world,
                created_at=now,
                updated_at=now,
            )
            try:
                await store.create(info)
            except SessionExists:  # another caller was quicker
                info = await store.info(info.id)
        elif chosen is not None and reference(chosen).id != info.persona_ref.id:
            raise SettingsError(
                f"Session {info.id!r} is a conversation with {info.persona_ref.name!r}, not with {chosen.name!r}.",
                remedy="Open it without a persona, or choose another session id.",
            )
        elif user not in ("", info.user):
            raise SettingsError(
                f"Session {info.id!r} is a conversation with {info.user!r}, not with {user!r}.",
                remedy="Choose another session id: what one user said is not shown to another.",
            )
        for what, wanted, stored in (("project", project, info.project), ("world", world, info.world)):
            if wanted not in ("", stored):
                raise SettingsError(
                    f"Session {info.id!r} belongs to the {what} {stored!r}, not to {wanted!r}.",
                    remedy=f"Choose another session id: what belongs to one {what} is not shown in another.",
                )
        return self._bind(info, store, ports)

    async def warm(self, session: Session) -> HarnessError | None:
        """Ready the language rules for a session, and the embedded model; never a provider, whose tokens cost money.

        Gives what made it fail, and logs it: all that costs is a slower first reply.
        """
        own = self.settings.embedded and self._models.own
        try:
            await (session.warm() if own else session.ready())
        except HarnessError as error:
            log.warning("warming_failed", session=session.id, error=str(error))
            return error
        return None

    def _bind(self, info: SessionInfo, store: SessionStore, ports: Ports) -> Session:
        turnstile = self._turnstiles.setdefault(info.id, Turnstile())
        return Session(
            info,
            store=store,
            ports=ports,
            settings=self.engine_settings(),
            machine=self.machine,
            turnstile=turnstile,
            memory=self._memory.shared(),
            graph=self._graph.shared(),
            artifacts=self.artifacts(),
            short_term=self._short_term.mirroring(),
        )

    async def _find(self, store: SessionStore, session_id: str) -> SessionInfo | None:
        if not session_id:
            return None
        try:
            return await store.info(session_id)
        except SessionNotFound:
            return None

    # --- forgetting -----------------------------------------------------------------------------------------------

    async def delete(self, session_id: str) -> tuple[str, ...]:
        """Delete a session with all its branches, what was remembered of it, and its long tool results. Gives the files that may still
        hold words of it: another program reads them, or they could not be used; mostly none.

        Raises:
            SessionNotFound: there is none. StoreError: something of it could not be removed; delete it again.
        """
        store = self.store()
        await store.info(session_id)
        if self.memory_store() is not None:
            await self.memories().forget(MemoryFilter(everything=True, session=session_id, statuses=()))
            await self.memories().unfollow([session_id])
        await self.artifacts().delete(session_id)
        if self._short_term.mirroring() is not None:
            await self.short_term().clear(session_id)
        elsewhere = self._elsewhere()
        remains = await elsewhere.delete(session_id) if elsewhere is not None else ()
        await store.delete(session_id)
        if self.memory_store() is not None:
            await self.memories().unfollow([session_id])
        await self.artifacts().delete(session_id)  # again: another program may have written meanwhile
        if self._short_term.mirroring() is not None:
            await self.short_term().clear(session_id)
        remains = (*remains, *await not_overwritten((store, *self._beside())))
        if remains:
            log.warning("words_remain", session=session_id, files=remains)
        return remains

    async def forget_user(self, user: str, *, persona: str = "", journal: bool = False) -> Forgotten:
        """Remove what is remembered of a user, from every store, and from files that earlier settings left; it cannot be brought back.

        Args:
            persona: only what this character knows.
            journal: delete the user's sessions too, with all that was said in them. Without it a session still has its words,
                and memory is not made from them again.

        Raises:
            InputError: no user is named. StoreError: a store does not answer; do it again.
        """
        if not user:
            raise InputError("Nobody was named who is to be forgotten.", remedy="Name a user.")
        for turnstile in list(self._turnstiles.values()):  # what is still being written would come back
            await turnstile.wait()
        return await forget_user(
            user,
            persona=persona,
            journal=journal,
            store=self.store(),
            memories=self.memories() if self.memory_store() is not None else None,
            forgetters=self.forgetters,
            remains=files_beside(self.settings, user, persona),
            elsewhere=self._elsewhere(),
            beside=self._beside(),
        )

    def _beside(self) -> tuple[object, ...]:
        """The stores beside that of the sessions, as far as there are any."""
        memory = self.memory_store()
        return (memory, self._graph.graph() if memory is not None else None, self._short_term.store())

    def _elsewhere(self) -> Elsewhere | None:
        """Files that are not in use; a program that brings its own store has nothing to do with them."""
        if not self._own_store:
            return None
        return Elsewhere(
            self.settings,
            self.languages,
            self._clock,
            self._memory,
            self._graph,
            self._short_term,
            self.database_path(),
            self.artifacts_path(),
        )


MAX_ID = 200
"""Longest session or user id, in characters."""


def check_id(value: str, what: str) -> None:
    """Refuse an id that cannot be shown or typed.

    Raises:
        MalformedInput: too long, with control characters, or with blanks around it.
    """
    if value and (len(value) > MAX_ID or not value.isprintable() or value != value.strip()):
        raise MalformedInput(
            f"A {what} has at most {MAX_ID} printable characters and no blanks around it, not {value[:80]!r}.",
            remedy="Choose another one.",
        )

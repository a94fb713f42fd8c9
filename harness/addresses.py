"""Addresses of servers: passwords kept out of files by ``${NAME}``, and out of sight wherever an address is shown."""

from __future__ import annotations

import re
from collections.abc import Mapping
from urllib.parse import quote

from harness.errors import SettingsError

HIDDEN = "***"
_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
_PASSWORD = re.compile(r"(?<=://)(?P<user>[^/?#:]*):[^?#]*@")
_IN_QUERY = re.compile(r"(?i)(?<=[?&])(?P<name>password|sslpassword)=[^&#]*")
_KINDS = {
    "redis": "redis",
    "rediss": "redis",
    "unix": "redis",
    "postgresql": "postgres",
    "postgres": "postgres",
}


def masked(address: str) -> str:
    """The address as it may be shown: without its password."""
    shown = _PASSWORD.sub(rf"\g<user>:{HIDDEN}@", address)
    return _IN_QUERY.sub(rf"\g<name>={HIDDEN}", shown)


def expanded(address: str, environ: Mapping[str, str], *, setting: str) -> str:
    """The address with ``${NAME}`` replaced by that environment variable. What stands for a user or a password may hold any
    characters: they are quoted.

    Raises:
        SettingsError: there is no such variable. ``setting``: what is named as being wrong.
    """
    edge = address.rfind("@")
    whole = _VARIABLE.fullmatch(address) is not None

    def value(found: re.Match[str]) -> str:
        name = found[1]
        if not environ.get(name):
            raise SettingsError(
                f"{setting} names the environment variable {name}, which is not set.",
                remedy=f"Set {name}, or write the address without it.",
            )
        text = environ[name].strip()
        return text if whole or found.end() > edge else quote(text, safe="")

    return _VARIABLE.sub(value, address)


def kind_of(address: str) -> str:
    """Which kind of server an address leads to: ``redis``, ``postgres``, or empty for none that is known."""
    scheme, parted, _ = address.partition("://")
    return _KINDS.get(scheme.lower(), "") if parted else ""

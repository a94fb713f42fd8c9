"""Why no connection came about: refused, DNS, TLS, a proxy variable that points nowhere."""

from __future__ import annotations

import ipaddress
import os
import socket
import ssl
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import urlsplit

from harness import errors
from harness.adapters.models.endpoint import is_local, without_credentials
from harness.adapters.models.failures import Target, plain_http
from harness.errors import ModelError

_CONNECT_ERRORS = frozenset({"ConnectError", "ConnectTimeout", "ProxyError"})
"""Names of the HTTP client's exceptions that mean: before anything was sent."""


@dataclass(frozen=True, slots=True)
class Proxy:
    """The proxy a request goes through. ``variable`` is empty when the system configuration names it."""

    variable: str
    url: str

    @property
    def shown(self) -> str:
        """Where it comes from and its address, without user and password."""
        source = f"the variable {self.variable}" if self.variable else "the system's proxy setting"
        return f"{source} ({without_credentials(self.url)})"


def proxy_for(url: str) -> Proxy | None:
    """The proxy that applies to a URL by the environment, as the HTTP client sees it; None when it is direct."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    proxies = urllib.request.getproxies()
    if _bypassed(host, parts.port, proxies.get("no", "")):
        return None
    for scheme in (parts.scheme, "all"):
        if address := proxies.get(scheme):
            return Proxy(_variable(scheme, address), address if "://" in address else f"http://{address}")
    return None


def _bypassed(host: str, port: int | None, exceptions: str) -> bool:
    names = [name.strip().lower() for name in exceptions.split(",") if name.strip()]
    return any(name == "*" or _matches(name, host.lower(), port) for name in names)


def _matches(name: str, host: str, port: int | None) -> bool:
    bare = name.rpartition("://")[2]
    if port is not None:
        bare = bare.removesuffix(f":{port}")
    if "/" in bare:
        try:
            return ipaddress.ip_address(host) in ipaddress.ip_network(bare, strict=False)
        except ValueError:
            return False
    suffix = bare.removeprefix("*").removeprefix(".").strip("[]")
    return host == suffix or host.endswith(f".{suffix}")


def _variable(scheme: str, address: str) -> str:
    wanted = f"{scheme}_proxy"
    return next((name for name, value in os.environ.items() if name.lower() == wanted and value == address), "")


def chain(error: BaseException) -> Iterator[BaseException]:
    """An exception with everything that caused it, groups included, outermost first."""
    seen: set[int] = set()
    queue: list[BaseException | None] = [error]
    while queue:
        current = queue.pop(0)
        if current is None or id(current) in seen:
            continue
        seen.add(id(current))
        yield current
        if isinstance(current, BaseExceptionGroup):
            queue.extend(current.exceptions)
        queue.extend((current.__cause__, current.__context__))


def from_connection(
    error: BaseException, target: Target, *, trust_env: bool = True, seconds: float = 0.0
) -> ModelError:
    """The error for a failure below HTTP. ``seconds``: the connection timeout, for the message."""
    causes = list(chain(error))
    names = {type(cause).__name__ for cause in causes}
    at_connect = bool(names & _CONNECT_ERRORS)
    proxy = proxy_for(target.url) if trust_env and at_connect else None
    for cause in causes:
        if isinstance(cause, ssl.SSLError):
            return _tls(cause, target)
    if proxy is not None:
        return _proxy(proxy, target, causes)
    for cause in causes:
        if isinstance(cause, socket.gaierror):
            return _dns(target, cause)
    if "ConnectTimeout" in names:
        msg = f"No connection to {target.shown} within {seconds:g} s."
        remedy = "Check host, port and firewall, or raise provider.connect_timeout_s."
        return target.error(errors.ModelTimeout, msg, remedy, at="connect")
    if any("illegal status line" in str(cause) and "\\x15" in str(cause) for cause in causes):
        return plain_http(target)
    if at_connect:
        return _refused(target, causes)
    what = next((str(cause) for cause in causes[1:] if str(cause)), type(causes[-1]).__name__)
    msg = f"Expected an answer from {target.shown}, but the connection broke: {what!r}."
    remedy = "Try again; if it stays, the server or something in between closes connections: look at its log."
    if target.url.startswith("http://") and "without sending" in what:
        remedy += " A server that speaks TLS does this, too: then begin base_url with https://."
    return target.error(errors.Unreachable, msg, remedy, at="read")


def _refused(target: Target, causes: list[BaseException]) -> ModelError:
    refused = any(isinstance(cause, ConnectionRefusedError) for cause in causes)
    parts = urlsplit(target.url)
    what = "nothing listens there (connection refused)" if refused else f"no connection: {str(causes[-1])!r}"
    msg = f"Expected an API at {target.shown}, but {what}."
    remedy = (
        f"Start the model server, or correct the port in base_url; in a container, {parts.hostname} is the container itself."
        if is_local(parts.hostname or "")
        else "Check host and port of base_url, and the network."
    )
    return target.error(errors.Unreachable, msg, remedy, at="connect")


def _proxy(proxy: Proxy, target: Target, causes: list[BaseException]) -> ModelError:
    why = next((str(cause) for cause in reversed(causes) if str(cause)), type(causes[-1]).__name__)
    msg = f"Requests to {target.shown} go through {proxy.shown}, which does not let them through: {why!r}."
    host = urlsplit(target.url).hostname
    name = proxy.variable or "the proxy"
    remedy = f"Unset {name}, correct it, add {host} to NO_PROXY, or set provider.trust_env = false."
    return target.error(
        errors.ProxyUnreachable, msg, remedy, variable=proxy.variable, proxy=without_credentials(proxy.url)
    )


def _dns(target: Target, cause: socket.gaierror) -> ModelError:
    host = urlsplit(target.url).hostname
    msg = f"The host name {host!r} of base_url does not resolve: {cause.strerror or str(cause)!r}."
    remedy = "Check its spelling, and whether this machine has a network and DNS."
    return target.error(errors.NameNotResolved, msg, remedy, passing=cause.errno == socket.EAI_AGAIN)


def _tls(cause: ssl.SSLError, target: Target) -> ModelError:
    reason = getattr(cause, "reason", "") or str(cause)
    if isinstance(cause, ssl.SSLCertVerificationError):
        said = getattr(cause, "verify_message", "") or reason
        msg = f"The certificate of {target.shown} is not trusted: {said!r}."
        remedy = (
            "For a certificate of your own, point SSL_CERT_FILE at its authority's file; "
            "else check the host name, the clock, and for something in between that decrypts."
        )
    elif "WRONG_VERSION" in reason or "RECORD_LAYER" in reason or "HTTP_REQUEST" in reason:
        msg = f"{target.shown} does not speak TLS ({reason})."
        remedy = "If the server speaks plain http, begin base_url with http://; else check the port."
    else:
        msg = f"The TLS handshake with {target.shown} failed: {reason!r}."
        remedy = "Check the port and the server's TLS versions."
    return target.error(errors.TLSFailed, msg, remedy)

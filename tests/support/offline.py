"""No test reaches another machine: sockets connect to this one, and names are not looked up.

    offline.guard()          # once in a process
    socket.create_connection(("example.org", 443))     # raises OffTheMachine

Code under test may swallow what is raised, so what was tried is also kept: ``tried`` is emptied by
whoever tells it (``tests/conftest.py`` fails the test).
"""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Callable
from typing import Any

HERE = ("", "localhost", "localhost.localdomain")
tried: list[str] = []


class OffTheMachine(AssertionError):
    """A test, or the code that it tests, wanted to reach another machine."""


def stays_here(address: Any) -> bool:
    """Whether a socket's address is of this machine: a path, a loopback address or its name."""
    if not isinstance(address, tuple) or not address:
        return True
    host = address[0]
    if not isinstance(host, str) or host in HERE:
        return True
    try:
        found = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return False
    return found.is_loopback or found.is_unspecified


def guard() -> None:
    """Guard this process and those forked from it; a second time does nothing."""
    if getattr(socket.getaddrinfo, "guarded", False):
        return
    for name in ("connect", "connect_ex", "bind", "sendto"):
        setattr(socket.socket, name, _guarded(name, getattr(socket.socket, name)))
    query = socket.getaddrinfo

    def getaddrinfo(host: Any, *more: Any, **named: Any) -> Any:
        _check("getaddrinfo", (host.decode() if isinstance(host, bytes) else host or "",))
        return query(host, *more, **named)

    getaddrinfo.guarded = True  # type: ignore[attr-defined]
    socket.getaddrinfo = getaddrinfo


def _guarded(name: str, real: Callable[..., Any]) -> Callable[..., Any]:
    def method(self: socket.socket, *arguments: Any) -> Any:
        _check(name, arguments[-1] if arguments else None)
        return real(self, *arguments)

    return method


def _check(name: str, address: Any) -> None:
    if not stays_here(address):
        tried.append(f"{name} {address}")
        raise OffTheMachine(f"{name} {address}: no test reaches another machine")

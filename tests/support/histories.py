"""A repository with two years of history, in which each piece of code fares in a way of its own.

    history = two_years(tmp_path)
    history.repo.switch(history.old)       # the commit of two years ago, tagged v1.0
    history.repo.switch("main")            # the newest, tagged v2.0
    history.by["edited"]                   # the commit that edited round_price

What stands where in the first commit, and what became of it:

    shifted    src/server.py:10-13         pushed down by a header, later by another method
    indented   src/cart.py::total          put into a class, so indented
    wrapped    src/client.py:6-8           formatted: long lines are wrapped
    moved      src/util.py::slugify        moved to src/text/slugs.py
    renamed    src/mail.py                 renamed to src/notify/mail.py, and edited a little
    edited     src/money.py::round_price   its body says something else
    deleted    src/legacy.py:1-5           deleted with its file
    folder     tools/build                 the file is a folder now, and what it said is gone
    rewritten  src/config.py               another file under the same name
"""

from __future__ import annotations

from pathlib import Path

from gitmem.model.frozen import dataclass
from tests.support.repos import RepoBuilder

_DAY = 86_400
_FIRST = 1_690_000_000  # 2023-07-22T04:26:40Z
_APART = 24 * _DAY  # 32 commits: two years and two weeks
QUIET = 2  # commits between two that matter

SERVER = '''"""The server."""

import socket


class Server:
    def __init__(self, host, port=6380):
        self.address = (host, port)

    def start(self, backlog=5):
        listener = socket.create_server(self.address)
        listener.listen(backlog)
        return listener

    def stop(self, listener):
        listener.close()
'''
CART = """def total(lines, discount):
    amount = sum(line.price * line.count for line in lines)
    if amount > 5000:
        amount -= discount
    return max(amount, 0)
"""
CLIENT = """import urllib.request

RETRIES = 3


def fetch(address, token):
    request = urllib.request.Request(address, headers={"Authorization": f"Bearer {token}"})
    return urllib.request.urlopen(request, timeout=30).read()
"""
SLUGIFY = """def slugify(title):
    kept = [letter if letter.isalnum() else "-" for letter in title.lower()]
    return "".join(kept).strip("-")
"""
CHUNKED = """def chunked(items, size):
    for start in range(0, len(items), size):
        yield items[start : start + size]
"""
MAIL = '''"""Letters to those who bought something."""

SENDER = "shop@example.org"


def receipt(order):
    return f"Thank you, {order.name}: {order.total} paid."


def reminder(order):
    return f"{order.name}, {order.total} is still to be paid."
'''
MONEY = """from decimal import ROUND_HALF_EVEN, Decimal


def round_price(price):
    cents = Decimal(price).quantize(Decimal("0.01"), ROUND_HALF_EVEN)
    return cents


def in_words(price):
    return f"{price} euro"
"""
LEGACY = """def export_rows(orders, out):
    out.write("id;name;total")
    for order in orders:
        out.write(f"{order.id};{order.name};{order.total}")
    out.flush()
"""
BUILD = """#!/bin/sh
set -eu
cc -O2 -o shop main.c
strip shop
tar -czf shop.tar.gz shop
"""
CONFIG = """import configparser

FILE = "/etc/shop.ini"


def read_settings():
    parser = configparser.ConfigParser()
    parser.read(FILE)
    return dict(parser["shop"])
"""
CONFIG_NOW = """import tomllib
from pathlib import Path

PLACES = (Path("shop.toml"), Path.home() / ".shop.toml")


def load():
    for place in PLACES:
        if place.is_file():
            return tomllib.loads(place.read_text())
    return {}
"""
_HEADER = "# Copyright the shop.\n# All rights reserved.\n\n"
_READY = "    def ready(self):\n        return True\n\n"

FIRST = {
    "README.md": "# Shop\n\nA shop for hats.\n",
    "src/server.py": SERVER,
    "src/cart.py": CART,
    "src/client.py": CLIENT,
    "src/util.py": CHUNKED + "\n\n" + SLUGIFY,
    "src/mail.py": MAIL,
    "src/money.py": MONEY,
    "src/legacy.py": LEGACY,
    "tools/build": BUILD,
    "src/config.py": CONFIG,
}

# What happens -> files written (None: deleted), in this order.
EVENTS: dict[str, dict[str, str | None]] = {
    "shifted": {"src/server.py": _HEADER + SERVER},
    "indented": {
        "src/cart.py": "class Cart:\n"
        + "".join(f"    {line}\n" if line else "\n" for line in CART.splitlines())
    },
    "wrapped": {
        "src/client.py": CLIENT.replace(
            'Request(address, headers={"Authorization": f"Bearer {token}"})',
            'Request(\n        address, headers={"Authorization": f"Bearer {token}"}\n    )',
        )
    },
    "moved": {"src/util.py": CHUNKED, "src/text/slugs.py": '"""Slugs."""\n\n\n' + SLUGIFY},
    "renamed": {
        "src/mail.py": None,
        "src/notify/mail.py": MAIL.replace("Thank you", "Many thanks"),
    },
    "edited": {
        "src/money.py": MONEY.replace(
            '    cents = Decimal(price).quantize(Decimal("0.01"), ROUND_HALF_EVEN)\n'
            "    return cents\n",
            '    franc = Decimal(price) / Decimal("0.05")\n'
            '    return franc.to_integral_value() * Decimal("0.05")\n',
        )
    },
    "deleted": {"src/legacy.py": None},
    "folder": {"tools/build": None, "tools/build/release.py": "print('made by CI now')\n"},
    "rewritten": {"src/config.py": CONFIG_NOW},
    "shifted again": {
        "src/server.py": _HEADER + SERVER.replace("    def start(", _READY + "    def start(")
    },
}


@dataclass(frozen=True, slots=True)
class History:
    """The repository on ``main``, its ``old`` and its ``new`` commit, and who did what."""

    repo: RepoBuilder
    old: str
    new: str
    by: dict[str, str]


def two_years(folder: Path) -> History:
    """The history, its commits 24 days apart, with quiet ones between those that matter."""
    repo = RepoBuilder(folder / "repo")
    repo.git("remote", "add", "origin", "https://github.com/acme/shop.git")
    day = iter(range(_FIRST, _FIRST + 1000 * _APART, _APART))
    old = repo.commit("Open the shop", FIRST, when=f"{next(day)} +0000")
    repo.git("tag", "v1.0")
    by = {}
    for what, files in EVENTS.items():
        for number in range(QUIET):
            quiet = {f"notes/{what.replace(' ', '-')}-{number}.md": f"# Quiet {what} {number}\n"}
            repo.commit(f"Write about {what} {number}", quiet, when=f"{next(day)} +0000")
        by[what] = _happen(repo, what, files, f"{next(day)} +0000")
    last = {"README.md": "# Shop\n\nOpen daily.\n"}
    repo.commit("Say when it is open", last, when=f"{next(day)} +0000")
    repo.git("tag", "v2.0")
    return History(repo, old, repo.head(), by)


def _happen(repo: RepoBuilder, what: str, files: dict[str, str | None], when: str) -> str:
    for path, text in files.items():
        if text is None:
            (repo.path / path).unlink()
    saved = {path: text for path, text in files.items() if text is not None}
    return repo.commit(f"Let it be {what}", saved, when=when)

"""Templates and static files: HTML from plain data, every value escaped."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from functools import cache
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlencode

from markupsafe import Markup
from starlette.responses import Response

from gitmem.charts import static_assets
from gitmem.clock import parse_iso, zones
from gitmem.errors import NotFound

if TYPE_CHECKING:
    from jinja2 import Environment

_FOLDER = os.path.dirname(__file__)
# Those of the pages, and those of pictures, which a report in one file has as well.
_STATIC = (os.path.join(_FOLDER, "static"), str(static_assets.FOLDER))
_TYPES = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
# Nothing inline, nothing foreign; forms go to this server alone.
POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
# Marks that reorder the text around them: shown, since they can make a text look like another.
_REORDERING = {ord(char): "\N{REPLACEMENT CHARACTER}" for char in "\u202a\u202b\u202c\u202d\u202e"}
_REORDERING |= dict.fromkeys(map(ord, "\u2066\u2067\u2068\u2069"), "\N{REPLACEMENT CHARACTER}")
_CONTROLS = {code: "\N{REPLACEMENT CHARACTER}" for code in range(32) if code not in (9, 10, 13)}


def render_page(template: str, context: dict[str, Any], status: int = 200) -> Response:
    """Fill in a template, a file name, with the values in ``context``; returns an HTML response."""
    text = _environment().get_template(template).render(context)
    headers = {
        "Content-Security-Policy": POLICY,
        "Vary": "Accept, Cookie",
        # Without a referrer browsers call the origin of a form null.
        "Referrer-Policy": "same-origin",
    }
    body = text.encode("utf-8", "replace")
    return Response(body, status, headers, "text/html")


def static_file(file_name: str) -> Response:
    """An HTTP response with a static file (style sheet, script), to be cached for good.

    Raises NotFound for an unknown name.
    """
    if file_name not in _hashes():
        raise NotFound(f"This server has no file {file_name[:80]!r}.", "Load the page again.")
    with open(_hashes()[file_name][1], "rb") as file:
        body = file.read()
    headers = {"Cache-Control": "public, max-age=31536000, immutable"}
    return Response(body, 200, headers, _TYPES[os.path.splitext(file_name)[1]])


@cache
def _hashes() -> dict[str, tuple[str, str]]:
    """The static files, each with the hash of its content and its place."""
    hashes = {}
    for folder in _STATIC:
        for name in sorted(os.listdir(folder)):
            if os.path.splitext(name)[1] in _TYPES:
                place = os.path.join(folder, name)
                with open(place, "rb") as file:
                    hashes[name] = (hashlib.sha256(file.read()).hexdigest()[:12], place)
    return hashes


def static_file_address(file_name: str) -> str:
    """The address of a static file, ``/static/HASH/NAME``, with a hash of its content."""
    return f"/static/{_hashes()[file_name][0]}/{file_name}"


@cache
def _environment() -> Environment:
    # With the first page: a server that only programs ask starts without them.
    from jinja2 import Environment, FileSystemLoader, StrictUndefined  # noqa: PLC0415

    from gitmem.http.pages import highlight  # noqa: PLC0415

    environment = Environment(
        loader=FileSystemLoader(os.path.join(_FOLDER, "templates")),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
        finalize=_shown,
    )
    environment.globals |= {"static": static_file_address, "address": make_address}
    environment.filters |= {
        "moment": _moment,
        "short": _short,
        "count": _count,
        "breakable": _breakable,
    }
    environment.filters["highlighted"] = highlight.highlighted_lines
    environment.filters["block"] = lambda picture: Markup(
        static_assets.chart_as_html_safe_json(picture)
    )
    return environment


def _shown(value: Any) -> Any:
    """A text with control and reordering marks made visible."""
    if isinstance(value, str) and not isinstance(value, Markup) and not value.isprintable():
        return value.translate(_REORDERING).translate(_CONTROLS)
    return value


def make_address(*parts: str, **query: Any) -> str:
    """An address on this server: a path of quoted ``parts``, and a query without empty values."""
    path = "/" + "/".join(quote(part, safe="/") for part in parts)
    return address_with_query(
        path, [(k, str(v)) for k, v in query.items() if v not in ("", None, 0)]
    )


def address_with_query(path: str, query_pairs: Iterable[tuple[str, str]]) -> str:
    """An address made of a path and the query ``query_pairs``."""
    text = urlencode(list(query_pairs), errors="replace")
    return f"{path}?{text}" if text else path


def _moment(iso: str | None, zone: str, *, day: bool = False) -> Markup:
    """A time as people of a zone read it, with the exact one behind it; empty for none."""
    if not iso:
        return Markup("")
    local = zones.to_local_datetime(parse_iso(iso), zones.load_time_zone(zone))
    shown = f"{local.day} {local:%b %Y}" + ("" if day else f", {local:%H:%M}")
    return Markup('<time datetime="{}" title="{}">{}</time>').format(iso, iso, shown)


def _short(text: str, width: int = 160) -> str:
    """A text in one line of at most ``width`` characters."""
    line = " ".join(text[: width * 4].split())
    return line if len(line) <= width else line[: width - 1].rstrip() + "…"


def _breakable(path: str) -> Markup:
    """A path or name that may break after its slashes and dots."""
    return Markup("/<wbr>").join(_shown(path).split("/"))


def _count(number: int, single: str, several: str = "") -> str:
    """``1 memory``, ``2 memories``."""
    if number == 1:
        return f"1 {single}"
    if single.endswith("y"):
        several = several or single[:-1] + "ies"
    plural = several or single + ("es" if single.endswith(("s", "x", "h")) else "s")
    return f"{number:,} {plural}"

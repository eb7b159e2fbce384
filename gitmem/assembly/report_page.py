"""The report as one HTML file: its pictures, its scripts and its style inside it.

The file says its own policy: of scripts and styles only those in it run, known by their hashes,
and nothing is loaded from anywhere. Every text in it is escaped, and on one line.
"""

from __future__ import annotations

import base64
import hashlib
from pathlib import Path

import jinja2
from markupsafe import Markup

from gitmem.assembly import code_map
from gitmem.assembly.report import ReportFacts, describe_counts_of_period
from gitmem.charts import static_assets, treemap
from gitmem.charts.marks import timeline_chart
from gitmem.clock import format_iso
from gitmem.memory.trust import state_and_trust_marks
from gitmem.retrieval import memory_view
from gitmem.text.fence import one_line
from gitmem.text.quantity import quantity

_TEMPLATE = Path(__file__).with_name("report.html")
_STYLE = Path(__file__).with_name("report.css")
# Characters of a text, and files of a table.
_WIDTH, _FILES = 300, 40
# The code map by what changes often, and by what is remembered.
_MAPS = (
    ("hot", "Where does the code change?"),
    ("remembered", "What is remembered of it?"),
)


def render_report_html(facts: ReportFacts) -> str:
    """Return the report as one HTML page that loads nothing from elsewhere."""
    scripts = [static_assets.read_chart_asset(name) for name in static_assets.SCRIPTS]
    style = static_assets.read_chart_asset(static_assets.STYLE) + _STYLE.read_text("utf-8")
    happened = facts.happened
    maps = [_map(facts, by, title) for by, title in _MAPS] if facts.files else []
    environment = jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined)
    environment.filters |= {"line": _line, "day": _day, "minute": _minute, "quantity": quantity}
    return environment.from_string(_TEMPLATE.read_text("utf-8")).render(
        facts=facts,
        counts=describe_counts_of_period(happened),
        policy=_policy(scripts, style),
        style=Markup(style),
        scripts=[Markup(script) for script in scripts],
        timeline=Markup(
            static_assets.chart_as_html_safe_json(
                timeline_chart(happened.rows, happened.since, happened.until)
            )
        ),
        maps=maps,
        citation=memory_view.format_citation_freshness,
        marks=state_and_trust_marks,
    )


def _map(facts: ReportFacts, by: str, title: str) -> dict[str, object]:
    picture = treemap.treemap_chart(facts.files, by)
    return {
        "id": f"map-{by}",
        "title": title,
        "picture": Markup(static_assets.chart_as_html_safe_json(picture)),
        "palette": picture["palette"],
        "legend": picture["legend"],
        "files": code_map.top_files_by_metric(facts.files, by, _FILES),
    }


def _policy(scripts: list[str], style: str) -> str:
    allowed = " ".join(map(_hash, scripts))
    return (
        f"default-src 'none'; script-src {allowed}; style-src {_hash(style)}; "
        "base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"


def _line(text: str) -> str:
    return one_line(text, _WIDTH)


def _day(at: int) -> str:
    return format_iso(at)[:10]


def _minute(at: int) -> str:
    return format_iso(at)[:16].replace("T", " ")

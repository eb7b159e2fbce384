"""The files that draw pictures in a page: the vendored library, a small script, a style sheet.

Apache ECharts is vendored as published: ``dist/echarts.min.js`` of the npm package, the smallest
of its builds that has treemaps and graphs.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

VERSION = "6.1.0"
SOURCE = f"https://registry.npmjs.org/echarts/-/echarts-{VERSION}.tgz"
LICENCE = "Apache-2.0"
# Of each file as it is in that package: static name -> (name there, SHA-256).
VENDORED = {
    "echarts.min.js": (
        "dist/echarts.min.js",
        "b66b25aeb4df84e33199dc21694014d336d222cbd9deb0e5a7c14bd6aa0d0fd0",
    ),
    "echarts.LICENSE": (
        "LICENSE",
        "634293835b43a6dd2094fa39182a3d9a6b9ca43b7fdb9ac354e8037af2a3093a",
    ),
    "echarts.NOTICE": (
        "NOTICE",
        "d491d358344f842685c1b1585970999db65fe30ecf7ef3867af8814f4016c016",
    ),
}
# What a page with pictures loads, in this order.
SCRIPTS = ("echarts.min.js", "charts.js")
STYLE = "charts.css"
FOLDER = Path(__file__).parent / "static"


def read_chart_asset(file_name: str) -> str:
    """The text of a file in ``static``, such as ``charts.js``."""
    return (FOLDER / file_name).read_text("utf-8")


def chart_as_html_safe_json(chart: Mapping[str, object]) -> str:
    """A chart as JSON text that is safe inside ``<script type="application/json">``.

    ``<``, ``>`` and ``&`` are escaped as in JSON. Broken surrogates become ``?``.
    """
    text = json.dumps(chart, ensure_ascii=False, separators=(",", ":"))
    for mark in "<>&\u2028\u2029":
        text = text.replace(mark, f"\\u{ord(mark):04x}")
    return text.encode("utf-8", "replace").decode()

"""What draws pictures is vendored as published, and data in a page stays data."""

from __future__ import annotations

import hashlib
import json
import re
from html.parser import HTMLParser

from hypothesis import given
from hypothesis import strategies as st

from gitmem.charts import static_assets
from tests.support.tables import table


@table("name", list(static_assets.VENDORED))
def test_a_vendored_file_is_the_published_one(name: str) -> None:
    """CT-20."""
    data = (static_assets.FOLDER / name).read_bytes()
    assert hashlib.sha256(data).hexdigest() == static_assets.VENDORED[name][1]


def test_every_static_file_is_vendored_or_small_and_own() -> None:
    own = {path.name for path in static_assets.FOLDER.iterdir()} - static_assets.VENDORED.keys()
    assert own == {"charts.js", static_assets.STYLE}
    assert all((static_assets.FOLDER / name).stat().st_size < 20_000 for name in own)


def test_the_library_says_its_version_itself() -> None:
    assert f'version="{static_assets.VERSION}"' in static_assets.read_chart_asset("echarts.min.js")


def test_our_script_makes_no_html_and_loads_nothing() -> None:
    script = static_assets.read_chart_asset("charts.js")
    for banned in (
        "innerHTML",
        "insertAdjacentHTML",
        "eval(",
        "fetch(",
        "http:",
        "https:",
        "rich:",
    ):
        assert banned not in script
    assert not re.search(r"url\(|@import", static_assets.read_chart_asset(static_assets.STYLE))


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.tags.append(tag)

    def handle_data(self, data: str) -> None:
        self.text += data


@given(st.text() | st.sampled_from(["</script><img src=x onerror=alert(1)>", "<!--", "]]>"]))
def test_no_text_in_a_picture_can_end_its_block(text: str) -> None:
    reader = _Reader()
    block = static_assets.chart_as_html_safe_json({"text": text})
    reader.feed(f'<script type="application/json">{block}</script>')
    reader.close()
    assert reader.tags == ["script"]
    assert json.loads(reader.text) == {"text": text.encode("utf-8", "replace").decode()}
    assert not set("<>&") & set(block)

"""Pictures: the data of each chart, bounded and plain, and the vendored library that draws it.

A picture is JSON with a ``kind`` that ``static/charts.js`` knows. Its texts are drawn as text, and
it lies in a page as a block of data (``static_assets.chart_as_html_safe_json``), so a page needs no
inline script.
"""

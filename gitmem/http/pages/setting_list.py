"""The settings: what is set and from where, then what could be."""

from __future__ import annotations

from typing import Any

from gitmem.app import App
from gitmem.http.pages.page import Page, PageParameters, result_of_verb


def read_settings_page_data(app: App, _query: PageParameters) -> dict[str, Any]:
    """A dict to show in the page on settings: those that are set, then the others by group."""
    answer = result_of_verb(app, "config")
    groups: dict[str, list[dict[str, Any]]] = {}
    for setting in answer["settings"]:
        if setting["source"] == "default":
            groups.setdefault(setting["key"].partition(".")[0], []).append(setting)
    return {
        "set": [setting for setting in answer["settings"] if setting["source"] != "default"],
        "groups": [{"name": name, "settings": rows} for name, rows in sorted(groups.items())],
        "warnings": [*answer["warnings"], *answer["notes"]],
    }


SETTINGS = Page(
    "settings",
    "/settings",
    "What is set, and from where?",
    read_settings_page_data,
    "Settings",
    "config",
    minor=True,
)

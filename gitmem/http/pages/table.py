"""The table of pages and forms: a page is an entry here, a function and a template.

The order is that of the navigation.
"""

from __future__ import annotations

from gitmem.http.pages import (
    code_map,
    commit,
    file,
    health,
    job_list,
    overview,
    project_list,
    search,
    setting_list,
    timeline,
)
from gitmem.http.pages.forms import Action
from gitmem.http.pages.page import Page

PAGES: tuple[Page, ...] = (
    overview.OVERVIEW,
    search.SEARCH,
    timeline.TIMELINE,
    code_map.MAP,
    health.HEALTH,
    job_list.JOBS,
    project_list.PROJECTS,
    setting_list.SETTINGS,
    file.FILE,
    commit.COMMIT,
)
# By the last part of the address that a form is sent to: /do/pin.
ACTIONS: dict[str, Action] = {**health.ACTIONS}

"""The table of pages and forms: a page is an entry here, a function and a template.

The order is that of the navigation.
"""

from __future__ import annotations

from gitmem.http.pages import (
    agents_page,
    answers_page,
    code_map,
    decisions,
    file,
    health,
    inbox_page,
    job_list,
    memory_forms,
    memory_list,
    memory_page,
    overview,
    project_list,
    search,
    setting_list,
    timeline,
    try_page,
)
from gitmem.http.pages.forms import Action
from gitmem.http.pages.page import Page

PAGES: tuple[Page, ...] = (
    overview.OVERVIEW,
    memory_list.MEMORIES,
    memory_page.MEMORY,
    memory_page.EDIT,
    memory_page.CHANGED,
    decisions.DECISIONS,
    timeline.TIMELINE,
    code_map.MAP,
    file.FILE,
    inbox_page.INBOX,
    agents_page.AGENTS,
    agents_page.SESSION,
    answers_page.ASK,
    answers_page.COMMIT,
    health.HEALTH,
    search.SEARCH,
    job_list.JOBS,
    project_list.PROJECTS,
    setting_list.SETTINGS,
    try_page.TRY,
)
# By the last part of the address that a form is sent to: /do/pin.
ACTIONS: dict[str, Action] = {
    **memory_forms.ACTIONS,
    **inbox_page.ACTIONS,
    **decisions.ACTIONS,
    **health.ACTIONS,
    **try_page.ACTIONS,
}

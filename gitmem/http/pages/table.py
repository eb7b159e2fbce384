"""The table of pages and forms: a page is an entry here, a function and a template.

The order is that of the navigation.
"""

from __future__ import annotations

from gitmem.http.pages import overview
from gitmem.http.pages.forms import Action
from gitmem.http.pages.page import Page

PAGES: tuple[Page, ...] = (overview.OVERVIEW,)
# By the last part of the address that a form is sent to: /do/pin.
ACTIONS: dict[str, Action] = {}

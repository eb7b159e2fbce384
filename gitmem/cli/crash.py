"""What the command line does about a bug: the same as every other rim."""

from __future__ import annotations

from gitmem.crashlog import record

__all__ = ["record"]

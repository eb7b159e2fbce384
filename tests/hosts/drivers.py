"""The hosts that can be driven, by gitmem's name for them."""

from __future__ import annotations

from tests.hosts import claude_code, codex, gemini

DRIVERS = {one.DRIVER.agent: one.DRIVER for one in (claude_code, codex, gemini)}

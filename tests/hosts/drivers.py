"""The hosts that can be driven, by gitmem's name for them."""

from __future__ import annotations

from tests.hosts import claude_code, codex, copilot, gemini, kimi, opencode

_FILES = (claude_code, codex, gemini, opencode, copilot, kimi)
DRIVERS = {file.DRIVER.agent: file.DRIVER for file in _FILES}

"""``python -m tests.mcp.conformance``: what npm has to install, as words of its command."""

from __future__ import annotations

from tests.mcp.conformance.suite import PACKAGES

if __name__ == "__main__":
    print(" ".join(f"{name}@{what}" for name, what in PACKAGES.items()))

"""The same site as the git hooks have: what they append is read here."""

from tests.githooks.conftest import site, template

__all__ = ["site", "template"]

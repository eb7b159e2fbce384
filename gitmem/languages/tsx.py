"""TypeScript with JSX elements."""

from __future__ import annotations

from gitmem.languages import typescript
from gitmem.model.frozen import replace

LANGUAGE = replace(
    typescript.LANGUAGE,
    name="tsx",
    files="",
    also="",
    programs="",
    function="language_tsx",
    queries="ecma jsx typescript",
)

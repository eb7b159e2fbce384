"""TypeScript: JavaScript with types, whose imports may be for these alone."""

from __future__ import annotations

from gitmem.languages import javascript
from gitmem.model.frozen import replace

LANGUAGE = replace(
    javascript.LANGUAGE,
    name="typescript",
    written="TypeScript",
    files="ts tsx mts cts",
    also="typescriptreact",
    programs="deno bun ts-node tsx",
    wheel="tree_sitter_typescript",
    function="language_typescript",
    queries="ecma typescript",
    grammars={"tsx": "tsx"},
    manifests="",  # those of JavaScript
)

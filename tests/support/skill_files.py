"""SKILL.md files as people publish them, in all the ways in which they are written.

Folder -> the bytes of its SKILL.md. Each differs from the others in what its front matter or its
body holds: quotes, folds, lists, maps, comments, line ends, marks, scripts, size.
"""

from __future__ import annotations

FILES: dict[str, bytes] = {
    "pdf": b"""---
name: pdf
description: Extract text and tables from PDF files, fill forms, merge documents.
---

# PDF processing

Use pdfplumber:

```python
import pdfplumber
```
""",
    "docx": b"""---
name: docx
description: "Create, edit: and analyse documents with tracked changes \\"as is\\""
license: Proprietary. LICENSE.txt has complete terms
---
# DOCX

Unpack first.
""",
    "commit-messages": b"""---
name: 'commit-messages'
description: 'Write the team''s commit messages. Use when someone says "commit".'
---

## Steps

1. Read `git diff --staged`.
2. Say why.
""",
    "folded": b"""---
name: folded
description: >
  Reviews a change
  before it is merged.

  Use it for every pull request.
version: 1.2.0
---

Look at tests first.
""",
    "literal": b"""---
name: literal
description: |-
  First line.
  Second line.
---

Body.
""",
    "long-plain": b"""---
name: long-plain
description: A description that goes on
  over several lines, indented
  and without quotes.
allowed-tools: Read, Grep, Glob
---

Body.
""",
    "tools-list": b"""---
name: tools-list
description: Allowed tools as a list.
allowed-tools:
  - Read
  - Bash(git diff:*)
  - Bash(npm run test:*)
---

Run the tests.
""",
    "flow-list": b"""---
name: flow-list
description: A list in brackets.
allowed-tools: [Read, "Bash(git log:*)", 'Write']
tags: [a, b, c]
---

Body.
""",
    "nested-metadata": b"""---
name: nested-metadata
description: Maps in maps are kept.
metadata:
  author: someone
  version: "2.1"
  compat:
    hosts:
      - one
      - two
---

Body.
""",
    "crlf": (
        b"---\r\nname: crlf\r\ndescription: Written on Windows.\r\n---"
        b"\r\n\r\n# Crlf\r\n\r\nStep.\r\n"
    ),
    "bom": b"\xef\xbb\xbf---\nname: bom\ndescription: Begins with a mark.\n---\n\nBody.\n",
    "bom-crlf": b"\xef\xbb\xbf---\r\nname: bom-crlf\r\ndescription: Both.\r\n---\r\nBody.\r\n",
    "mixed-ends": (
        b"---\nname: mixed-ends\ndescription: Both ends.\n---\r\n\r\nOne.\nTwo.\r\nThree.\n"
    ),
    "no-newline": b"---\nname: no-newline\ndescription: Ends without a line feed.\n---\n\nBody.",
    "blank-around": (
        b"---\nname: blank-around\ndescription: x\n---\n\n\n\n  Indented first.\n\n\n \t\n\n"
    ),
    "no-body": b"---\nname: no-body\ndescription: All is in the description.\n---\n",
    "no-body-at-all": b"---\nname: no-body-at-all\ndescription: Nothing behind the dashes.\n---",
    "no-front-matter": b"# Deploy\n\nRun the script, then look at the log.\n",
    "rules-inside": b"""---
name: rules-inside
description: Horizontal rules in the body.
---

One

---

Two

---
name: not-front-matter
---
""",
    "comments": b"""---
# Which skill this is.
name: comments   # the name
description: Comments in the front matter. # not part of it

# A blank line before this one.
license: MIT
---

Body.
""",
    "capital-name": b"""---
name: PDF Form Filling
description: A name for people, not for a folder.
---

Body.
""",
    "unicode": """---
name: unicode
description: Übersetzt Texte 日本語 → English, with émphasis and 🎉.
---

# Übersetzen

「そのまま」 — keep “quotes”.
""".encode(),
    "triggers": b"""---
name: triggers
description: Called by words.
triggers:
  - ship it
  - "cut a release"
  - 'make: a release'
---

Body.
""",
    "parameters": b"""---
name: parameters
description: Takes what it needs.
parameters:
  - name: tag
    description: The release
    required: true
  - name: format
    description: How it is written
    default: md
---

List what changed since {{tag}} as {{format}}.
""",
    "tabs": (
        b"---\nname:\ttabs\ndescription:\tTabs behind the colons.\t\n---\n\n\tcode\n\n- a\n\t- b\n"
    ),
    "trailing-spaces": (
        b"---  \nname: trailing-spaces   \ndescription: x   \n---\t\n\nLine.  \nBreak.  \n"
    ),
    "xml-body": b"""---
name: xml-body
description: Tags in the body.
---

<instructions>
  <step n="1">Read &amp; think</step>
</instructions>
<!-- a comment -->
""",
    "jinja-body": b"""---
name: jinja-body
description: Braces in the body that are no parameters.
---

{% for one in all %}{{ one.name }}{% endfor %} ${HOME} $ARGUMENTS {{missing}}
""",
    "long": b"---\nname: long\ndescription: "
    + b"word " * 150
    + b"\n---\n\n"
    + b"".join(b"## Part %d\n\nSome text for it, twice. Some text.\n\n" % n for n in range(300)),
    "nested-lists": b"""---
name: nested-lists
description: Lists in lists.
hooks:
  PreToolUse:
    - matcher: "Bash"
      hooks:
        - type: command
          command: "./check.sh"
  Stop: []
model: inherit
disable-model-invocation: true
---

1. One
   - a
     - deeper
   - b
2. Two

| a | b |
| --- | --- |
| 1 | 2 |
""",
    "anchors": b"""---
name: anchors
description: &told YAML that is kept and not read
again: *told
when: 2025-01-31
"quoted key": yes
? complex
: value
---

Body.
""",
    "unknown-keys": b"""---
name: unknown-keys
description: Keys of other programs.
user-invocable: false
argument-hint: "[issue] [branch]"
context: fork
agent: Explore
x-acme.priority: 3
---

Body.
""",
}

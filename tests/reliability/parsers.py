"""Every parser of what comes from outside, by a name: what S-14 gives random input to."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any

from gitmem.agents.events import hook_event
from gitmem.agents.hosts.table import BY_NAME
from gitmem.agents.live import launch, transcripts
from gitmem.agents.wiring import edit_toml
from gitmem.agents.wiring.templates import SET, ConfigFragment
from gitmem.assembly import manifests
from gitmem.clock import date_parser, durations, parse_iso
from gitmem.errors import InvalidInput
from gitmem.git import diff, log_output, plain_config, remotes, status
from gitmem.git.lines import line_history, patch, patch_apply
from gitmem.githooks import plan, shims
from gitmem.githooks.shims import MARKS
from gitmem.mcp.rpc import framing
from gitmem.memory import (
    adr_format,
    citations,
    decision_finder,
    decision_wording,
    event_types,
    export_format,
    jsonl_input,
)
from gitmem.memory.skills import skill_format, skill_parameters
from gitmem.patterns import name_match, rule, safe_regex, said_rule
from gitmem.review import coverage
from gitmem.search import intent
from gitmem.search import question as question_
from gitmem.spool import git_events
from gitmem.store.file import page_reader
from gitmem.store.file.page_reader import PageReader
from gitmem.store.memory import memory_rows
from gitmem.text import (
    code_fingerprint,
    fence,
    front_matter,
    globs,
    host_tags,
    issues,
    json_reader,
    jsonc,
    jsonc_edit,
    marked_block,
    name_secrets,
    redact,
    tokens,
    toml,
    toml_flat,
    wrapping,
)
from gitmem.timeline import error_signature, trace_places

LIMIT = 1 << 15
SAMPLES = (
    '{"id": "01ARZ3NDEKTSV4RRFFQ69G5FAV", "content": "x", "tags": ["a"], "at": "2026-01-01"}',
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"recall","arguments":{}}}',
    '{"session_id": "s", "cwd": "/", "hook_event_name": "PostToolUse", "tool_input": {"a": 1}}',
    '{"type": "user", "message": {"content": [{"type": "tool_result", "tool_use_id": "gitmem"}]}}',
    '{"payload": {"type": "function_call_output", "call_id": "gitmem", "output": "x"}}',
    '// note\n{"a": [1, 2,], /* x */ "b": "\\u0041"}',
    "[table]\nkey = 'v'\n[[many]]\nx = 2026-01-01T00:00:00Z\n",
    "---\nname: release\ndescription: >\n  Folded\ntags: [a, b]\n---\n# Title\n",
    "# 1. Use SQLite\n\n* Status: accepted\n\n## Context\n\nx\n\n## Decision\n\ny\n",
    "diff --git a/x b/y\nindex 1..2 100644\n--- a/x\n+++ b/y\n@@ -1,2 +1 @@\n-a\n+b\n",
    ":100644 100644 aaaa bbbb R100\0old\0new\0:000000 100644 0 1 A\0n\0",
    "1 .M N... 100644 100644 100644 aa bb src/x\0# branch.oid abc\0? untracked\0",
    'Traceback (most recent call last):\n  File "a.py", line 1, in f\nKeyError: \'x\'\n',
    '[remote "origin"]\n\turl = git@example.org:a/b.git\n\tfetch = +refs/*:refs/*\n',
    "TypeError: Cannot read properties of undefined\n    at f (/a/b.js:1:2)\n",
    "Never call `eval()`; use `ast.literal_eval` instead of `eval` in src/**/*.py.",
    '{"calls": "eval", "in": ["src/**"], "not": ["tests/**"], "message": "no"}',
    "next friday at 5pm", "2 weeks ago", "since v1.2", "last monday", "P1D", "1700000000",
    'redis AND "port number" NEAR(a b) col:x -y (z* ^',
    "#!/bin/sh\n# >>> gitmem hook >>>\n. x\n# <<< gitmem hook <<<\nexec y\n",
    "src/app.py:40-60", "src/app.py::Server.run", "https://user@example.org/a/b.git?x#y",
    '{"name": "x", "version": "1", "scripts": {"a": "b"}, "workspaces": ["p/*"]}',
    "module example.org/x\n\ngo 1.22\n\nrequire (\n\ta.b/c v1.2.3\n)\n",
    "password = 'not-a-real-one' and Bearer abc.def.ghi",
)  # fmt: skip
WORDS = sorted({word for sample in SAMPLES for word in sample.split()})
Parser = Callable[[Any], object]


def drained(some: Iterable[object]) -> list[object]:
    return list(some)


def edited(said: str) -> object:
    """A settings file of another program: what is put in comes out again."""
    jsonc.parse_jsonc(said)
    return jsonc_edit.remove_json_member(jsonc_edit.set_json_value(said, ["a", "b"], 1), ["a", "b"])


def block(data: bytes) -> object:
    if marked_block.has_block(data, MARKS) or marked_block.is_block_damaged(data, MARKS):
        return marked_block.extract_block(data, MARKS)
    put = marked_block.put_block(data, MARKS.begin + b"\nx\n" + MARKS.end + b"\n", MARKS)
    return marked_block.remove_block(put, MARKS)


def framed(text: str) -> None:
    """What is shown to an agent ends where the frame ends."""
    shown = fence.fence_text(text, source="x", delimiter="d1e2l3")
    assert shown.count("d1e2l3") == fence.fence_text("", source="x", delimiter="d1e2l3").count(
        "d1e2l3"
    )
    fence.make_printable(text)
    line = fence.one_line(text, 80)
    assert "\n" not in line and "\x1b" not in line


def pages(data: bytes) -> object:
    page = bytes([13, 0, 0, 0, 9]) + data
    return drained(
        page_reader.read_table_and_index_records(
            PageReader((page * (4096 // len(page) + 1))[:4096] * 2)
        )
    )


def settled(text: str) -> object:
    """Codex' settings: what is put in comes out again."""
    pieces = [ConfigFragment("codex", "mcp", SET, ("mcp_servers", "gitmem"), {"command": "gitmem"})]
    return edit_toml.remove_fragments(edit_toml.insert_fragments(text, pieces), pieces, None)


def transcribed(data: bytes) -> object:
    """What the transcripts of each host tell of hooks and of answered tools."""
    ours = data + b'\n{"name": "mcp__gitmem__recall", "payload": ' + data
    steps = (drained(transcripts._from_tools(host, ours, 0)) for host in BY_NAME.values())
    return drained(transcripts._from_hooks(data, 0)), drained(steps)


def answered(data: bytes) -> object:
    """What each host makes of what a hook says."""
    for host in BY_NAME.values():
        with suppress(InvalidInput):
            launch.text_reaching_model(host, "session-start", data)
    return None


def when(text: str) -> int:
    return date_parser.resolve_date(text, now_ms=1_700_000_000_000, zone="UTC")


TEXTS: dict[str, Parser] = {
    "JSON Lines of memories": lambda text: export_format.parse_export_line(text, max_bytes=LIMIT),
    "JSON Lines to remember": lambda text: jsonl_input.parse_draft(
        text, jsonl_input.DraftDefaults()
    ),
    "metadata": jsonl_input.parse_json_object,
    "event payloads": lambda text: event_types.parse_event_payload("error_occurred", text),
    "JSON": json_reader.loads,
    "JSON with comments": edited,
    "TOML": lambda text: (toml.parse_toml(text), toml.parse_tables(text)),
    "settings": lambda text: toml_flat.parse_toml_settings(
        text.encode("utf-8", "surrogatepass"), "config.toml"
    ),
    "front matter": front_matter.parse_front_matter,
    "decision records": adr_format.parse_decision_record,
    "skills": lambda text: skill_format.parse_skill(text, "SKILL.md"),
    "skill parameters": skill_parameters.parse_parameter,
    "citations": citations.parse_citation,
    "error traces": error_signature.read_error_signature,
    "rules of patterns": rule.parse_rule_json,
    "conventions": said_rule.find_stated_rule,
    "regular expressions": safe_regex.compile_safe_regex,
    "decisions in sources": decision_finder.find_decisions_in_source,
    "decisions in messages": lambda text: decision_finder.find_decision_in_message(text[:80], text),
    "dates": when,
    "ISO dates": parse_iso,
    "durations": durations.parse_duration,
    "questions": question_.parse_question,
    "configuration of git": plain_config.parse_config,
    "addresses of remotes": remotes.canonical_remote,
    "globs": lambda text: (
        globs.is_malformed_glob(text),
        globs.path_matches_glob("src/app.py", text),
    ),
    "fingerprints": code_fingerprint.from_json,
    "earlier versions of memories": memory_rows.memory_from_json_line,
    "intents": intent.detect_intent,
    "names of patterns": name_match.parse_name_in_rule,
    "places in traces": trace_places.read_stack_frames,
    "settings of Codex": settled,
    "statements": decision_wording.recognise_decision,
    "package.json": lambda text: manifests.read_manifest("package.json", text),
    "pyproject.toml": lambda text: manifests.read_manifest("pyproject.toml", text),
    "go.mod": lambda text: manifests.read_manifest("go.mod", text),
    "Cargo.toml": lambda text: manifests.read_manifest("Cargo.toml", text),
    "secrets": redact.redact,
    "secrets in names": name_secrets.redact_name,
    "frames": framed,
    "tags of hosts": host_tags.escape_tags,
    "issue numbers": issues.issue_references,
    "token counts": tokens.estimate_tokens,
    "wrapped text": lambda text: wrapping.wrap(text, 40),
}
BYTES: dict[str, Parser] = {
    "frames of MCP": framing.read_message,
    "batches of MCP": framing.split_batch,
    "log of git": lambda data: drained(log_output.parse_commits([data[:7], data[7:]])),
    "status of git": status.parse_status,
    "raw diffs": lambda data: drained(diff.parse_raw_diff(data)),
    "patches": lambda data: drained(patch.parse_patch_hunks([data[:9], data[9:]])),
    "lines of patches": lambda data: drained(patch.parse_hunk_lines([data])),
    "counts of diffs": lambda data: drained(patch.parse_numstat(data)),
    "patches given as text": lambda data: [
        patch_apply.apply_patch(data[5:], each) for each in patch_apply.parse_file_patches(data)
    ],
    "reports of coverage": coverage.parse_coverage_report,
    "blame": lambda data: drained(line_history.parse_blame([data[:9], data[9:]])),
    "changes of lines": lambda data: drained(
        line_history.parse_changed_lines([data[:9], data[9:]])
    ),
    "replaced lines": lambda data: drained(line_history.parse_replacements([data])),
    "transcripts": transcribed,
    "outputs of hooks": answered,
    "spool": lambda data: git_events.parse_git_events(data, "1700000000000-1", ""),
    "hook scripts of others": plan.reason_hook_lines_refused,
    "marked blocks": block,
    "our own hook script": lambda data: (
        shims.home_folders_in_script(data),
        shims.start_command_in_script(data),
    ),
    "pages of a damaged store": pages,
}
HOSTS: dict[str, Parser] = {
    f"events of {agent}": lambda data, agent=agent: [  # type: ignore[misc]
        hook_event.parse_hook_payload(agent, event, data) for event in sorted(hook_event.EVENTS)
    ]
    for agent in BY_NAME
}
# Errors that a docstring names beside ours.
ALSO: dict[str, tuple[type[Exception], ...]] = {
    "JSON": (ValueError,),
    "fingerprints": (ValueError,),
    "reports of coverage": (ValueError,),
}

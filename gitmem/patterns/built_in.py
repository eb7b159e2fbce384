"""Patterns that many projects follow: proposed if the code follows them, or adopted on request.

None of them is checked unless it was adopted.
"""

from __future__ import annotations

from gitmem.patterns.pattern import CodePattern
from gitmem.patterns.rule import CodeRule

_ECMA = ("javascript", "typescript")
_TESTS = ("tests/**", "test/**", "**/tests/**", "**/test/**", "*_test.*", "*.test.*", "*.spec.*",
          "test_*")  # fmt: skip
_SCRIPTS = ("scripts/**", "tools/**", "bin/**", "examples/**", "docs/**", "setup.py")


def _usual(
    name: str,
    text: str,
    rule: CodeRule,
    *,
    topic: str,
    language: str,
    shows: tuple[str, ...],
    right: str = "",
    wrong: str = "",
) -> tuple[CodePattern, tuple[str, ...]]:
    good, bad = (right,) if right else (), (wrong,) if wrong else ()
    return CodePattern(name, text, rule, topic, language, good, bad), shows


# Each with what shows whether the code follows it: names whose calls do, or kinds of facts that
# could break it (after a colon, a word that these must contain).
PATTERNS: tuple[tuple[CodePattern, tuple[str, ...]], ...] = (
    _usual(
        "no-empty-handler",
        "Handle an error or say in a comment why it does not matter; never swallow it.",
        CodeRule("handler"),
        topic="errors",
        language="python",
        right="try:\n    load()\nexcept OSError as error:\n    log.warning(error)",
        wrong="try:\n    load()\nexcept OSError:\n    pass",
        shows=("handler",),
    ),
    _usual(
        "no-console-log-in-handler",
        "Report errors through the logger or throw them on; `console.log` in a handler hides them.",
        CodeRule(
            "call",
            names=("console.log",),
            languages=_ECMA,
            inside=("handler",),
            unless=("console.error", "logger.error"),
        ),
        topic="errors",
        language="typescript",
        right="try { load() } catch (error) { logger.error(error) }",
        wrong="try { load() } catch (error) { console.log(error) }",
        shows=("handler",),
    ),
    _usual(
        "no-unwrap",
        "Pass errors on with `?` or match them; `.unwrap()` panics.",
        CodeRule("call", names=(".unwrap",), languages=("rust",), excepted=_TESTS, instead="?"),
        topic="null",
        language="rust",
        right="fn f() -> R { let a = load()?; }",
        wrong="fn f() { let a = load().unwrap(); }",
        shows=(".expect", ".map_err", ".ok_or", ".ok_or_else", ".unwrap_or", ".unwrap_or_else"),
    ),
    _usual(
        "compare-none-with-is",
        "Compare with None by `is`, not by `==`.",
        CodeRule(
            "text",
            literal="comparison_operator",
            regex=r"[!=]= ?None$",
            languages=("python",),
            instead="is None",
        ),
        topic="null",
        language="python",
        right="if a is None: pass",
        wrong="if a == None: pass",
        shows=("comparison_operator:None",),
    ),
    _usual(
        "no-fetch-outside-try",
        "Calls to an API stand in a `try`, so that a network that is down is handled.",
        CodeRule(
            "call",
            names=("fetch", "axios.get", "axios.post"),
            languages=_ECMA,
            outside=("try",),
            unless=(".catch",),
            severity="warning",
            excepted=_TESTS,
        ),
        topic="api",
        language="typescript",
        right="try { await fetch(url) } catch (error) { report(error) }",
        wrong="await fetch(url)",
        shows=("fetch", "axios.get", "axios.post"),
    ),
    _usual(
        "no-await-outside-try",
        "What is awaited stands in a `try`, or the caller handles its error.",
        CodeRule(
            "await", languages=_ECMA, outside=("try",), unless=(".catch",), severity="warning"
        ),
        topic="async",
        language="typescript",
        right="async function f() { try { await g() } catch (error) { report(error) } }",
        wrong="async function f() { await g() }",
        shows=("await",),
    ),
    _usual(
        "no-sleep-in-async",
        "Never block in an async function: `await asyncio.sleep()` instead of `time.sleep`.",
        CodeRule(
            "call",
            names=("time.sleep",),
            languages=("python",),
            inside=("async",),
            instead="asyncio.sleep",
        ),
        topic="async",
        language="python",
        right="async def f():\n    await asyncio.sleep(1)",
        wrong="async def f():\n    time.sleep(1)",
        shows=("asyncio.sleep", "anyio.sleep"),
    ),
    _usual(
        "component-files-pascal-case",
        "Files of components are named as the component: PascalCase.",
        CodeRule(
            "naming",
            of=("file",),
            style="PascalCase",
            paths=("**/components/*.tsx", "**/components/*.jsx"),
            allowed=("index", "*.test", "use*"),
        ),
        topic="components",
        language="typescript",
        shows=("file",),
    ),
    _usual(
        "no-require",
        "Modules are taken in with `import`, not with `require()`.",
        CodeRule("call", names=("require",), languages=_ECMA, instead="import"),
        topic="imports",
        language="typescript",
        right="import { read } from 'fs'",
        wrong="const fs = require('fs')",
        shows=("import",),
    ),
    _usual(
        "no-any-type",
        "Types are told; `any` switches the checker off.",
        CodeRule("type", names=("any",), languages=("typescript",), instead="unknown"),
        topic="style",
        language="typescript",
        right="let a: unknown = 1",
        wrong="let a: any = 1",
        shows=("type",),
    ),
    _usual(
        "array-constants-upper-case",
        "Constant arrays at the top of a file are named in UPPER_CASE.",
        CodeRule(
            "text",
            literal="lexical_declaration",
            regex=r"^const [a-z]\w*(?:: ?\w+\[\])? = \[",
            languages=("typescript",),
            outside=("function", "class"),
            severity="warning",
        ),
        topic="naming",
        language="typescript",
        right="const NAMES = ['a', 'b']",
        wrong="const names = ['a', 'b']",
        shows=("lexical_declaration:= [",),
    ),
    _usual(
        "no-print",
        "Programs report through `logging`, not with `print`.",
        CodeRule(
            "call",
            names=("print",),
            languages=("python",),
            instead="logging",
            excepted=(*_TESTS, *_SCRIPTS),
        ),
        topic="style",
        language="python",
        right="logging.info('ready')",
        wrong="print('ready')",
        shows=(
            *("logger.info", "logger.debug", "logger.warning", "logger.error", "log.info"),
            *("log.debug", "log.warning", "log.error", "logging.info", "logging.warning"),
        ),
    ),
)

TOPICS = tuple(dict.fromkeys(pattern.topic for pattern, _ in PATTERNS))


def find_built_in_patterns(topic_or_name: str) -> tuple[CodePattern, ...]:
    """gitmem's own CodePatterns on a topic such as ``errors``, or the one with that name."""
    return tuple(
        pattern for pattern, _ in PATTERNS if topic_or_name in (pattern.topic, pattern.name)
    )

"""Tasks that every repository has: running its tests, building, releasing it, and so on. Pure.

The words of "how do I run the tests" are common in code that does not answer it. The README, the
guide for contributors or the file of commands does. Only a whole question is one about a task:
"run the tests that need Redis" is not.
"""

from __future__ import annotations

import re
from functools import lru_cache

from gitmem.model.frozen import dataclass

_GUIDES = (
    "CONTRIBUTING* .github/CONTRIBUTING* DEVELOPMENT* DEVELOPING* HACKING* BUILDING* "
    "docs/contribut* docs/CONTRIBUT* docs/Contribut* docs/develop* docs/DEVELOP* "
    "docs/Guides/Contribut* doc/contribut* doc/develop*"
)
_COMMANDS = (
    "Makefile makefile GNUmakefile justfile Justfile Taskfile.yml package.json composer.json "
    "tox.ini noxfile.py tasks.py Rakefile mage.go deno.json"
)
_README = "README*"
_WHOLE = (
    r"it|this|everything|(?:the|this|your|my|our) (?:whole )?(?:project|code|code ?base|repo"
    r"(?:sitory)?|package|library|binary|program|tool|app(?:lication)?|source(?: code)?)"
)


@dataclass(frozen=True, slots=True)
class CommonTask:
    """A task such as running the tests, patterns for asking for it, and where it is explained.

    ``wording`` matches what follows "how do I", ``passive`` what follows "how is". ``paths`` are
    separated by spaces; one with ``*`` at its end is a prefix. ``words`` are further words of such
    explanations, ``command`` is a pattern for what to type.
    """

    name: str
    wording: str
    paths: str
    words: tuple[str, ...]
    command: str
    passive: str = ""


_TESTS = (
    r"(?:all )?(?:(?:of )?(?:the|its|your|my|our|this (?:project|repo)'?s?) )?(?:whole |full |"
    r"entire |existing )?(?:(?:unit|integration|e2e|end.to.end|regression|type) )?"
    r"(?:tests?|test ?suites?|specs?)|(?:a|one|only one|just one)(?: single| specific)? test"
    r"(?: file| case)?"
)
_CHECKS = (
    r"(?:the |all )?(?:linters?|lint|formatters?|type.?checkers?|(?:code |static |style |lint )"
    r"?checks|pre-?commit(?: hooks)?)"
)
_DOCS = r"(?:the )?(?:docs?|documentation)(?: site| pages| locally)?|the (?:web ?site|manual)"
_SETUP = (
    r"(?:(?:a|the|my|your|our) )?(?:local )?(?:development|dev|local|working) (?:environment|"
    r"set-?up|machine|copy)|(?:the |this |its |all )?(?:project|repo(?:sitory)?|(?:dev(?:elopment)?"
    r" )?dependencies)"
)
_RELEASE = r"(?:a |the |another )?(?:new |next )?(?:releases?|versions?)|the package"
_TASKS = (
    CommonTask(
        "test",
        rf"(?:run|running|execut(?:e|ing)|start|launch) (?:{_TESTS})|test(?:ing)? (?:{_WHOLE})",
        f"{_GUIDES} TESTING* {_README} {_COMMANDS} scripts/test* script/test* bin/test*",
        ("test", "tests", "testing", "pytest", "tox", "nox"),
        r"\b(?:pytest|tox|nox|unittest|phpunit|rspec|jest|vitest|mocha|ctest|(?:go\)?|cargo|npm|yarn|"
        r"pnpm|bun|deno|dotnet|mix|swift|flutter|bazel|make|just|task|composer|rake|mvn|sbt|"
        r"gradlew?|npm run|script/|scripts/|bin/)[ ]?(?:run )?(?:test|check|verify|spec)\w*)\b|"
        r"^\s*\"?test[\w:-]*\"?:",
        rf"(?:{_TESTS}) (?:run|executed|started)",
    ),
    CommonTask(
        "lint",
        rf"(?:run|running|execut(?:e|ing)|use) (?:{_CHECKS})|"
        rf"(?:lint|format|type.?check)(?:ing)? (?:{_WHOLE})",
        f"{_GUIDES} {_COMMANDS} .pre-commit-config.yaml {_README} scripts/lint* scripts/check* "
        "scripts/format*",
        ("lint", "linting", "format", "fmt", "checks"),
        r"\b(?:ruff|flake8|black|mypy|pre-commit|eslint|prettier|biome|gofmt|golangci-lint|clippy|"
        r"rustfmt|rubocop|(?:npm run|yarn|pnpm|make|just|task|tox -e|nox -s|composer|go|cargo|"
        r"scripts?/)[ ]?(?:lint|format|fmt|check|vet)\w*)\b|"
        r"^\s*\"?(?:lint|fmt|format|check)[\w:-]*\"?:",
        rf"(?:{_CHECKS}|the code) (?:run|formatted|linted|checked)",
    ),
    CommonTask(
        "build",
        rf"(?:build|building|compil(?:e|ing)|packag(?:e|ing)) (?:{_WHOLE}|from source)",
        f"{_GUIDES} {_README} INSTALL* {_COMMANDS} scripts/build* script/build*",
        ("build", "building", "compile", "source"),
        r"\b(?:(?:go|cargo|npm run|npm|yarn|pnpm|bun|make|just|task|dotnet|docker|mix|swift|bazel|"
        r"python -m|hatch|poetry|uv|cmake --|gradlew?|scripts?/)[ ]?(?:run )?(?:build|compile|"
        r"package|bundle|install)|cmake|ninja|mvn|make$)\b",
        rf"(?:{_WHOLE}) (?:built|compiled|packaged)",
    ),
    CommonTask(
        "docs",
        rf"(?:build|building|generat(?:e|ing)|preview|serve|render|make) (?:{_DOCS})",
        f"{_GUIDES} {_README} {_COMMANDS} scripts/docs* docs/README* docs/Makefile mkdocs.yml "
        ".readthedocs.yaml .readthedocs.yml",
        ("docs", "documentation", "site"),
        r"\b(?:mkdocs|sphinx-build|zensical|mdbook|docusaurus|typedoc|(?:npm run|yarn|pnpm|make|"
        r"tox -e|tox r -e|nox -s|just|scripts?/|cargo)[ ]?docs?\w*)\b|^\s*\"?docs?[\w:-]*\"?:",
        rf"(?:{_DOCS}) (?:built|generated|rendered|previewed)",
    ),
    CommonTask(
        "bench",
        r"(?:run|running|execut(?:e|ing)|start) (?:the |all )?(?:bench(?:es|marks?)?)",
        f"{_GUIDES} {_README} {_COMMANDS} BENCHMARKS* docs/bench* scripts/bench* bench/README* "
        "benchmarks/README*",
        ("bench", "benchmark", "benchmarks"),
        r"\b(?:(?:go test|cargo|npm run|yarn|pnpm|make|just|task|scripts?/|python -m)[ ]?\S*bench"
        r"\w*)\b|^\s*\"?bench[\w:-]*\"?:",
        r"(?:the )?benchmarks (?:run|executed)",
    ),
    CommonTask(
        "setup",
        rf"(?:set up|setting up|setup|prepar(?:e|ing)|creat(?:e|ing)|bootstrap|get|install) "
        rf"(?:{_SETUP})(?: for development)?|get(?:ting)? started(?: (?:with )?(?:development|"
        r"developing|hacking))?",
        f"{_GUIDES} {_README} {_COMMANDS} scripts/install* scripts/setup* script/setup* "
        "script/bootstrap .devcontainer/* INSTALL*",
        ("setup", "set", "development", "environment", "install", "clone"),
        r"\b(?:git clone|(?:pip|uv|poetry|pdm|npm|pnpm|yarn|bun|bundle|composer|make|cargo|"
        r"scripts?/|go mod)[ ]?(?:install|i|ci|sync|setup|bootstrap|download)|venv|virtualenv)\b",
        rf"(?:{_SETUP}) (?:set up|prepared|created)",
    ),
    CommonTask(
        "install",
        rf"(?:install|installing) (?:{_WHOLE}|[\w.@/-]+)|(?:download|get) the latest (?:version|"
        r"release)",
        f"{_README} INSTALL* docs/install* docs/index* docs/getting* docs/README* docs/quick* "
        "docs/guide*",
        ("install", "installation", "installing"),
        r"\b(?:(?:pip3?|pipx|uv|uv pip|uv tool|npm|pnpm|yarn|bun|cargo|brew|apt|apt-get|dnf|yum|"
        r"pacman|choco|scoop|winget|gem|go|composer|poetry|conda|port|snap|nix-env|apk|make)[ ]"
        r"(?:install|add|i|get|require|global|-S|-iA)|npx|docker pull)\b",
        rf"(?:{_WHOLE}) installed",
    ),
    CommonTask(
        "release",
        rf"(?:mak(?:e|ing)|cut(?:ting)?|do|creat(?:e|ing)|publish(?:ing)?|ship|tag|prepare|"
        rf"releas(?:e|ing)) (?:{_RELEASE})|(?:release|publish)(?:ing)? (?:{_WHOLE})",
        f"RELEASING* RELEASE* MAINTAIN* docs/releas* docs/RELEAS* doc/releas* docs/maint* "
        f"{_GUIDES} {_README} scripts/release* scripts/publish* .github/workflows/release* "
        f".github/workflows/publish* .goreleaser.yml .goreleaser.yaml {_COMMANDS}",
        ("release", "releasing", "releases", "publish", "version", "tag"),
        r"\b(?:git tag|twine|goreleaser|semantic-release|changeset|(?:npm|cargo|poetry|uv|hatch|"
        r"flit|pnpm|yarn|gem|make|scripts?/)[ ]?(?:publish|release|push|version))\b",
        rf"(?:{_RELEASE}|{_WHOLE}) (?:made|cut|created|published|released|tagged|done)",
    ),
    CommonTask(
        "contribute",
        r"contribut(?:e|ing)(?: code| changes| a (?:change|fix|patch))?(?: to (?:\S+|this project|"
        r"the project))?|(?:open|send|submit|make|create|file) (?:a |an )?(?:pull request|pr|patch|"
        r"bug report|issue)",
        f"{_GUIDES} {_README} .github/PULL_REQUEST_TEMPLATE* GOVERNANCE*",
        ("contribute", "contributing", "contributions", "pull", "request"),
        r"\b(?:git (?:clone|checkout -b|switch -c|push)|gh pr create)\b",
    ),
    CommonTask(
        "start",
        r"(?:start|starting|run|running|launch|serve) (?:the )?(?:(?:dev(?:elopment)?|local|web|"
        rf"api) )?(?:server|service|daemon|app(?:lication)?|web ?app|site|project|{_WHOLE})",
        f"{_README} {_COMMANDS} docs/getting* docs/quick* docs/index* Procfile docker-compose.yml "
        f"docker-compose.yaml compose.yaml {_GUIDES}",
        ("start", "run", "running", "serve", "server", "usage"),
        r"\b(?:(?:npm|yarn|pnpm|bun|make|just|task|flask|rails|go|cargo|mix|php|dotnet|uv|poetry|"
        r"docker|docker-compose|docker compose)[ ](?:run |exec )?(?:start|run|dev|serve|server|up)|"
        r"uvicorn|gunicorn|node \S+|python \S+|php artisan)\b",
        r"the (?:server|app(?:lication)?|service) (?:started|run|launched)",
    ),
    CommonTask(
        "configure",
        rf"configur(?:e|ing) (?:{_WHOLE})|chang(?:e|ing) (?:the|its) (?:settings|configuration)",
        f"{_README} docs/config* docs/setting* docs/reference/config* docs/reference/setting* "
        ".env.example config.example*",
        ("configure", "configuration", "config", "settings"),
        r"\b(?:config|configure|export [A-Z_]+=|settings?)\b",
        rf"(?:{_WHOLE}) configured",
    ),
)  # fmt: skip
_LEAD = (
    r"\W*(?:(?:so|ok|hi|hey|please),? )?(?:how (?:do|can|could|should|would|must|does) (?:i|you|we|"
    r"one|somebody|someone)|how to|(?:what is|what's|which is|show me) the (?:right |best )?"
    r"(?:command|way|steps?) (?:to|for)|(?:steps?|commands?|ways?|instructions) (?:to|for)|(?:i|we)"
    r" (?:want|need|would like) to|(?:can|may) (?:i|you|we)|where (?:is it|does it) (?:told|say|"
    r"explained|described|documented)? ?how (?:to|i|we)?)"
)
_TAIL = (
    r"(?:,? (?:locally|here|manually|myself|by hand|again|(?:in|of|for|from|with|to) (?:this|the) "
    r"(?:repo(?:sitory)?|project|code ?base|command line|terminal|source)|from (?:source|scratch)|"
    r"before (?:a|each|every|the|i) (?:commit|push|pull request)|for development|with coverage))*"
    r"\s*[?.!]*\s*"
)


# Compiled on demand: each pattern costs 1.5 ms.
@lru_cache(maxsize=16)
def _pattern(task: CommonTask) -> re.Pattern[str]:
    active = rf"(?:{_LEAD} )?(?:{task.wording})"
    passive = rf"|\W*how (?:is|are|was|were) (?:{task.passive})" if task.passive else ""
    return re.compile(rf"(?:{active}{passive}){_TAIL}")


# The kinds of files that explain a task, as in ``intent``.
WANTS = {"docs": 1.0, "config": 0.5}
# Substrings of questions about each task; the patterns of others are not compiled.
_CUES = {
    "test": ("test", "spec"),
    "lint": ("lint", "format", "check", "commit", "run"),
    "build": ("build", "built", "compil", "packag"),
    "docs": ("doc", "site", "manual"),
    "bench": ("bench",),
    "setup": ("set", "prepar", "creat", "bootstrap", "get", "install"),
    "install": ("install", "download", "get"),
    "release": ("releas", "publish", "version", "packag"),
    "contribute": ("contribut", "pull", "patch", "issue", "report", "pr"),
    "start": ("start", "run", "launch", "serve"),
    "configure": ("configur", "set"),
}
# Further cues for a release: "how is it made".
_DONE = ("made", "cut", "creat", "tag", "done")
# Longer questions are not about a task.
_LONGEST = 120


@lru_cache(maxsize=16)
def _commands(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.MULTILINE | re.IGNORECASE)


def contains_task_command(task: CommonTask | None, text: str) -> bool:
    """Whether a text contains a command for the task; False without a task."""
    return task is not None and _commands(task.command).search(text) is not None


def is_task_command_line(task: CommonTask | None, text: str) -> bool:
    """Whether a line is a command for the task, not a sentence about it."""
    return task is not None and _commands(task.command).match(text.lstrip("$> ")) is not None


def find_common_task(text: str) -> CommonTask | None:
    """The common task, such as running the tests, that a question asks about, or None."""
    if len(text) > _LONGEST:
        return None
    low = " ".join(text.lower().split())
    cued = {name for name, cues in _CUES.items() if any(cue in low for cue in cues)}
    if cued and any(cue in low for cue in _DONE):
        cued.add("release")
    return next(
        (
            candidate
            for candidate in _TASKS
            if candidate.name in cued and _pattern(candidate).fullmatch(low)
        ),
        None,
    )

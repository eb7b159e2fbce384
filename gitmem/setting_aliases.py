"""The settings of five other memory systems, and the settings they correspond to.

Users of those systems may use the names they know, on the command line and in a settings file.
Values are converted where the unit or scale differs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from gitmem.errors import InvalidInput
from gitmem.model.frozen import dataclass


@dataclass(frozen=True, slots=True)
class SettingAlias:
    """A setting of another memory system, and the key of our setting that corresponds to it.

    ``default`` is the value there; ``key`` is empty if nothing corresponds, and ``about`` says why,
    or what differs. ``translate`` converts a value, as text, to ours; it raises ValueError for an
    invalid one. If not ``taken``, values mean something else here and are ignored with a message.
    """

    system: str
    name: str
    default: str
    key: str = ""
    about: str = ""
    translate: Callable[[str], str] = str
    taken: bool = True


def _minutes(length: str) -> str:
    """Minutes of a duration such as 24h, or of seconds without a unit; rounded up, at least 1."""
    return str(max(-(-_milliseconds(length) // 60_000), 1))


def _hours(length: str) -> str:
    """Hours of a duration such as 1h, or of seconds without a unit; rounded up."""
    return str(-(-_milliseconds(length) // 3_600_000))


def _milliseconds(length: str) -> int:
    from gitmem.clock import durations  # noqa: PLC0415 - only for these settings

    try:
        return int(length) * 1000 if length.isdigit() else durations.parse_duration(length)
    except InvalidInput as error:
        raise ValueError(error.message) from error


def _other_share(share: str) -> str:
    return f"{1 - float(share):.4g}"


_HUB_NAMES = {
    "all-minilm-l6-v2": "sentence-transformers/all-MiniLM-L6-v2",
    "multilingual-e5-large": "intfloat/multilingual-e5-large",
    "nomic-embed-text": "nomic-ai/nomic-embed-text-v1.5",
}
_OWNERS = ("", "baai", "intfloat", "nomic-ai", "sentence-transformers", "xenova")


def translate_model_name(name: str) -> str:
    """Return our name, ``fastembed:...``, for a short name of a model such as bge-small-en-v1.5.

    Any other name is returned unchanged.
    """
    owner, slash, short = name.lower().rpartition("/")
    short = short.removeprefix("fast-")
    hub = _HUB_NAMES.get(short) or (f"BAAI/{short}" if short.startswith("bge-") else "")
    is_path = slash and not owner
    return f"fastembed:{hub}" if hub and owner in _OWNERS and not is_path else name


def _model(name: str) -> str:
    if name in ("builtin", "contextual", "hashed"):
        return name
    model = translate_model_name(name)
    return model if model.startswith(("fastembed:", "ollama:", "openai:")) else f"fastembed:{name}"


def _level(name: str) -> str:
    other = {"warn": "error", "warning": "error", "fatal": "error", "trace": "debug"}
    return other.get(name.lower(), name.lower())


def _off(disabled: str) -> str:
    if disabled.lower() in ("1", "true", "yes", "on"):
        return "0"
    if disabled.lower() in ("0", "false", "no", "off", ""):
        return "0.5"
    raise ValueError(disabled)


_TRANSLATED: dict[str, Callable[[str], str]] = {
    "minutes": _minutes,
    "hours": _hours,
    "other_share": _other_share,
    "model": _model,
    "level": _level,
    "off": _off,
    "lower": str.lower,
}
_REASONS = {
    "model": "A model that has to be fetched; `builtin` comes with gitmem and needs no network",
    "size": "Pieces follow definitions; 20 lines retrieve best among the sizes tried",
    "learned": "gitmem has no learned ranking: its constants are measured, and stand in the code",
    "server": "Each repository has its own file, without a server; `gitmem serve --port` is one",
    "background": "Nothing of gitmem runs all the time: this is done when a command finds it due",
}
# A system, and indented its settings: names = default -> our key by a function -- what differs.
# ``only named``: not ``taken``. A line that starts with ``--`` continues the line above.
_TABLE = """\
Context Fabric
    codeIndex.enabled = true -> index.enabled
    codeIndex.maxFileSizeBytes = 1048576 -> index.max_file_bytes
    codeIndex.maxFiles = 10000 -> index.max_files -- Holds more: 50,000 is quick here
    codeIndex.chunkLines = 150 -> index.lines -- {size}
    codeIndex.chunkOverlap = 10 -> index.line_overlap -- Pieces that follow definitions say what
        -- they stand in instead of repeating lines
    codeIndex.debounceMs = 500 -> watch.debounce_ms
    codeIndex.watchEnabled = true -> watch.enabled -- `gitmem watch`; hooks besides
    codeIndex.excludePatterns = none -> index.exclude -- Also .gitmemignore
    defaultTTL = 3600 s -> working.ttl_minutes by minutes -- In minutes here, rounded up
    decayDays = 14 -> decay.days
    decayThreshold = 0.2 -> decay.archive_below -- Archived, never deleted
    l3AccessThreshold = 3 -- Read by nothing there; uses count in the decay score
    backupIntervalHours = 24 -> backup.interval_hours
    maxWorkingMemories = 10 -> orient.budget only named -- What fits into a budget of tokens is
        -- shown, not a number of rows
    maxRelevantMemories = 10 -> recall.limit -- Of `recall` and `search`; orient: budget
    LOG_LEVEL = info -> log.level by level -- Commands are noted from info on
    HOME = a folder in the home folder -- The variable GITMEM_HOME: a file inside it cannot
        -- name it
    DEFAULT_PROJECT = none -- The project is that of the folder: `gitmem -C FOLDER`, `gitmem mcp
        -- --repo FOLDER`
    EMBED_MODEL = bge-small-en-v1.5 -> model by model -- {model}
    EMBED_EP = cpu -> embedding.device by lower -- cpu or cuda
    MODEL_CACHE_PATH = a folder in its home -- Models lie in `models` of GITMEM_HOME, where
        -- `gitmem model pull` puts them
    DISABLE_VEC = false -> search.meaning by off -- 0 leaves words alone to rank
Context Cache
    CONTEXT_CACHE_CHUNK_SIZE = 500 words -> index.words
    CONTEXT_CACHE_CHUNK_OVERLAP = 50 words -> index.overlap
    CONTEXT_CACHE_SEARCH_LIMIT = 10 -> recall.limit -- The default also of kb_search, once set
    CONTEXT_CACHE_RRF_K = 60 -> search.rrf_k -- Scores are fused, unless --fusion rrf
    CONTEXT_CACHE_EMBEDDING_MODEL = all-MiniLM-L6-v2 -> model by model -- {model}
    CONTEXT_CACHE_DB_PATH = in its folder -> store.path
    CONTEXT_CACHE_KB_PATH = none -- Notes are those of the repository, or of a folder after
        -- `gitmem init`; the variable names the folder for a start outside of any
MemoryLayer
    projectPath = the current folder -- `gitmem -C FOLDER`, `gitmem mcp --repo FOLDER`
    dataDir = a folder for each project in the home folder -> store.path only named -- A file
        -- and not a folder: .gitmem/memory.db in the repository
    maxTokens = 6000 -> orient.budget -- Of what a session is given at its start
    embeddingModel = all-MiniLM-L6-v2 -> model by model -- {model}
    watchIgnore = 14 patterns -> index.exclude -- Dependencies, lock files, minified files and
        -- secrets are left out anyway
Contextify
    database.url, DATABASE_URL = a local PostgreSQL -- {server}
    server.port, SERVER_PORT = 8420 -- {server}
    embedding.ollama_url, OLLAMA_URL = http://localhost:11434 -> embedding.endpoint -- Asked by
        -- models named ollama:NAME; by default models are computed in the process
    embedding.model, EMBEDDING_MODEL = nomic-embed-text -> model by model -- {model}
    memory.default_ttl = 86400 s -> captured.ttl_minutes by minutes -- In minutes here, rounded up
    memory.promote_importance = 0.8 -> captured.keep_from
    memory.promote_access_count = 5 -> expiry.promote_after
    memory.ttl_extend_factor = 0.5 -> expiry.extend_by
    memory.cleanup_interval = 5 min -- {background}
    memory.normalize_project_id = true -- Always: by name, remote or first commit
    memory.similarity_threshold = 0.75 -> duplicates.suggest_from -- Words, numbers and
        -- negations decide beside the cosine
    memory.auto_merge_threshold = 0.92 -> duplicates.merge_from -- As above; what a person said
        -- is only suggested
    memory.dedup_scan_interval = 1 h -> duplicates.scan_hours by hours -- In hours here, rounded up;
        -- duplicates are looked for when saving as well
    search.vector_weight = 0.7 -> search.meaning -- 0.5 is best on the sets measured
    search.keyword_weight = 0.3 -> search.meaning by other_share -- 1 less this
    search.default_limit = 20 -> recall.limit -- The default also of recall_memories and
        -- search_memories, once it is set
    search.max_limit = 100 -- `recall.limit` and --limit go to 100
Context Engine
    PATTERN_VECTORS = 0 -- gitmem has no vectors of patterns; `search` ranks code
    RERANK_LEARNING, RERANK_EVENTS_ENABLED = 1 -- {learned}
    RERANKER_WEIGHTS_DIR = /tmp/rerank_weights -- {learned}
    RERANKER_WEIGHTS_RELOAD_INTERVAL = 60 s -- {learned}
    RERANKER_MAX_CHECKPOINTS = 5 -- {learned}
    RERANKER_LR_DECAY_STEPS = 1000 -- {learned}
    RERANKER_LR_DECAY_RATE = 0.95 -- {learned}
    RERANKER_MIN_LR = 0.0001 -- {learned}
    RERANK_EVENTS_DIR = /tmp/rerank_events -- {learned}
    RERANK_EVENTS_RETENTION_DAYS = 7 -- {learned}
    RERANK_LEARNING_BATCH_SIZE = 32 -- {learned}
    RERANK_LEARNING_POLL_INTERVAL = 30 s -- {learned}
    RERANK_LEARNING_RATE = 0.001 -- {learned}
an earlier gitmem
    cache.policy = lru -- What was not asked for longest goes first, always
    cache.ttl_seconds = 30 -- What is kept of a store goes with any write to it
"""


def _aliases() -> Iterator[SettingAlias]:
    system = ""
    for row in _TABLE.replace("\n        --", "").splitlines():
        if row[0] != " ":
            system = row
            continue
        head, _, about = row.strip().partition(" -- ")
        names, _, rest = head.partition(" = ")
        default, _, key = rest.removesuffix(" only named").partition(" -> ")
        key, _, function = key.partition(" by ")
        translate = _TRANSLATED[function] if function else str
        taken = not rest.endswith(" only named")
        for name in names.split(", "):
            yield SettingAlias(
                system, name, default, key, about.format(**_REASONS), translate, taken
            )


ALIASES = tuple(_aliases())
_BY_NAME = {alias.name.lower(): alias for alias in ALIASES}


def find_setting_alias(alias_name: str) -> SettingAlias | None:
    """Return the setting of another system that has this name, in any case; None for none."""
    return _BY_NAME.get(alias_name.strip().lower())


def is_documented_default(system: str, setting_key: str, default_value: object) -> bool:
    """Whether another system documents ``default_value`` as the default of ``setting_key``."""
    documented = (system, setting_key, str(default_value))
    return any((alias.system, alias.key, alias.default) == documented for alias in ALIASES)


def describe_alias(alias: SettingAlias) -> str:
    """Return a sentence that says which setting of ours another system's setting corresponds to."""
    if not alias.key:
        return f"{alias.name} of {alias.system} has no counterpart. {alias.about}."
    if not alias.taken:
        return f"{alias.name} of {alias.system} is not taken for {alias.key}. {alias.about}."
    return f"{alias.name} is the name in {alias.system}; here it is {alias.key}."


def convert_alias_value(alias: SettingAlias, raw: object) -> str | None:
    """Return another system's value converted to ours, as text; None for an invalid one."""
    if isinstance(raw, list):
        raw = ",".join(map(str, raw))
    try:
        return alias.translate(str(raw).strip())
    except ValueError:
        return None

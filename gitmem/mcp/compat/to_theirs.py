"""From our values to those of five other systems. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from typing import Any

from gitmem.clock import durations, time_anchor, time_report
from gitmem.indexing import languages
from gitmem.mcp.compat.to_ours import LAYERS

# Their words for our kinds; the others have no word of their own there.
FABRIC_TYPES = {"pattern": "code_pattern", "fix": "bug_fix"}
CONTEXTIFY_TYPES = {"pattern": "code_pattern", "note": "general"}
ENGINE_KINDS = {"code": "snippet", "documentation": "reference"}
_MARKED = 3  # highlights of an item
_AROUND = 30  # characters beside a highlighted word


def milliseconds(moment: str | None) -> int | None:
    """ISO 8601 as milliseconds since 1970."""
    return None if moment is None else int(datetime.fromisoformat(moment).timestamp() * 1000)


def milliseconds_if(moment: str | None) -> int | None:
    """The same; null for an empty one."""
    return milliseconds(moment) if moment else None


def before_colon(key: str) -> str:
    """The kind of an entity, of its key."""
    return key.partition(":")[0]


def behind_colon(key: str) -> str:
    """The name of an entity, of its key."""
    return key.partition(":")[2]


def decision_key(id: str) -> str:
    """The key of a decision."""
    return f"decision:{id}"


def percent(share: float) -> int:
    """A share as a whole percentage."""
    return round(100 * share)


def joined(items: Iterable[str] | None) -> str:
    """Some texts as one."""
    return "; ".join(items or ())


def layer_number(name: str) -> int:
    """Our layer as 1, 2 or 3."""
    return LAYERS.index(name) + 1 if name in LAYERS else 2


def in_words_of(words: Mapping[str, str]) -> Callable[[Any], Any]:
    """A kind of ours in their words."""
    return lambda kind: words.get(kind, kind)


def count(items: Any) -> int:
    """How many there are."""
    return len(items or ())


def count_done(items: Iterable[Mapping[str, Any]] | None) -> int:
    """How many of those that were asked for met no error."""
    return sum(not one["error"] for one in items or ())


def consolidated(items: Iterable[Mapping[str, Any]] | None, target: str) -> str:
    """A sentence on what was merged into what."""
    return f"Consolidated {count_done(items)} memories into {target}"


def some(items: Any) -> bool:
    """Whether there are any."""
    return bool(items)


def either(*values: Any) -> Any:
    """The first that is not empty."""
    return next((one for one in values if one), None)


def similarity(cosine: float | None, score: float | None) -> float:
    """The cosine, else the score: what a threshold is compared with."""
    return float(cosine if cosine is not None else score or 0.0)


def stored(action: str, duplicate_of: str) -> str:
    """What became of a memory, in the words of Contextify's code (CT-10)."""
    if action != "added":
        return "updated"
    return "created_with_suggestions" if duplicate_of else "created"


def suggestions(duplicate_of: str, cosine: float | None, action: str) -> list[dict[str, Any]]:
    """The memory that says nearly the same, where both were kept."""
    if not duplicate_of or action != "added":
        return []
    return [{"memory": {"id": duplicate_of}, "similarity": cosine}]


def match_type(why: Iterable[str] | None) -> str:
    """``semantic``, ``keyword`` or ``hybrid``, by what made a memory match (CT-4)."""
    said = list(why or ())
    by_words = any(one.startswith("matches") for one in said)
    by_meaning = any(one.startswith("similar") for one in said)
    return "hybrid" if by_words and by_meaning else "semantic" if by_meaning else "keyword"


def line_before(line: int | None) -> int:
    """A line counted from 0."""
    return (line or 1) - 1


def outer_end(direction: str, via: str, other: str) -> str:
    """The memory that a link leads away from."""
    return via if direction == "out" else other


def inner_end(direction: str, via: str, other: str) -> str:
    """The memory that a link leads to."""
    return other if direction == "out" else via


def working(memories: Iterable[Mapping[str, Any]] | None) -> int:
    """How many of the memories are working ones."""
    return sum(one["layer"] == "working" for one in memories or ())


def lasting(all_of_them: int, memories: Iterable[Mapping[str, Any]] | None) -> int:
    """How many of the memories are no working ones."""
    return all_of_them - working(memories)


def total(*counts: int) -> int:
    """The sum."""
    return sum(counts)


def language(path: str) -> str:
    """The language of a file, by its name."""
    return languages.language(path)


def second_line(text: str | None) -> str:
    """What stands below the first line: of a symbol, the first line of its documentation."""
    return (text or "").partition("\n")[2].strip()


def is_stale(state: str) -> bool:
    """Whether the index lacks something."""
    return state != "current"


def offline_gap(seconds: int | None, since: str | None, memories: Any) -> dict[str, Any] | None:
    """How long nobody was here; nothing at the first session (CF-28)."""
    if seconds is None:
        return None
    return {
        "durationMs": seconds * 1000,
        "durationHuman": durations.human(seconds * 1000),
        "from": milliseconds(since),
        "memoriesAdded": sum(one["created_at"] >= (since or "") for one in memories or ()),
    }


def conversions(first: Any, second: Any, resolved: Any, now: Any) -> list[dict[str, Any]]:
    """A moment in other time zones: the one that was resolved, else now."""
    moment = (resolved or now)["epochMs"]
    seen = [
        time_anchor.time_anchor(time_report.anchor(moment, one["timezone"], ()))
        for one in first or second or ()
    ]
    return [
        {
            "epochMs": one.epochMs,
            "timezone": one.timezone,
            "iso": one.iso,
            "timeOfDay": one.timeOfDay,
            "date": one.date,
            "utcOffset": one.utcOffset,
        }
        for one in seen
    ]


def source_kinds(hits: Iterable[Mapping[str, Any]] | None) -> list[str]:
    """Which sources answered."""
    return list(dict.fromkeys(one["kind"] for one in hits or ()))


def kept(action: str) -> str:
    """A sentence on what became of what was said."""
    return "Successfully stored information" if action == "added" else f"Already known: {action}"


def first(items: Any) -> Any:
    """The first, if there is one."""
    return next(iter(items or ()), None)


def thousandfold(number: float) -> int:
    """Seconds as milliseconds."""
    return round(number * 1000)


def newest(history: Any) -> str | None:
    """When the newest commit was made."""
    return history[0]["at"] if history else None


def priority(ours: int) -> int:
    """A weight of 1 to 5 as a priority of 1 to 10."""
    return ours * 2


def first_word(text: str | None) -> str:
    """The first of several names."""
    return next(iter((text or "").split()), "")


def first_line(text: str | None) -> str:
    """The first line that is not blank."""
    return next((line.strip() for line in (text or "").split("\n") if line.strip()), "")


def names(items: Iterable[Mapping[str, Any]] | None) -> list[str]:
    """The names of things."""
    return [one["name"] for one in items or ()]


def places(items: Iterable[Mapping[str, Any]] | None) -> list[str]:
    """Where the parts of a context are from: paths, commits and ids."""
    said = (one["path"] or one["commit"] or one["id"] for one in items or ())
    return list(dict.fromkeys(filter(None, said)))


def citations(
    sources: Iterable[Mapping[str, Any]] | None, sentences: Iterable[Mapping[str, Any]] | None
) -> list[dict[str, Any]]:
    """The places that an answer cites, each with the sentences drawn from it (CE-11)."""
    drawn = list(sentences or ())
    found = []
    for one in sources or ():
        first, _, last = one["lines"].partition("-")
        found.append(
            {
                "path": one["path"] or one["cite"],
                "start_line": int(first) if first else None,
                "end_line": int(last or first) if first else None,
                "snippet": "\n".join(
                    said["text"] for said in drawn if one["number"] in said["sources"]
                ),
                "relevance": one["score"],
            }
        )
    return found


def as_list(value: Any) -> list[Any]:
    """One thing as a list of it."""
    return value if isinstance(value, list) else [value]


def taken(plan: Mapping[str, Any]) -> int:
    """The milliseconds of all steps of a plan."""
    return round(sum(one["milliseconds"] or 0 for one in plan["steps"]))


def highlights(text: str | None, asked: Any) -> list[str]:
    """Where the words of a question stand, marked ``<<so>>`` (CE-8)."""
    said = " ".join(asked) if isinstance(asked, list) else str(asked or "")
    wanted = [re.escape(one) for one in re.findall(r"\w{3,}", said)]
    if not wanted:
        return []
    found = re.finditer(rf"\b(?:{'|'.join(wanted)})\w*", text or "", re.IGNORECASE)
    return [
        _marked(text or "", one.start(), one.end())
        for one, _ in zip(found, range(_MARKED), strict=False)
    ]


def _marked(text: str, start: int, end: int) -> str:
    before, after = text[max(0, start - _AROUND) : start], text[end : end + _AROUND]
    return " ".join(f"{before}<<{text[start:end]}>>{after}".split())

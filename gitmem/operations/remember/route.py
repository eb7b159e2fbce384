"""Asking where something would be kept, and why."""

from gitmem.app import App
from gitmem.capture.layer_choice import choose
from gitmem.clock.durations import parse_duration
from gitmem.memory import draft
from gitmem.memory import layer_router as rules
from gitmem.memory.draft import Draft
from gitmem.model.frozen import dataclass
from gitmem.operations.registry import READ, Annotated, Arg, Operation


@dataclass(frozen=True, slots=True)
class RouteRequest:
    """The text that would be remembered."""

    text: Annotated[str, Arg("The text that would be remembered", positional=True, words=True)]
    kind: Annotated[str, Arg("Its kind, as for `gitmem remember`", short="-k")] = "note"
    tag: Annotated[tuple[str, ...], Arg("A tag")] = ()
    layer: Annotated[str, Arg("The layer that would be given", choices=rules.LAYERS)] = ""
    ttl: Annotated[str, Arg("The time to live that would be given, such as 2h")] = ""
    importance: Annotated[
        float | None, Arg("The importance that would be given", least=0, most=1)
    ] = None
    session: Annotated[str, Arg("The session it would belong to")] = ""
    explain: Annotated[bool, Arg("Also show every rule, in the order they are tried")] = False


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule of the router: what it asks, and whether it decided."""

    rule: str
    asks: str
    decided: bool


@dataclass(frozen=True, slots=True)
class Routed:
    """The layer that the rules advise (CF-5, CF-6), and the one it is stored in.

    ``confidence`` is 0 to 1, ``reason`` says what the rules went by, ``because`` what gitmem made
    of it. ``rules`` is filled when an explanation was asked for.
    """

    layer: str
    confidence: float
    reason: str
    stored_in: str
    because: str
    rules: tuple[Rule, ...]


_ASKED = (
    ("layer", "is a layer given? (1.00)"),
    ("tag", "tag temp: working; tag global: global; tag project: project (0.95)"),
    ("ttl", "is there a time to live? working (0.90)"),
    ("kind", "kinds that have a layer of their own (0.75 to 0.95)"),
    ("code", "code: generic patterns global (0.85), of a session working (0.75), else project"),
    ("default", "project (0.60)"),
)


def route(app: App, request: RouteRequest) -> Routed:
    """Show which layer something would be stored in, and why.

    Nothing is stored. Rules suggest a layer; gitmem follows the suggestion where it is safe: what
    is temporary goes to the working layer, and only what is said to apply everywhere goes to the
    global one.
    """
    draft.check_kind(request.kind or "note")
    said = Draft(
        request.text,
        kind=request.kind,
        tags=draft.check_tags(request.tag),
        importance=draft.bounded("importance", request.importance, 0, 1, 0.5),
        ttl_ms=parse_duration(request.ttl) if request.ttl else None,
    )
    _, choice = choose(app, said, request.layer, request.session)
    advice = choice.advice
    asked = tuple(Rule(name, asks, name == advice.rule) for name, asks in _ASKED)
    return Routed(
        advice.layer,
        advice.confidence,
        advice.reason,
        choice.layer,
        choice.because,
        asked if request.explain else (),
    )


def view(result: Routed) -> str:
    """The advice and what follows; with --explain the rules, marked the one that decided."""
    lines = [f"It would be stored in the {result.stored_in} layer: {result.because}."]
    if result.layer != result.stored_in:
        lines.append(
            f"The rules suggest the {result.layer} layer ({result.confidence:.0%} sure), since "
            f"{result.reason}."
        )
    lines += [f"  {'>' if one.decided else ' '} {one.rule:<8} {one.asks}" for one in result.rules]
    return "\n".join(lines)


ROUTE = Operation(
    name="route",
    run=route,
    view=view,
    effect=READ,
    sample='"Redis is down" --kind observation --explain',
    tool="route",
)

"""Features, the pieces of work that somebody has in hand: their files, questions and commits.

Without a name the checked-out branch is the feature.
"""

from gitmem.app import App
from gitmem.clock import format_iso
from gitmem.errors import InvalidInput, NotFound
from gitmem.git import history
from gitmem.memory import draft
from gitmem.model.frozen import dataclass
from gitmem.operations.registry import (
    READ,
    WRITE,
    Annotated,
    Arg,
    Operation,
    Texts,
    positional_arg,
    unquoted_words_arg,
)
from gitmem.retrieval.memory_view import CommitItem
from gitmem.sessions import feature_context
from gitmem.text.fence import join_lines, one_line
from gitmem.timeline import features
from gitmem.timeline.features import Feature

LONGEST = 100
MOST = 50


@dataclass(frozen=True, slots=True)
class SetCurrentFeatureRequest:
    """Arguments of `gitmem feature set`: the ``name`` of the work in progress, and files of it."""

    name: Annotated[str, unquoted_words_arg("A name of your choice")]
    file: Annotated[Texts, Arg("A file that belongs to it", path_kind="path")] = ()


@dataclass(frozen=True, slots=True)
class SwitchFeatureRequest:
    """Arguments of `gitmem feature switch`: the name of an earlier feature; empty: the branch."""

    name: Annotated[
        str, positional_arg("A feature that `gitmem feature list` shows (default: the branch)")
    ] = ""


@dataclass(frozen=True, slots=True)
class ListFeaturesRequest:
    """Arguments of `gitmem feature list`: ``limit`` is the most features listed."""

    limit: Annotated[int, Arg("At most this many", short="-n", minimum=1, maximum=MOST)] = (
        features.LISTED
    )


@dataclass(frozen=True, slots=True)
class FeatureItem:
    """A feature, a task with a name or a branch, and what belongs to it.

    ``current``: it is worked on here, ``idle``: not for 30 minutes. It has at most 20 files, 20
    questions and 50 commits, newest first; commits only if it is current.
    """

    name: str
    current: bool
    by_hand: bool
    idle: bool
    last_at: str | None
    files: tuple[str, ...]
    questions: tuple[str, ...]
    commits: tuple[CommitItem, ...] = ()


@dataclass(frozen=True, slots=True)
class FeatureList:
    """Features, the current one first, then by their last use."""

    features: tuple[FeatureItem, ...]


def set_current_feature(app: App, request: SetCurrentFeatureRequest) -> FeatureItem:
    """Name the feature you are working on in this worktree, on this branch.

    The files given, those viewed and the questions asked from now on belong to it, and `gitmem
    context` ranks its files higher. Without a name the branch is the feature. The result is the
    feature with its files, questions and commits.
    """
    name = " ".join(request.name.replace("\x00", " ").split())
    if not name:
        raise InvalidInput(
            "No name was given for what you are working on.",
            "Give one: gitmem feature set checkout-by-card",
        )
    if len(name) > LONGEST:
        raise InvalidInput(
            f"The feature's name has {len(name)} characters; at most {LONGEST} are allowed.",
            "Shorten the name.",
        )
    files = draft.check_paths(request.file)
    if len(files) > features.MOST_FILES:
        raise InvalidInput(
            f"There are {len(files)} files; a feature has at most {features.MOST_FILES}.",
            "Name the files that matter most; files viewed from now on are added by themselves.",
        )
    feature_context.name_current_feature(app, name, files)
    return _item(app, feature_context.current_feature(app), current=True)


def switch_feature(app: App, request: SwitchFeatureRequest) -> FeatureItem:
    """Go back to an earlier feature, or to the branch itself.

    A feature is a task that was named, or a branch. The result is that feature, with its files and
    questions. An unknown name is an error (NotFound).
    """
    name, branch = request.name.strip(), feature_context.worktree_and_branch(app)[1]
    if name in ("", branch):
        feature_context.name_current_feature(app, "")
        return _item(app, feature_context.current_feature(app), current=True)
    names = [feature.name for feature in feature_context.all_features(app)]
    if name not in names:
        shown = ", ".join(one_line(name_, 40) for name_ in names[: features.LISTED])
        raise NotFound(
            f"No feature (a named piece of work) is called {one_line(name, 60)!r}.",
            f"Known: {shown}. `gitmem feature set` makes a new one."
            if names
            else "`gitmem feature set NAME` makes one.",
        )
    feature_context.name_current_feature(app, name)
    return _item(app, feature_context.current_feature(app), current=True)


def list_features(app: App, request: ListFeaturesRequest) -> FeatureList:
    """List features, the current one first: files, questions, commits.

    A feature is a task that somebody named, or a branch.
    """
    here = feature_context.current_feature(app)
    others = [feature for feature in feature_context.all_features(app) if feature.name != here.name]
    return FeatureList(
        (
            _item(app, here, current=True, whole=True),
            *(_item(app, feature, current=False) for feature in others[: request.limit - 1]),
        )
    )


def _item(app: App, feature: Feature, *, current: bool, whole: bool = False) -> FeatureItem:
    return FeatureItem(
        name=feature.name,
        current=current,
        by_hand=feature.by_hand,
        idle=feature.is_idle(app.now),
        last_at=format_iso(feature.last_at) if feature.last_at else None,
        files=feature.files,
        questions=feature.questions,
        commits=tuple(_commits(app, feature)) if whole else (),
    )


def _commits(app: App, feature: Feature) -> list[CommitItem]:
    """The commits made during sessions of the feature, newest first."""
    ran = [
        (session.started_at // 1000, (session.ended_at or app.now) // 1000)
        for session in feature_context.sessions_of_feature(app, feature)
    ]
    if not ran or app.git_head.commit is None:
        return []
    since = min(start for start, _ in ran)
    commits = history.list_commits(
        app.layout.cwd, since_seconds=since, until=app.git_head.commit, limit=features.MOST_CHANGES
    )
    return [
        CommitItem(
            commit.sha, commit.author, format_iso(commit.committed_time * 1000), commit.subject
        )
        for commit in commits
        if any(start <= commit.committed_time <= end for start, end in ran)
    ]


def view(result: FeatureItem) -> str:
    """Return the text to print: the feature's name and state, its files, questions and commits."""
    marks = [
        "here" if result.current else "",
        "named by hand" if result.by_hand else "branch",
        f"last worked on {result.last_at[:16]}" if result.last_at else "nothing known yet",
        "idle" if result.idle and result.last_at else "",
    ]
    lines = [f"{join_lines(result.name)}  ({', '.join(filter(None, marks))})"]
    if result.files:
        lines.append(f"  files: {one_line(' '.join(result.files), 200)}")
    lines += [f"  asked: {one_line(question, 100)}" for question in result.questions[:3]]
    lines += [
        f"  {commit.commit[:10]}  {one_line(commit.subject, 90)}" for commit in result.commits[:10]
    ]
    return "\n".join(lines)


def view_list(result: FeatureList) -> str:
    """Return the text to print: a paragraph for each feature."""
    return "\n".join(map(view, result.features))


SET = Operation(
    "feature set",
    set_current_feature,
    view,
    WRITE,
    "checkout-by-card",
    tool="feature_set",
    shows_times=True,
)

LIST = Operation(
    "feature list", list_features, view_list, READ, tool="feature_list", shows_times=True
)

SWITCH = Operation(
    "feature switch",
    switch_feature,
    view,
    WRITE,
    "checkout-by-card",
    tool="feature_switch",
    shows_times=True,
)

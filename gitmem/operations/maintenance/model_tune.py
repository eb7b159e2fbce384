"""Tuning the built-in model to a repository, and undoing that."""

from gitmem.app import App
from gitmem.errors import InvalidInput
from gitmem.maintenance import model_tuning
from gitmem.maintenance.model_tuning import Tuned
from gitmem.model.frozen import dataclass
from gitmem.operations.registry import WRITE, Annotated, Arg, Operation


@dataclass(frozen=True, slots=True)
class Tune:
    """Whether to undo it instead."""

    back: Annotated[bool, Arg("Use the version before the one in use")] = False
    off: Annotated[bool, Arg("Use the original model")] = False


def tune(app: App, request: Tune) -> Tuned:
    """Tune the built-in model to this repository; kept only if better.

    It learns from documentation, headings and commit messages how questions are worded here. The
    newest fifth of the commits is held out as test questions: unless these find their files
    significantly better, and documentation finds its definitions no worse, nothing changes. Each
    version is a file of its own beside the store; vectors of texts stay as they are. It takes
    seconds and sends nothing anywhere. Only searches by meaning alone (--mode semantic) use it:
    together with words it showed no gain.
    """
    if request.back and request.off:
        raise InvalidInput("--back and --off ask for two things.", "Omit one of them.")
    if request.back or request.off:
        return model_tuning.go_back(app, off=request.off)
    return model_tuning.tune(app)


def view(result: Tuned) -> str:
    """What is in use, and how it was tested."""
    now = f"version {result.version}" if result.version else "the original model"
    lines = [f"in use: {now}"]
    if result.why:
        lines = [f"not changed: {result.why}", *lines]
    if result.learned:
        learned = ", ".join(f"{count} {name}" for name, count in result.learned.items())
        gain = result.after - result.before
        lines += [
            f"learned from: {learned}",
            f"{result.asked} newest commits: {result.before:.3f} before, {result.after:.3f} after, "
            f"{gain:+.3f} [{result.least:+.3f}, {result.most:+.3f}]",
        ]
    if result.documented:
        lines.append(
            f"{result.documented} chunks of documentation: {result.documented_before:.3f} before, "
            f"{result.documented_after:.3f} after"
        )
    return "\n".join(lines)


TUNE = Operation("model tune", tune, view, WRITE)

"""Choosing the cross-encoder that reads the best hits of a search."""

from gitmem.app import App
from gitmem.maintenance import reranker_choice
from gitmem.maintenance.reranker_choice import Reranking
from gitmem.model.frozen import dataclass
from gitmem.operations.registry import WRITE, Annotated, Arg, Operation, given


@dataclass(frozen=True, slots=True)
class Rerank:
    """Which model."""

    name: Annotated[str, given("fastembed:<cross-encoder or folder>, or off")]
    pull: Annotated[bool, Arg("Download it first, if it is not here")] = False


def rerank(app: App, request: Rerank) -> Reranking:
    """Have a cross-encoder read the best hits of a search.

    It reads the question with each of the 50 best hits and moves the 12 best to the front; its
    order counts 0.6, the previous order 0.4. A search waits at most two seconds for it, and says so
    if it was too slow. The model must be on this machine; only --pull downloads one.
    """
    return reranker_choice.choose(app, request.name, download=request.pull)


def view(result: Reranking) -> str:
    """What is in use now."""
    now, before = result.name or "none", result.previous or "none"
    return f"reranker: {now} (was {before}), written to {result.changed}"


RERANK = Operation("model rerank", rerank, view, WRITE, "fastembed:Xenova/ms-marco-MiniLM-L-6-v2")

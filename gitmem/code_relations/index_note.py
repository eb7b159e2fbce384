"""What an answer from the code graph lacks, in a sentence."""

from gitmem.app import App
from gitmem.code_relations.graph_target import Meant
from gitmem.indexing import index_state
from gitmem.store.code import graph_reads


def of(app: App, meant: Meant | None = None) -> str:
    """A note about the index, or about several definitions that were taken together; or ""."""
    if not graph_reads.has_files(app.store, app.worktree):
        return "No edges are indexed; `gitmem index` makes them."
    told = []
    if meant is not None and len(places := {one.path for one in meant.symbols}) > 1:
        told.append(
            f"{len(meant.symbols)} definitions in {len(places)} files are taken together; "
            "Class.name or path:name tells them apart."
        )
    if index_state.state(app) == "stale":
        told.append("The index is out of date; `gitmem index` brings it up to date.")
    return " ".join(told)

"""One run of semble with vectors that are drawn: run by a Python that has it, not by ours.

    PYTHON -P peers_semble.py FOLDER [QUESTIONS]

``QUESTIONS`` is JSON, ``{"asked": [...], "names": [...]}``; printed is one line of JSON: the
milliseconds of each question, and for each name the paths that were found.
"""

import json
import sys
import time
from importlib import import_module
from pathlib import Path
from typing import Any


class Drawn:
    """Stands for a model: any text's vector is drawn, and costs next to nothing."""

    dim = 256

    def __init__(self) -> None:
        self._numpy = import_module("numpy")
        self._chance = self._numpy.random.default_rng(1)

    def encode(self, texts: Any, **_options: Any) -> Any:
        """As many vectors as texts."""
        shape = self.dim if isinstance(texts, str) else (len(texts), self.dim)
        return self._chance.standard_normal(shape).astype(self._numpy.float32)


def main() -> None:
    """Index the folder, and answer what is asked."""
    place = Path(sys.argv[1]).resolve()
    create, index = import_module("semble.index.create"), import_module("semble.index.index")
    kinds = import_module("semble.types").ContentType
    content = (kinds.CODE, kinds.DOCS, kinds.CONFIG)
    model = Drawn()
    words, meaning, pieces, _ = create.create_index_from_path(
        place, model, content=content, display_root=place
    )
    if len(sys.argv) < 3:
        return
    found = index.SembleIndex(model, words, meaning, pieces, "drawn", content=content)
    data = json.loads(sys.argv[2])
    waits = []
    for question in data["asked"]:
        begin = time.perf_counter()
        found.search(question, top_k=10)
        waits.append((time.perf_counter() - begin) * 1000)
    paths = [
        [item.chunk.file_path for item in found.search(name, top_k=10)] for name in data["names"]
    ]
    print(json.dumps({"ms": waits, "paths": paths}))


if __name__ == "__main__":
    main()

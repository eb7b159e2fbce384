"""Files that are no UTF-8: each grammar's query reads them, and texts come from the file itself."""

from __future__ import annotations

from pathlib import Path

from gitmem.indexing.syntax import extract, grammars
from tests.support.tables import table

LATIN = "é (ä) { é: 'ü' } [é] <é> \"ß\" é.ä = é; é é(é) # é\n".encode("latin-1")
GRAMMARS = sorted(
    {path.stem for path in Path(grammars.QUERIES).glob("*.scm") if grammars.load_grammar(path.stem)}
)


@table("grammar", GRAMMARS)
def test_words_in_another_encoding_do_not_end_the_process(grammar: str) -> None:
    for data in (LATIN, LATIN * 20, bytes(range(256)) * 20):
        assert extract.parse_source_file(grammar, "a", data) is not None


def test_names_are_taken_from_the_file_and_positions_stay() -> None:
    source = "# Über alles.\ndef größe(a)\n  puts(a)\n  weiß(a)\nend\n".encode("latin-1")
    result = extract.parse_source_file("ruby", "a.rb", source)
    assert result is not None
    (answer,) = result.definitions
    assert (answer.name, answer.doc, answer.line) == ("gr��e", "�ber alles.", 2)
    assert [(each.name, each.line) for each in result.references] == [("wei�", 4)]

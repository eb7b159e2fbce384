"""A number with its noun in English: 1 memory, 2 memories, 12,400 files."""

# From here on numbers get commas.
_LONG = 10_000
_HISSING = ("s", "x", "z", "ch", "sh")


def quantity(count: int, noun: str, plural: str = "") -> str:
    """Return a number with its noun: ``1 new commit``, ``2 memories``, ``12,400 files``.

    ``plural`` is the plural where it is irregular, or a verb follows: "memories cite".
    """
    if count == 1:
        return f"1 {noun}"
    number = f"{count:,}" if count >= _LONG else str(count)
    return f"{number} {plural or _plural(noun)}"


def omitted_count_lines(omitted_count: int, indent: str = "  ") -> list[str]:
    """Return a list of one line, such as "and 3 more; --limit shows them"; empty for 0."""
    return [f"{indent}and {omitted_count} more; --limit shows them"] if omitted_count > 0 else []


def _plural(thing: str) -> str:
    if thing.endswith("y") and thing[-2:-1] not in "aeiou":
        return f"{thing[:-1]}ies"
    return f"{thing}es" if thing.endswith(_HISSING) else f"{thing}s"

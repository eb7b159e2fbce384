"""A TOML file of settings as dotted keys, with a sentence for each way to be wrong."""

from gitmem.errors import InvalidInput

_LARGEST = 256 << 10  # bytes of a file: one that came with a clone must not hold up every command


def read(path: str) -> dict[str, object]:
    """A TOML file as dotted keys. Raises InvalidInput where it does not parse or is too large."""
    try:
        with open(path, "rb") as file:
            content = file.read(_LARGEST + 1)
    except OSError as error:
        raise InvalidInput(
            f"{path} cannot be read: {error.strerror}.", "Check its permissions."
        ) from error
    if len(content) > _LARGEST:
        raise InvalidInput(
            f"{path} is larger than {_LARGEST >> 10} KB.", "It should hold a few lines of settings."
        )
    return parsed(content, path)


def parsed(content: bytes, path: str) -> dict[str, object]:
    """The text of a TOML file as dotted keys. Raises InvalidInput, with the line that is wrong."""
    import tomllib  # noqa: PLC0415 - 16 ms

    try:
        tree = tomllib.loads(content.decode())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        last = content.count(b"\n") + 1
        told = str(error).replace("at end of document", f"at line {last}, the end")
        raise InvalidInput(
            f"{path} is not valid TOML: {told}.", "Fix the line or remove it."
        ) from error
    except RecursionError as error:
        raise InvalidInput(f"{path} is nested too deeply.", "Fix the line or remove it.") from error
    flat: dict[str, object] = {}
    for key, value in tree.items():
        if isinstance(value, dict):
            flat.update({f"{key}.{inner}": item for inner, item in value.items()})
        else:
            flat[key] = value
    return flat

"""Reading a TOML file of settings as dotted keys, with an error message for each fault."""

import os

from gitmem.errors import InvalidInput
from gitmem.files.plain_file import open_regular_file, read_user_owned_file

_LARGEST = 256 << 10  # bytes of a file: one that came with a clone must not hold up every command


def read_toml_settings(
    path: str, *, require_private_file: bool = False, allowed_folder: str = ""
) -> dict[str, object]:
    """Return the values in a TOML file by dotted key, such as ``log.level``.

    ``require_private_file``: the file must belong to the user alone and be no link.
    ``allowed_folder`` (empty: any): a link must not lead out of this folder. Raises InvalidInput if
    the file cannot be read, is too large or is not valid.
    """
    if allowed_folder and not os.path.realpath(path).startswith(
        os.path.join(os.path.realpath(allowed_folder), "")
    ):
        raise InvalidInput(
            f"{path} is a link that leads out of the repository.", "Put the file itself there."
        )
    return parse_toml_settings(
        read_toml_bytes(path, require_private_file=require_private_file), path
    )


def read_toml_bytes(path: str, *, require_private_file: bool = False) -> bytes:
    """Return the content of a TOML file.

    ``require_private_file``: it must belong to the user alone and be no link. Raises InvalidInput
    if it cannot be read or is too large.
    """
    try:
        if require_private_file:
            data = read_user_owned_file(path, _LARGEST + 1)
        else:
            with open_regular_file(path) as file:
                data = file.read(_LARGEST + 1)
    except OSError as error:
        raise InvalidInput(
            f"{path} cannot be read: {error.strerror}.",
            "It must be a regular file that you own: check its owner and permissions.",
        ) from error
    if len(data) > _LARGEST:
        raise InvalidInput(
            f"{path} is larger than {_LARGEST >> 10} KB.", "It should hold a few lines of settings."
        )
    return data


def parse_toml_settings(content: bytes, path: str) -> dict[str, object]:
    """Return the values in the content of a TOML file by dotted key, such as ``log.level``.

    Raises InvalidInput, with the line that is wrong; ``path`` is for its message.
    """
    import tomllib  # noqa: PLC0415 - 16 ms

    try:
        tree = tomllib.loads(content.decode())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        last = content.count(b"\n") + 1
        reason = str(error).replace("at end of document", f"at line {last}, the end")
        raise InvalidInput(
            f"{path} is not valid TOML: {reason}.", "Fix the line or remove it."
        ) from error
    except RecursionError as error:
        raise InvalidInput(
            f"The values in the file {path} are nested too deeply.", "Flatten the deepest one."
        ) from error
    flat: dict[str, object] = {}
    for key, value in tree.items():
        if isinstance(value, dict):
            flat.update({f"{key}.{inner}": item for inner, item in value.items()})
        else:
            flat[key] = value
    return flat


def toml_settings_as_lines(content: bytes, path: str) -> tuple[str, ...]:
    """Return the settings in a TOML file's content, each as a line ``key = value``.

    Raises InvalidInput if it is not valid; ``path`` is for its message.
    """
    from gitmem.text.fence import one_line  # noqa: PLC0415 - only to show new settings

    texts = (f"{key} = {value!r}" for key, value in parse_toml_settings(content, path).items())
    return tuple(one_line(text, len(text)) for text in texts)

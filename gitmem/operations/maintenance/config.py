"""Settings: their values, and where each was set."""

import os
import shlex

from gitmem import setting_table, settings
from gitmem.app import App
from gitmem.capture.provenance import require_person
from gitmem.errors import Conflict, InvalidInput, NotARepository, NotFound, Unavailable
from gitmem.maintenance import setting_values, settings_file
from gitmem.model.frozen import copy_fields, dataclass, replace
from gitmem.operations.registry import WRITE, Annotated, Arg, Operation, positional_arg
from gitmem.store.db import preflight
from gitmem.text.fence import one_line

# Settings that take effect later. The index stores their values; `gitmem doctor` compares them.
_NOTES = (
    "Takes effect at the next `gitmem index`, which splits notes again; nothing else is rebuilt."
)
EFFECTS = {
    "index.words": _NOTES,
    "index.overlap": _NOTES,
    **dict.fromkeys(
        ("index.lines", "index.line_overlap"),
        "Takes effect at the next `gitmem index`, which splits code again, and only that.",
    ),
    **dict.fromkeys(
        ("index.enabled", "index.exclude", "index.max_file_bytes", "index.max_files"),
        "Takes effect at the next `gitmem index`: files are taken in or dropped; others stay.",
    ),
    "index.commits": "Takes effect at the next `gitmem index`, which reads the history again; "
    "commits beyond a lower limit are dropped by `gitmem index --full`.",
    **dict.fromkeys(
        setting_table.ENDPOINTS,
        "Unless it is on this machine, you are asked in each project before anything is sent "
        "there.",
    ),
    "model": "Takes effect at the next `gitmem index`, which embeds every text again; until then "
    "search by meaning is off. `gitmem model use` does both at once.",
}


@dataclass(frozen=True, slots=True)
class ConfigRequest:
    """Arguments of `gitmem config`: the setting to show (``key``, empty: all) or set (``value``).

    ``unset`` removes it from the file, ``user`` means the file for all repositories of the user.
    ``adopt`` is for settings that came with the folder, ``agree`` the words of consent it asks for.
    """

    key: Annotated[str, positional_arg("A setting, such as orient.budget (default: all)")] = ""
    value: Annotated[str, positional_arg("The new value")] = ""
    unset: Annotated[bool, Arg("Remove the setting from the file")] = False
    user: Annotated[bool, Arg("Set it for all your repositories, not only this one")] = False
    adopt: Annotated[
        bool, Arg("Show settings that came with the folder, and adopt them if you agree")
    ] = False
    agree: Annotated[
        str,
        Arg(
            "What you agree to: the address in the setting, or the word shown by --adopt",
            metavar="TEXT",
        ),
    ] = ""


@dataclass(frozen=True, slots=True)
class SettingItem:
    """A setting: its value, what gave it (``source``: a file, a variable), default and purpose.

    ``variable`` is the environment variable that can set it, empty if none can.
    """

    key: str
    value: str | int | float | bool
    source: str
    default: str | int | float | bool
    variable: str
    help: str


@dataclass(frozen=True, slots=True)
class ConfigResult:
    """The settings; ``changed`` is the file that was written, or empty.

    ``effect`` says when a changed setting takes effect, empty if at once. ``notes`` say which name
    of another system was translated, and what to do next. ``offered`` are settings that came with
    the folder and are not used until you adopt them, a line for each.
    """

    settings: tuple[SettingItem, ...]
    changed: str
    warnings: tuple[str, ...]
    effect: str = ""
    notes: tuple[str, ...] = ()
    offered: tuple[str, ...] = ()


def show_or_change_settings(app: App, request: ConfigRequest) -> ConfigResult:
    """Show settings and where each comes from, or set one.

    Later sources win: defaults, your own file, the repository's .gitmem.toml (only harmless keys),
    the project's file in your data folder, environment variables. An invalid value is refused; an
    invalid value that is in a file already is ignored with a warning. Names of settings in Context
    Fabric, Context Cache, MemoryLayer and Contextify are understood.
    """
    in_repository = True
    app.settings.lenient = True  # a file that does not parse is reported, for you to edit
    try:
        app.layout  # noqa: B018 - its settings files are read on the way
    except NotARepository:
        in_repository = False
    request, note = _translate_alias(request)
    if request.key and not _setting(request):
        raise InvalidInput(
            f"There is no setting {request.key[:40]!r}.{settings.did_you_mean(request.key)}",
            f"Settings: {', '.join(setting_table.BY_KEY)}.",
        )
    changed, offered, more = "", tuple[str, ...](), list[str]()
    if request.value or request.unset:
        changed = _change(app, request, in_repository)
    if request.adopt:
        changed, offered, more = _adopt(app, request)
    elif request.agree:
        more = [_agree(app, request)]
    current = _current(app, in_repository)
    rows = tuple(
        copy_fields(
            SettingItem,
            entry.setting,
            value=entry.value,
            source=entry.source,
            variable=entry.setting.environment_variable,
        )
        for entry in current.all_values()
        if request.key in ("", entry.setting.key)
    )
    effect = EFFECTS.get(request.key, "") if changed else ""
    gone = map(" ".join, current.gone)
    notes = (*((note,) if note else ()), *more, *current.notes, *gone)
    return ConfigResult(rows, changed, _warnings(current), effect, notes, offered)


def _setting(request: ConfigRequest) -> setting_table.Setting | None:
    """The setting with this key; a removed one too, to take it out of a file."""
    if request.unset and request.key in setting_table.GONE_VARIABLES.values():
        return setting_table.Setting(request.key, "", "")
    return setting_table.BY_KEY.get(request.key)


def _translate_alias(request: ConfigRequest) -> tuple[ConfigRequest, str]:
    """The request with another system's key and value translated, and a note about that."""
    if not request.key or _setting(request):
        return request, ""
    from gitmem import setting_aliases  # noqa: PLC0415 - only for an unknown key

    alias = setting_aliases.find_setting_alias(request.key)
    if alias is None:
        return request, ""
    setting = setting_aliases.describe_alias(alias)
    if not alias.key or (request.value and not alias.taken):
        raise InvalidInput(setting, f"See gitmem config {alias.key}." if alias.key else "")
    value = setting_aliases.convert_alias_value(alias, request.value) if request.value else ""
    if value is None:
        raise InvalidInput(f"{alias.name} cannot be {request.value!r:.60}.", setting)
    return replace(request, key=alias.key, value=value), setting


def _warnings(current: settings.Settings) -> tuple[str, ...]:
    looked_up = (
        f"{entry.source}: {warning}"
        for entry in current.all_values()
        if (warning := setting_values.find_setting_problem(entry.setting, entry.value))
    )
    return (*current.warnings, *looked_up)


def _change(app: App, request: ConfigRequest, in_repository: bool) -> str:
    setting = _setting(request)
    if setting is None:
        raise InvalidInput("No setting is given.", "Give its key: gitmem config orient.budget 800.")
    if not setting.agent:
        _refuse_agents(app, request)
    if setting.personal and not request.user:
        raise InvalidInput(f"{setting.key} applies to all your repositories.", "Add --user.")
    if not request.user and not in_repository:
        raise NotARepository("This is not a repository.", "Add --user to set it everywhere.")
    if not setting.user and request.user:
        raise InvalidInput(
            f"{setting.key} cannot be set for all repositories.", "Leave out --user."
        )
    if request.user and not app.settings.user_file:
        raise Unavailable(
            "There is no home folder to keep settings in.",
            "Set HOME, or GITMEM_HOME to a folder of yours.",
        )
    if not request.user:
        _check_store(app)
    value = None if request.unset else setting_values.parse_setting_text(setting, request.value)
    if setting.key in ("sync.include", "sync.exclude"):
        from gitmem.sync import select  # noqa: PLC0415 - for these keys only

        select.parse_sync_rules(**{"include": "", "exclude": "", setting.key[5:]: str(value or "")})
    if setting.key in setting_table.ENDPOINTS:
        _take_back_consent(app, setting.key, value, everywhere=request.user)
    if not request.user:
        return settings_file.save_and_apply_setting(app, setting.key, value)
    settings_file.save_setting(app.settings.user_file, setting.key, value)
    return app.settings.user_file


def _refuse_agents(app: App, request: ConfigRequest) -> None:
    """Raise Conflict if an agent sets what only a person may, with the command for the person."""
    by_setting = app.settings.text("agent") and not app.settings.detected_host_agent
    try:
        require_person(app, f"set {request.key}")
    except Conflict as error:
        if by_setting and app.agent == app.settings.text("agent"):
            source = app.settings.source("agent")
            error.hint = (
                f"The setting `agent` says that you are one: if not, remove it from {source}."
            )
            raise
        command = ["gitmem", "config", request.key, request.value or "--unset"]
        command += ["--user"] if request.user else []
        shown = shlex.join(one_line(word, len(word)) for word in command)
        error.hint = f"Ask the person you work for to run this in a terminal: {shown}"
        raise


def _take_back_consent(
    app: App, key: str, address: setting_table.Value | None, *, everywhere: bool
) -> None:
    """Forget the consent to other addresses: if one is set again, the person is asked again."""
    from gitmem.maintenance import endpoint_consent  # noqa: PLC0415 - once in a project's life

    if os.path.isdir(app.keys.stores_folder):
        endpoint_consent.delete_consents(
            app, key, excepted_address=str(address or ""), all_projects=everywhere
        )


def _adopt(app: App, request: ConfigRequest) -> tuple[str, tuple[str, ...], list[str]]:
    """The file that was written, if any; the settings offered; and notes.

    Only what was shown is adopted: at a terminal at once, else with the word shown for it.
    """
    from gitmem.maintenance import settings_adoption  # noqa: PLC0415 - once in a project's life

    require_person(app, "adopt settings")
    app.refuse_tracked_store()
    if not app.is_registered_folder:
        app.store  # noqa: B018 - opened to check it
    offer = settings_adoption.find_adoptable_settings(app)
    if offer is None:
        raise NotFound("There are no settings to adopt.", "`gitmem config` shows the settings.")
    if request.agree not in ("", offer.word):
        raise Conflict(
            "The settings have changed since they were shown.",
            "Look at them: gitmem config --adopt.",
        )
    agreed = bool(request.agree)
    if not agreed and app.ask is not None:
        app.say("\n".join(_offer_lines(offer.lines)))
        agreed = app.ask("Are these settings yours, and should they apply here?", False)
    if not agreed:
        return "", offer.lines, [f"To adopt them: gitmem config --adopt --agree {offer.word}"]
    path, left = settings_adoption.adopt_settings(app, offer)
    why = f"Left out, since they are set already or unknown: {', '.join(left)}"
    return path, offer.lines, [one_line(why, len(why))] if left else []


def _agree(app: App, request: ConfigRequest) -> str:
    """Record that a person agrees to the address in a setting; return a note."""
    from gitmem.maintenance import endpoint_consent  # noqa: PLC0415 - once in a project's life

    require_person(app, "agree to what is sent")
    key = request.key if request.key in setting_table.ENDPOINTS else setting_table.ENDPOINTS[0]
    address = _current(app, in_repository=True).text(key)
    if request.key != key or not address or request.agree != address:
        raise InvalidInput(
            f"You can only agree to the exact address that {key} is set to.",
            f"Run {endpoint_consent.consent_command(key, address)}" if address else "None is set.",
        )
    endpoint_consent.record_consent(app, key, address, agreed=True)
    return endpoint_consent.describe_transmission(key, address)


def _check_store(app: App) -> None:
    """Check that there is a store of ours, or that settings say where it is, to correct them.

    Raises NotInitialized, ForeignFile.
    """
    app.refuse_tracked_store()
    folder = os.path.dirname(app.config_file_beside_store)
    noted = app.is_registered_folder and (app.has_store or app.settings.text("store.path"))
    if noted and os.path.isdir(folder):
        preflight.check_path_owner(folder)
    else:
        app.store  # noqa: B018 - opened to check it


def _current(app: App, in_repository: bool) -> settings.Settings:
    """The settings read again, since a file may just have been changed."""
    current = settings.Settings(app.settings.environment, lenient=True)
    if in_repository:
        app.add_project_settings(current)
    return current


def _offer_lines(offered: tuple[str, ...]) -> list[str]:
    return ["These settings are not in effect:", *(f"  > {line}" for line in offered)]


def view(result: ConfigResult) -> str:
    """Return the text to print: a line for each setting."""
    lines = [f"written to {result.changed}"] if result.changed else []
    if result.offered and not result.changed:
        lines += _offer_lines(result.offered)
    for row in result.settings:
        lines.append(f"{row.key} = {row.value!r}  ({row.source})")
        if len(result.settings) == 1 or not result.changed:
            lines.append(f"    {row.help}")
    lines += [f"    {result.effect}"] if result.effect else []
    lines += [f"note: {note}" for note in result.notes]
    return "\n".join([*lines, *(f"warning: {warning}" for warning in result.warnings)])


CONFIG = Operation("config", show_or_change_settings, view, WRITE, "orient.budget 800")

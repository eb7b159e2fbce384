"""PowerShell: names may have a scope before them, help has headings."""

from __future__ import annotations

from gitmem.languages.record import Language

LANGUAGE = Language(
    name="powershell",
    written="PowerShell",
    files="ps1 psm1 psd1",
    programs="pwsh",
    wheel="tree_sitter_powershell",
    sigils="${}",
    scope="(?i)(?:global|local|private|script):",
    comment=r"\#+",
    noise=r"(?m)^[ \t]*\.[A-Za-z]+(?:[ \t]+\S+)?[ \t]*$",  # .SYNOPSIS, .PARAMETER Name
    comments=("#",),
    exports="open",
)

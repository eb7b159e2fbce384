"""What a file is, told by its name: a language, and whether it is code or prose.

A script without an extension says in its first line what runs it.
"""

from __future__ import annotations

# Language -> the extensions (or whole names) by which its files are known.
_LANGUAGES: dict[str, str] = {
    "bash": "sh bash zsh fish bats ksh",
    "c": "c h",
    "cpp": "cc cpp cxx hpp hh hxx inl ipp tpp cu cuh",
    "csharp": "cs csx",
    "clojure": "clj cljs cljc edn",
    "cmake": "cmake CMakeLists.txt",
    "css": "css scss sass less styl",
    "dart": "dart",
    "dockerfile": "Dockerfile dockerfile Containerfile",
    "elixir": "ex exs heex eex",
    "erlang": "erl hrl",
    "fsharp": "fs fsx fsi",
    "go": "go",
    "graphql": "graphql gql",
    "groovy": "groovy gradle Jenkinsfile",
    "haskell": "hs lhs",
    "hcl": "tf tfvars hcl",
    "html": "html htm xhtml vue svelte astro jinja jinja2 j2 erb hbs mustache twig",
    "java": "java",
    "javascript": "js mjs cjs jsx",
    "json": "json jsonc json5 webmanifest",
    "julia": "jl",
    "kotlin": "kt kts",
    "lua": "lua",
    "make": "mk mak Makefile makefile GNUmakefile Justfile justfile",
    "nim": "nim",
    "nix": "nix",
    "objc": "m mm",
    "ocaml": "ml mli",
    "perl": "pl pm t",
    "php": "php phtml",
    "powershell": "ps1 psm1 psd1",
    "protobuf": "proto",
    "python": "py pyi pyx pxd pyw SConstruct",
    "r": "r R rmd",
    "ruby": "rb rake gemspec Rakefile Gemfile Vagrantfile Podfile",
    "rust": "rs",
    "scala": "scala sc sbt",
    "solidity": "sol",
    "sql": "sql psql",
    "swift": "swift",
    "toml": "toml",
    "typescript": "ts tsx mts cts",
    "vim": "vim",
    "xml": "xml xsd xsl xslt plist csproj fsproj props targets",
    "yaml": "yml yaml",
    "zig": "zig zon",
    "ini": "ini cfg conf properties editorconfig desktop service",
    "markdown": "md markdown mdx mkd",
    "rst": "rst",
    "asciidoc": "adoc asciidoc",
    "text": "txt text README LICENSE COPYING AUTHORS CHANGELOG CHANGES NEWS TODO INSTALL NOTICE",
}
# Other names by which people know some of them.
_ALSO = {
    "c++": "cpp",
    "c#": "csharp",
    "f#": "fsharp",
    "golang": "go",
    "shell": "bash",
    "objective-c": "objc",
    "terraform": "hcl",
    "makefile": "make",
    "docker": "dockerfile",
}
PROSE = frozenset({"markdown", "rst", "asciidoc", "text"})
_BY_NAME = {word: language for language, words in _LANGUAGES.items() for word in words.split()}
LANGUAGES = tuple(sorted(_LANGUAGES))
# Language -> the programs that run its scripts, without their versions.
_RUN_BY: dict[str, str] = {
    "bash": "sh bash zsh ksh dash ash mksh bats",
    "elixir": "elixir",
    "erlang": "escript",
    "groovy": "groovy",
    "haskell": "runghc runhaskell stack",
    "javascript": "node nodejs zx",
    "julia": "julia",
    "kotlin": "kotlin",
    "lua": "lua luajit",
    "make": "make gmake",
    "ocaml": "ocaml",
    "perl": "perl",
    "php": "php",
    "powershell": "pwsh",
    "python": "python pypy uv",
    "r": "Rscript",
    "ruby": "ruby jruby",
    "scala": "scala",
    "swift": "swift",
    "typescript": "deno bun ts-node tsx",
}
_BY_PROGRAM = {word: language for language, words in _RUN_BY.items() for word in words.split()}
SCRIPTS = tuple(sorted(_RUN_BY))


def named(word: str) -> str:
    """The language of a name or of an ending (``Python``, ``py``, ``.ts``, ``c++``), or empty."""
    low = word.strip().lower().removeprefix(".")
    return low if low in _LANGUAGES else _ALSO.get(low) or _BY_NAME.get(low, "")


def close_to(word: str) -> list[str]:
    """The names that look most like a word, the likeliest first; maybe none."""
    import difflib  # noqa: PLC0415 - for a hint only

    known = {*_LANGUAGES, *_ALSO}
    return difflib.get_close_matches(word.strip().lower(), sorted(known), 3)


def language(path: str) -> str:
    """The language of a path, empty where the name does not tell."""
    name = path.rpartition("/")[2]
    if name in _BY_NAME:
        return _BY_NAME[name]
    stem, dot, extension = name.rpartition(".")
    if not dot or not stem:
        return ""
    return _BY_NAME.get(extension) or _BY_NAME.get(extension.lower(), "")


def may_be_script(path: str) -> bool:
    """Whether the name tells no language and has no extension: the first line may tell one."""
    return "." not in path.rpartition("/")[2] and not language(path)


def of_shebang(data: bytes) -> str:
    """The language that the first line (``#!/usr/bin/env -S python3 -u``) names, empty if none."""
    if not data.startswith(b"#!"):
        return ""
    line = data[2:].split(b"\n", 1)[0].decode("ascii", "replace")
    for word in line.split():
        program = word.rpartition("/")[2]
        # What stands between env and the program: its options, and variables that it sets.
        if program == "env" or word.startswith("-") or "=" in word:
            continue
        return _BY_PROGRAM.get(program) or _BY_PROGRAM.get(program.rstrip("0123456789."), "")
    return ""

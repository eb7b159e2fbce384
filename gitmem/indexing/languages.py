"""What a file is, told by its name: a language, and whether it is code or prose."""

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
PROSE = frozenset({"markdown", "rst", "asciidoc", "text"})
_BY_NAME = {word: language for language, words in _LANGUAGES.items() for word in words.split()}
LANGUAGES = tuple(sorted(_LANGUAGES))


def language(path: str) -> str:
    """The language of a path, empty where the name does not tell."""
    name = path.rpartition("/")[2]
    if name in _BY_NAME:
        return _BY_NAME[name]
    stem, dot, extension = name.rpartition(".")
    if not dot or not stem:
        return ""
    return _BY_NAME.get(extension) or _BY_NAME.get(extension.lower(), "")


def is_prose(path: str) -> bool:
    """Whether a path holds notes for people rather than code."""
    return language(path) in PROSE

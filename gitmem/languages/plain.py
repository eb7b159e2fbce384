"""Languages without a grammar: recognised by file name; some are read by regular expressions.

A pattern is for files as the formatter of their language leaves them.
"""

from __future__ import annotations

from gitmem.languages.record import DIRECT, NESTED, REST, Language

_C_COMMENTS = rb"(?s)/\*(?:.*?\*/|.*\Z)|\'\'\'(?:.*?\'\'\'|.*\Z)"
_DART_TYPE = r"(?:[\w.]+(?:<[^()=;]*>)?\??|\([^()=;]*\)\??) "
_DART_WORDS = r"(?:(?:static|external|abstract|late|covariant|const|factory) )*"
_NO_CALL = (
    r"(?!(?:if|for|while|switch|return|catch|assert|await|throw|else|super|this|new|yield|in|is|do)"
    r"\b)"
)
_DART = (
    (
        "class",
        DIRECT,
        r"(?:(?:abstract|sealed|base|interface|final|mixin|macro) )*class (?P<name>\w+)",
    ),
    ("mixin", DIRECT, r"(?:base )?mixin (?P<name>\w+)"),
    ("extension", DIRECT, r"extension (?:type )?(?:const )?(?P<name>(?!on\b)\w+)"),
    ("enum", DIRECT, r"enum (?P<name>\w+)"),
    ("type", DIRECT, r"typedef (?:\S+ (?=\w+\())?(?P<name>\w+)(?:<.*>)? *[=(]"),
    ("import", DIRECT, r"(?:import|export) ['\"](?P<name>[^'\"]+)"),
    ("constant", DIRECT, rf"(?:static )?const (?:{_DART_TYPE})?(?P<name>\w+) *="),
    ("field", DIRECT, rf"(?:(?:static|late) )*final (?:{_DART_TYPE})?(?P<name>\w+)(?: =|;)"),
    (
        "function",
        DIRECT,
        rf"{_DART_WORDS}{_NO_CALL}(?:{_DART_TYPE})?(?:operator ?)?{_NO_CALL}"
        r"(?P<name>\w+(?:\.\w+)?|[=<>+*/%~^|&\[\]-]+)(?:<[^()=;]*>)?\(",
    ),
    ("function", DIRECT, rf"{_DART_WORDS}(?:{_DART_TYPE})?(?:get|set) (?P<name>\w+)\b"),
)
_R_NAME = r"(?P<name>[\w.]+|`[^`]+`)"
_R = (
    ("class", DIRECT, rf"{_R_NAME} *(?:<-|=) *(?:R6::)?R6Class\("),
    ("class", DIRECT, r"(?:\S+ *<- *)?set(?:Ref)?Class\(['\"](?P<name>[\w.]+)"),
    ("class", DIRECT, rf"{_R_NAME} *(?:<-|=) *(?:S7::)?new_class\("),
    ("function", NESTED, rf"{_R_NAME} *(?:<<?-|=) *(?:function *\(|\\\()"),
    ("function", DIRECT, r"set(?:Generic|Method)\(['\"](?P<name>[\w.]+)"),
    ("import", DIRECT, r"(?:library|require|requireNamespace|source)\(['\"]?(?P<name>[\w./-]+)"),
)
_PERL = (
    ("module", DIRECT, r"(?:package|class) (?P<name>[\w:]+)[^;]*\{"),
    ("module", REST, r"(?:package|class) (?P<name>[\w:]+)[^;{]*;"),
    ("function", DIRECT, r"(?:(?:my|our|state) )?(?:async )?(?:sub|method) (?P<name>[\w:']+)"),
    ("constant", DIRECT, r"use constant (?P<name>\w+)\b"),
    ("property", DIRECT, r"has (?P<name>'?\w+'?)(?= *(?:=>|;|,))"),
    ("import", DIRECT, r"(?:use|require) (?P<name>(?!constant\b)[A-Za-z][\w:]*)"),
)
_ML_NAME = r"(?P<name>[a-z_][\w']*)"
_OCAML = (
    ("interface", DIRECT, r"module type (?:of )?(?P<name>[A-Z]\w*)"),
    ("module", DIRECT, r"module (?:rec )?(?P<name>[A-Z]\w*)"),
    ("class", DIRECT, rf"class (?:type )?(?:virtual )?(?:\[.*\] )?{_ML_NAME}"),
    (
        "type",
        DIRECT,
        r"(?:type|and) (?:nonrec )?(?:(?:[+-]?'\w+|\([^()]*\)) )?(?P<name>[a-z_]\w*)"
        r"(?= *(?:=|:=|$)(?! *fun))(?<!and \S)",
    ),
    ("type", DIRECT, r"exception (?P<name>[A-Z]\w*)"),
    ("function", DIRECT, rf"(?:val|external) {_ML_NAME} *:.*->"),
    ("constant", DIRECT, rf"(?:val|external) {_ML_NAME} *:"),
    (
        "function",
        DIRECT,
        rf"(?:let(?:%\w+)?(?: rec)?|and) {_ML_NAME}"
        r"(?= +[^=:\s]| *= *(?:fun|function)\b| *(?::.*)?$)",
    ),
    ("constant", DIRECT, rf"let(?:%\w+)? {_ML_NAME} *(?::[^=]*)?="),
    ("function", NESTED, rf"method (?:private |virtual |! *)*{_ML_NAME}"),
    ("import", DIRECT, r"(?:open!?|include) (?P<name>[A-Z][\w.]*)"),
)

LANGUAGES = (
    Language("clojure", "Clojure", "clj cljs cljc edn"),
    Language("cmake", files="cmake CMakeLists.txt"),
    Language("dart", "Dart", "dart", patterns=_DART, blanked=_C_COMMENTS),
    Language("dockerfile", files="Dockerfile dockerfile Containerfile", also="docker"),
    Language("erlang", "Erlang", "erl hrl", programs="escript"),
    Language("fsharp", "F#", "fs fsx fsi", also="f#"),
    Language("graphql", files="graphql gql"),
    Language("groovy", "Groovy", "groovy gradle Jenkinsfile", programs="groovy", family="jvm"),
    Language("hcl", files="tf tfvars hcl", also="terraform"),
    Language("json", files="json jsonc json5 webmanifest"),
    Language(
        "make",
        files="mk mak Makefile makefile GNUmakefile Justfile justfile",
        also="makefile",
        programs="make gmake",
    ),
    Language("nim", "Nim", "nim"),
    Language("nix", files="nix"),
    Language("objc", "Objective-C", "m mm", also="objective-c objective-cpp", family="c"),
    Language(
        "ocaml",
        "OCaml",
        "ml mli",
        programs="ocaml",
        patterns=_OCAML,
        blanked=rb"(?s)\(\*(?:.*?\*\)|.*\Z)",
        comment=r"\(\*+",
        noise=r"\*\)",
        comments=("(*",),
    ),
    Language(
        "perl",
        "Perl",
        "pl pm t",
        programs="perl",
        patterns=_PERL,
        blanked=rb"(?ms)^=[a-zA-Z]\w*(?:.*?^=cut\b[^\n]*|.*\Z)|^__(?:END|DATA)__.*\Z",
        comment="#+",
        comments=("#",),
    ),
    Language("protobuf", files="proto"),
    Language(
        "r",
        "R",
        "r R rmd",
        programs="Rscript",
        patterns=_R,
        comment="#+'?",
        comments=("#",),
    ),
    Language("solidity", "Solidity", "sol"),
    Language("toml", files="toml"),
    Language("vim", "Vim script", "vim"),
    Language("xml", files="xml xsd xsl xslt plist csproj fsproj props targets"),
    Language("yaml", files="yml yaml"),
    Language("ini", files="ini cfg conf properties editorconfig desktop service"),
    Language("markdown", files="md markdown mdx mkd", prose=True),
    Language("rst", files="rst", prose=True),
    Language("asciidoc", files="adoc asciidoc", prose=True),
    Language(
        "text",
        files=(
            "txt text README LICENSE COPYING AUTHORS CHANGELOG CHANGES NEWS TODO INSTALL NOTICE"
        ),
        also="plaintext",
        prose=True,
    ),
)

"""Languages known by the names of their files alone: nothing here reads them."""

from __future__ import annotations

from gitmem.languages.record import Language

LANGUAGES = (
    Language("clojure", "Clojure", "clj cljs cljc edn"),
    Language("cmake", files="cmake CMakeLists.txt"),
    Language("dart", "Dart", "dart"),
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
    Language("objc", "Objective-C", "m mm", also="objective-c", family="c"),
    Language("ocaml", "OCaml", "ml mli", programs="ocaml"),
    Language("perl", "Perl", "pl pm t", programs="perl"),
    Language("protobuf", files="proto"),
    Language("r", "R", "r R rmd", programs="Rscript"),
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
        prose=True,
    ),
)

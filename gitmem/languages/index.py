"""The names of the languages, for code that does not need their records.

Generated from the files beside it by `python -m docs.generate`: change these.
"""

_ROWS = """\
asciidoc|prose||adoc asciidoc|||||
bash|-|Bash|sh bash zsh fish bats ksh|shell shellscript|sh bash zsh ksh dash ash mksh bats|||
c|+|C|c h||||c|
clojure||Clojure|clj cljs cljc edn|||||
cmake|||cmake CMakeLists.txt|||||
cpp|+|C++|cc cpp cxx hpp hh hxx inl ipp tpp cu cuh|c++|||c|
csharp|+|C#|cs csx|c#||||c_sharp
css|-||css scss sass less styl|||||
dart|~|Dart|dart|||||
dockerfile|||Dockerfile dockerfile Containerfile|docker||||
elixir|-|Elixir|ex exs heex eex||elixir|||
erlang||Erlang|erl hrl||escript|||
fsharp||F#|fs fsx fsi|f#||||
go|+|Go|go|golang||go.mod||
graphql|||graphql gql|||||
groovy||Groovy|groovy gradle Jenkinsfile||groovy||jvm|
haskell|-|Haskell|hs lhs||runghc runhaskell stack|||
hcl|||tf tfvars hcl|terraform||||
html|-||html htm xhtml vue svelte astro jinja jinja2 j2 erb hbs mustache twig||||web|
ini|||ini cfg conf properties editorconfig desktop service|||||
java|+|Java|java||||jvm|
javascript|+|JavaScript|js mjs cjs jsx|javascriptreact|node nodejs zx|package.json tsconfig.json jsconfig.json|web|
json|||json jsonc json5 webmanifest|||||
julia|+|Julia|jl||julia|||
kotlin|+|Kotlin|kt kts||kotlin||jvm|
lua|+|Lua|lua||lua luajit|||
make|||mk mak Makefile makefile GNUmakefile Justfile justfile|makefile|make gmake|||
markdown|prose||md markdown mdx mkd|||||
nim||Nim|nim|||||
nix|||nix|||||
objc||Objective-C|m mm|objective-c objective-cpp|||c|
ocaml|~|OCaml|ml mli||ocaml|||
perl|~|Perl|pl pm t||perl|||
php|+|PHP|php phtml||php|composer.json||
powershell|-|PowerShell|ps1 psm1 psd1||pwsh|||
protobuf|||proto|||||
python|+|Python|py pyi pyx pxd pyw SConstruct||python pypy uv|||
r|~|R|r R rmd||Rscript|||
rst|prose||rst|||||
ruby|+|Ruby|rb rake gemspec Rakefile Gemfile Vagrantfile Podfile||ruby jruby|||
rust|+|Rust|rs|||Cargo.toml||
scala|+|Scala|scala sc sbt||scala||jvm|
solidity||Solidity|sol|||||
sql|-|SQL|sql psql|||||
swift|+|Swift|swift||swift|||
text|prose||txt text README LICENSE COPYING AUTHORS CHANGELOG CHANGES NEWS TODO INSTALL NOTICE|plaintext||||
toml|||toml|||||
tsx|-|TypeScript|||||web|typescript
typescript|+|TypeScript|ts tsx mts cts|typescriptreact|deno bun ts-node tsx||web|
vim||Vim script|vim|||||
xml|||xml xsd xsl xslt plist csproj fsproj props targets|||||
yaml|||yml yaml|||||
zig|-|Zig|zig zon|||||
"""  # noqa: E501 - each language has its row
_TABLE = [row.split("|") for row in _ROWS.splitlines()]


def _having(*marks: str) -> frozenset[str]:
    return frozenset(row[0] for row in _TABLE if row[1] in marks)


# Language -> how it is written (code alone), extensions and names of its files, other names by
# which people know it, the programs that run its scripts, what it shares files with.
CODE = {row[0]: row[2] for row in _TABLE if row[2] and row[3]}
FILES = {row[0]: row[3] for row in _TABLE if row[3]}
ALSO = {row[0]: row[4] for row in _TABLE if row[4]}
PROGRAMS = {row[0]: row[5] for row in _TABLE if row[5]}
FAMILY = {row[0]: row[7] for row in _TABLE if row[7]}
# What decides where imports lead; a change of one may lead any of them elsewhere.
MANIFESTS = frozenset(" ".join(row[6] for row in _TABLE).split())
# Grammar -> its wheel. Those with a file of their own (-), and of them those whose imports and
# calls are resolved (+).
WHEELS = {row[0]: f"tree_sitter_{row[8] or row[0]}" for row in _TABLE if row[1] in ("-", "+")}
READ, RESOLVED, PROSE = _having("-", "+"), _having("+"), _having("prose")
# Those that are read by patterns of lines (~).
PATTERNED = _having("~")

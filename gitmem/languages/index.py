"""The names of the languages, for who does not need their records.

Generated from the files beside it by `python -m docs.generate`: change these.
"""

_ROWS = """\
asciidoc|prose||adoc asciidoc||||
bash|read|Bash|sh bash zsh fish bats ksh|shell|sh bash zsh ksh dash ash mksh bats||
c|graph|C|c h||||c
clojure||Clojure|clj cljs cljc edn||||
cmake|||cmake CMakeLists.txt||||
cpp|graph|C++|cc cpp cxx hpp hh hxx inl ipp tpp cu cuh|c++|||c
csharp|read|C#|cs csx|c#|||
css|read||css scss sass less styl||||
dart||Dart|dart||||
dockerfile|||Dockerfile dockerfile Containerfile|docker|||
elixir|read|Elixir|ex exs heex eex||elixir||
erlang||Erlang|erl hrl||escript||
fsharp||F#|fs fsx fsi|f#|||
go|graph|Go|go|golang||go.mod|
graphql|||graphql gql||||
groovy||Groovy|groovy gradle Jenkinsfile||groovy||jvm
haskell|read|Haskell|hs lhs||runghc runhaskell stack||
hcl|||tf tfvars hcl|terraform|||
html|read||html htm xhtml vue svelte astro jinja jinja2 j2 erb hbs mustache twig||||web
ini|||ini cfg conf properties editorconfig desktop service||||
java|graph|Java|java||||jvm
javascript|graph|JavaScript|js mjs cjs jsx||node nodejs zx|package.json tsconfig.json jsconfig.json|web
json|||json jsonc json5 webmanifest||||
julia||Julia|jl||julia||
kotlin|graph|Kotlin|kt kts||kotlin||jvm
lua|read|Lua|lua||lua luajit||
make|||mk mak Makefile makefile GNUmakefile Justfile justfile|makefile|make gmake||
markdown|prose||md markdown mdx mkd||||
nim||Nim|nim||||
nix|||nix||||
objc||Objective-C|m mm|objective-c|||c
ocaml||OCaml|ml mli||ocaml||
perl||Perl|pl pm t||perl||
php|graph|PHP|php phtml||php|composer.json|
powershell|read|PowerShell|ps1 psm1 psd1||pwsh||
protobuf|||proto||||
python|graph|Python|py pyi pyx pxd pyw SConstruct||python pypy uv||
r||R|r R rmd||Rscript||
rst|prose||rst||||
ruby|graph|Ruby|rb rake gemspec Rakefile Gemfile Vagrantfile Podfile||ruby jruby||
rust|graph|Rust|rs|||Cargo.toml|
scala|read|Scala|scala sc sbt||scala||jvm
solidity||Solidity|sol||||
sql|read|SQL|sql psql||||
swift|read|Swift|swift||swift||
text|prose||txt text README LICENSE COPYING AUTHORS CHANGELOG CHANGES NEWS TODO INSTALL NOTICE||||
toml|||toml||||
tsx|read|TypeScript|||||web
typescript|graph|TypeScript|ts tsx mts cts||deno bun ts-node tsx||web
vim||Vim script|vim||||
xml|||xml xsd xsl xslt plist csproj fsproj props targets||||
yaml|||yml yaml||||
zig|read|Zig|zig zon||||
"""
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
# Those with a file of their own, those whose imports and calls are resolved, and no code.
READ, RESOLVED, PROSE = _having("read", "graph"), _having("graph"), _having("prose")

"""Ruby: constants are known everywhere, files are required from folders of libraries."""

from __future__ import annotations

from gitmem.languages.record import Language
from gitmem.languages.tree_paths import ImportTarget, TreePaths, folder_of, join_path, nearest_path


def resolve_ruby_require(
    tree: TreePaths, importer: str, module: str, name: str
) -> list[ImportTarget]:
    """Find the file that a ``require`` of ``module`` in the file ``importer`` refers to.

    Returns a list of at most one target, with ``name`` to look up in it. The path may be relative
    to that file, or to a folder of libraries such as ``lib``.
    """
    file = module if module.endswith(".rb") else module + ".rb"
    relative = join_path(folder_of(importer), file)
    if relative in tree.paths:
        return [ImportTarget(relative, name, 0.97, "required relative to the file")]
    for folder in ("lib", "", "app", "test", "spec"):
        if (path := join_path(folder, file)) in tree.paths:
            return [ImportTarget(path, name, 0.97, f"required below {folder or '.'}")]
    paths = tree.paths_ending_in("lib/" + file)
    return (
        [ImportTarget(nearest_path(paths, importer), name, 0.93, "required below a lib")]
        if paths
        else []
    )


LANGUAGE = Language(
    name="ruby",
    written="Ruby",
    files="rb rake gemspec Rakefile Gemfile Vagrantfile Podfile",
    programs="ruby jruby",
    wheel="tree_sitter_ruby",
    sigils=":",
    comment=r"\#",
    comments=("#",),
    exports="open",
    calls={"call": ("receiver", "method")},
    resolve=resolve_ruby_require,
    functions=frozenset({"lambda", "method", "singleton_method"}),
    bindings=(
        rb"(?<![A-Za-z_$])(?P<name>@{0,2}NAME)[ \t]*\|?\|?=[ \t]*"
        rb"(?P<value>[A-Z][\w:]*)\.new\b(?P<call>)",
    ),
    shared="constants",
    scattered=True,
    bare_members=True,
)

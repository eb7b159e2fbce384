"""Reading the definitions, calls and imports of a source file from its syntax tree.

The one place that knows tree-sitter. ``extract.parse_source_file`` returns plain values, or None
where a language has no grammar here or a file takes too long to parse: then the caller splits the
file by lines.
"""

"""What a source file defines, calls and imports, read from its syntax tree.

The one place that knows tree-sitter. ``extract.parse`` answers with plain values; where a language
has no grammar here, or a file is too strange to parse in time, it answers None and the caller goes
on by lines.
"""

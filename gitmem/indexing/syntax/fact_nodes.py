"""Which nodes of a grammar are calls, handlers, imports and the like: tables for ``code_facts``.

What a grammar lacks is absent: a rule about it finds nothing there, and says so when it is made.
"""

from __future__ import annotations

# Grammar -> node of a call -> the fields whose texts, joined by dots, name what is called.
CALLS: dict[str, dict[str, tuple[str, ...]]] = {
    "python": {"call": ("function",)},
    "javascript": {"call_expression": ("function",), "new_expression": ("constructor",)},
    "go": {"call_expression": ("function",)},
    "rust": {"call_expression": ("function",), "macro_invocation": ("macro",)},
    "java": {
        "method_invocation": ("object", "name"),
        "object_creation_expression": ("type",),
        "method_reference": (),
    },
    "c": {"call_expression": ("function",)},
    "cpp": {"call_expression": ("function",), "new_expression": ("type",)},
    "csharp": {"invocation_expression": ("function",), "object_creation_expression": ("type",)},
    "ruby": {"call": ("receiver", "method")},
    "php": {
        "function_call_expression": ("function",),
        "member_call_expression": ("object", "name"),
        "scoped_call_expression": ("scope", "name"),
    },
    "scala": {"call_expression": ("function",)},
    "lua": {"function_call": ("name",)},
    "bash": {"command": ("name",)},
}
CALLS["typescript"] = CALLS["tsx"] = CALLS["javascript"]
# Calls that make an object: `new Date()`.
CREATIONS = frozenset({"new_expression", "object_creation_expression"})

# Grammar -> nodes that use a member: `os.environ`.
MEMBERS: dict[str, frozenset[str]] = {
    "python": frozenset({"attribute"}),
    "javascript": frozenset({"member_expression"}),
    "go": frozenset({"selector_expression"}),
    "rust": frozenset({"scoped_identifier", "field_expression"}),
    "java": frozenset({"field_access", "scoped_identifier"}),
    "c": frozenset({"field_expression"}),
    "cpp": frozenset({"field_expression", "qualified_identifier"}),
    "csharp": frozenset({"member_access_expression"}),
    "php": frozenset({"member_access_expression", "class_constant_access_expression"}),
    "scala": frozenset({"field_expression"}),
}
MEMBERS["typescript"] = MEMBERS["tsx"] = MEMBERS["javascript"]

# Names of types, in whatever grammar.
TYPES = frozenset(
    {"type_identifier", "predefined_type", "primitive_type", "integral_type", "qualified_type"}
)
COMMENTS = frozenset({"comment", "line_comment", "block_comment"})
STRINGS = frozenset(
    {
        "char_literal",
        "encapsed_string",
        "heredoc_body",
        "interpreted_string_literal",
        "raw_string_literal",
        "string",
        "string_literal",
        "template_string",
    }
)
NUMBERS = frozenset(
    {
        "decimal_integer_literal",
        "decimal_floating_point_literal",
        "float",
        "float_literal",
        "hex_integer_literal",
        "int_literal",
        "integer",
        "integer_literal",
        "number",
        "number_literal",
    }
)
AWAITS = frozenset({"await", "await_expression"})

# Node -> what its inside is called in a rule. Of a `try` only the body counts: see ``code_facts``.
CONTEXTS: dict[str, str] = {
    **dict.fromkeys(
        (
            "arrow_function",
            "constructor_declaration",
            "func_literal",
            "function",
            "function_declaration",
            "function_definition",
            "function_expression",
            "function_item",
            "generator_function_declaration",
            "lambda_expression",
            "closure_expression",
            "method",
            "method_declaration",
            "method_definition",
        ),
        "function",
    ),
    **dict.fromkeys(
        (
            "class_declaration",
            "class_definition",
            "class_specifier",
            "enum_declaration",
            "impl_item",
            "interface_declaration",
            "record_declaration",
            "trait_item",
        ),
        "class",
    ),
    **dict.fromkeys(
        (
            "do_statement",
            "enhanced_for_statement",
            "for_expression",
            "for_in_statement",
            "for_statement",
            "loop_expression",
            "while_expression",
            "while_statement",
        ),
        "loop",
    ),
    **dict.fromkeys(("catch_clause", "except_clause", "rescue", "except_group_clause"), "handler"),
    **dict.fromkeys(("try_statement", "try_with_resources_statement"), "try"),
    "unsafe_block": "unsafe",
}
CONTEXT_NAMES = frozenset({*CONTEXTS.values(), "async"})
# Grammar -> nodes of an import.
IMPORTS: dict[str, frozenset[str]] = {
    "python": frozenset({"import_statement", "import_from_statement"}),
    "javascript": frozenset({"import_statement", "export_statement"}),
    "go": frozenset({"import_spec"}),
    "rust": frozenset({"use_declaration"}),
    "java": frozenset({"import_declaration"}),
}
IMPORTS["typescript"] = IMPORTS["tsx"] = IMPORTS["javascript"]

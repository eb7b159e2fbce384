"""Tables of the node types in each grammar that are types, literals or handlers.

Calls, members and imports differ and stand in the record of each language. What a grammar lacks is
absent: a rule about it finds nothing there, and says so when it is made.
"""

from __future__ import annotations

# Calls that make an object: `new Date()`.
CREATIONS = frozenset({"new_expression", "object_creation_expression"})

# Names of types, in whatever grammar.
TYPES = frozenset(
    {"type_identifier", "predefined_type", "primitive_type", "integral_type", "qualified_type"}
)
COMMENTS = frozenset({"comment", "line_comment", "block_comment"})
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

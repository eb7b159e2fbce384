; Besides ecma.scm: types, and members with types.
(interface_declaration name: (_) @name) @definition.interface
(type_alias_declaration name: (_) @name) @definition.type
(enum_declaration name: (_) @name) @definition.enum
(enum_body name: [(property_identifier) (string)] @name @definition.constant)
(enum_body (enum_assignment name: [(property_identifier) (string)] @name) @definition.constant)
(abstract_class_declaration name: (_) @name) @definition.class
(internal_module name: (_) @name) @definition.namespace
(module name: (_) @name) @definition.module
(function_signature name: (identifier) @name) @definition.function

; Members
(method_signature
  name: [(property_identifier) (private_property_identifier) (string)] @name) @definition.method
(abstract_method_signature
  name: [(property_identifier) (string)] @name) @definition.method
(public_field_definition
  name: [(property_identifier) (private_property_identifier)] @name
  value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]
) @definition.method
(public_field_definition
  name: [(property_identifier) (private_property_identifier) (string)] @name) @definition.field
(interface_body
  (property_signature name: [(property_identifier) (string)] @name) @definition.property)
(method_definition
  name: (property_identifier) @_constructor
  parameters: (formal_parameters
    (required_parameter (accessibility_modifier) pattern: (identifier) @name) @definition.field)
  (#eq? @_constructor "constructor"))

; Values of a namespace or of an ambient declaration
(statement_block
  (export_statement declaration:
    (lexical_declaration (variable_declarator name: (identifier) @name) @definition.constant)))
(ambient_declaration
  (variable_declaration (variable_declarator name: (identifier) @name) @definition.variable))
(ambient_declaration
  (lexical_declaration (variable_declarator name: (identifier) @name) @definition.constant))

(abstract_method_signature (accessibility_modifier) @_access (#not-eq? @_access "public")) @private
(method_definition (accessibility_modifier) @_access (#not-eq? @_access "public")) @private
(public_field_definition (accessibility_modifier) @_access (#not-eq? @_access "public")) @private
(required_parameter (accessibility_modifier) @_access (#not-eq? @_access "public")) @private
(public_field_definition name: (private_property_identifier)) @private
(method_definition name: (private_property_identifier)) @private

; References
(type_identifier) @reference.type
(extends_clause value: (identifier) @reference.inherit)
(extends_clause value: (member_expression property: (property_identifier) @reference.inherit))
(implements_clause (type_identifier) @reference.inherit)
(implements_clause (generic_type name: (type_identifier) @reference.inherit))
(implements_clause (nested_type_identifier name: (type_identifier) @reference.inherit))
(extends_type_clause type: (type_identifier) @reference.inherit)
(extends_type_clause type: (generic_type name: (type_identifier) @reference.inherit))
(import_require_clause source: (string (string_fragment) @module)) @import

; Types
(type_spec
  name: (type_identifier) @name
  type: (struct_type (field_declaration_list) @body)) @definition.struct
(type_spec name: (type_identifier) @name type: (interface_type)) @definition.interface
(type_spec name: (type_identifier) @name) @definition.type
(type_alias name: (type_identifier) @name) @definition.type
(field_declaration name: (field_identifier) @name) @global.field
(method_elem name: (field_identifier) @name) @definition.method

; Functions; the receiver's type contains a method
(function_declaration name: (identifier) @name) @definition.function
(method_declaration
  receiver: (parameter_list (parameter_declaration type: [
    (type_identifier) @container
    (pointer_type (type_identifier) @container)
    (generic_type type: (type_identifier) @container)
    (pointer_type (generic_type type: (type_identifier) @container))
    (parenthesized_type (pointer_type (type_identifier) @container))]))
  name: (field_identifier) @name) @definition.method

; Values of the package
(source_file
  (var_declaration (var_spec name: (identifier) @name (#not-eq? @name "_")) @definition.variable))
(source_file
  (var_declaration
    (var_spec_list (var_spec name: (identifier) @name (#not-eq? @name "_")) @definition.variable)))
(source_file
  (const_declaration (const_spec (identifier) @name (#not-eq? @name "_")) @definition.constant))

(comment) @comment

; References
(call_expression function: (identifier) @reference.call
  (#not-match? @reference.call
    "^(append|cap|clear|close|copy|delete|len|make|max|min|new|panic|print|println|recover|string|u?int(8|16|32|64)?|byte|float(32|64)|rune)$"))
(call_expression function: (selector_expression field: (field_identifier) @reference.call))
(call_expression function: (type_instantiation_expression type: (type_identifier) @reference.call))
(field_declaration !name type: (type_identifier) @reference.inherit)
(field_declaration !name type: (pointer_type (type_identifier) @reference.inherit))
(field_declaration !name type: (qualified_type name: (type_identifier) @reference.inherit))
(interface_type (type_elem (type_identifier) @reference.inherit))
(interface_type (type_elem (qualified_type name: (type_identifier) @reference.inherit)))
(type_identifier) @reference.type

(import_spec path: (_) @module) @import

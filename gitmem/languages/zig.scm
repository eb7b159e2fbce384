; Types are constants whose value is a container.
(variable_declaration "const" . (identifier) @name (struct_declaration) @body .) @definition.struct
(variable_declaration "const" . (identifier) @name (opaque_declaration) @body .) @definition.struct
(variable_declaration "const" . (identifier) @name (enum_declaration) @body .) @definition.enum
(variable_declaration "const" . (identifier) @name (error_set_declaration) @body .) @definition.enum
(variable_declaration
  "const"
  . (identifier) @name
  (binary_expression (error_set_declaration)) @body .) @definition.enum
(variable_declaration "const" . (identifier) @name (union_declaration) @body .) @definition.union

; Functions, and methods of containers.
(source_file (function_declaration name: (identifier) @name) @definition.function)
([(struct_declaration
    (function_declaration name: (identifier) @name) @definition.method)
  (enum_declaration
    (function_declaration name: (identifier) @name) @definition.method)
  (union_declaration
    (function_declaration name: (identifier) @name) @definition.method)
  (opaque_declaration
    (function_declaration name: (identifier) @name) @definition.method)])
(test_declaration [(string) (identifier)] @name (block) @body) @definition.test

; Other constants and variables, outside functions.
([(source_file (variable_declaration "const" . (identifier) @name (_) @_value .) @definition.constant)
  (struct_declaration
    (variable_declaration "const" . (identifier) @name (_) @_value .) @definition.constant)
  (enum_declaration
    (variable_declaration "const" . (identifier) @name (_) @_value .) @definition.constant)
  (union_declaration
    (variable_declaration "const" . (identifier) @name (_) @_value .) @definition.constant)]
  (#not-match? @_value "^(@import\\s*\\([^)]*\\)$|@This)"))
(source_file (variable_declaration "var" . (identifier) @name) @definition.variable)
(struct_declaration (variable_declaration "var" . (identifier) @name) @definition.variable)

; Fields and members.
(struct_declaration (container_field name: (identifier) @name) @definition.field)
(source_file (container_field name: (identifier) @name) @definition.field)
(union_declaration (container_field name: (identifier) @name) @definition.field)
(enum_declaration (container_field name: (identifier) @name) @definition.member)

; Visible outside the file.
(function_declaration ["pub" "export"]) @exported
(variable_declaration ["pub" "export"]) @exported
(container_field) @exported

; Relations: names in type positions, and receivers that look like types.
(parameter type: (identifier) @reference.type)
(function_declaration type: (identifier) @reference.type)
(container_field type: (identifier) @reference.type)
(pointer_type (identifier) @reference.type)
(nullable_type (identifier) @reference.type)
(slice_type (identifier) @reference.type)
(error_union_type ok: (identifier) @reference.type)
(struct_initializer . (identifier) @reference.type)
(field_expression object: (identifier) @reference.type (#match? @reference.type "^[A-Z]"))
(field_expression
  object: (field_expression)
  member: (identifier) @reference.type
  (#match? @reference.type "^[A-Z]"))

; Calls.
(call_expression function: (identifier) @reference.call)
(call_expression function: (field_expression member: (identifier) @reference.call))

; What a file takes in.
(builtin_function
  (builtin_identifier) @_import
  (arguments . (string (string_content) @module))
  (#any-of? @_import "@import" "@cImport" "@embedFile")) @import

; Documentation
(comment) @comment

; What C and C++ share. A prototype counts as its function: headers have nothing else.

; Types
(struct_specifier name: (type_identifier) @name body: (_)) @definition.struct
(union_specifier name: (type_identifier) @name body: (_)) @definition.union
(enum_specifier name: (type_identifier) @name body: (_)) @definition.enum
(enumerator name: (identifier) @name) @definition.constant
; A type without a name has that of its typedef; one with a name keeps it besides
(type_definition
  type: (struct_specifier !name body: (_) @body)
  declarator: (type_identifier) @name) @definition.struct
(type_definition
  type: (union_specifier !name body: (_) @body)
  declarator: (type_identifier) @name) @definition.union
(type_definition
  type: (enum_specifier !name body: (_) @body)
  declarator: (type_identifier) @name) @definition.enum
(type_definition
  type: [(struct_specifier body: (_)) (union_specifier body: (_)) (enum_specifier body: (_))]
  declarator: [(type_identifier) @name (pointer_declarator (type_identifier) @name)]
    @definition.type)
(type_definition declarator: [
  (type_identifier) @name
  (pointer_declarator (type_identifier) @name)
  (pointer_declarator (pointer_declarator (type_identifier) @name))
  (array_declarator declarator: (type_identifier) @name)
  (function_declarator declarator: (type_identifier) @name)
  (function_declarator declarator: (parenthesized_declarator (type_identifier) @name))
  (pointer_declarator (function_declarator declarator: (type_identifier) @name))
  (function_declarator declarator:
    (parenthesized_declarator (pointer_declarator (type_identifier) @name)))
  (pointer_declarator (function_declarator declarator:
    (parenthesized_declarator (pointer_declarator (type_identifier) @name))))]) @definition.type

; Functions
(function_definition declarator: [
  (function_declarator declarator: (identifier) @name)
  (function_declarator declarator: (parenthesized_declarator (identifier) @name))
  (pointer_declarator (function_declarator declarator: (identifier) @name))
  (pointer_declarator (pointer_declarator (function_declarator declarator: (identifier) @name)))
  (function_declarator declarator: (parenthesized_declarator
    (pointer_declarator (function_declarator declarator: (identifier) @name))))
]) @definition.function
(declaration declarator: [
  (function_declarator declarator: (identifier) @name)
  (pointer_declarator (function_declarator declarator: (identifier) @name))
  (pointer_declarator (pointer_declarator (function_declarator declarator: (identifier) @name)))
]) @global.function

; Macros
(preproc_def name: (identifier) @name) @definition.macro
(preproc_function_def name: (identifier) @name) @definition.macro

; Values
(declaration declarator: [
  (identifier) @name
  (pointer_declarator (identifier) @name)
  (pointer_declarator (pointer_declarator (identifier) @name))
  (array_declarator declarator: (identifier) @name)
  (array_declarator declarator: (array_declarator declarator: (identifier) @name))
  (pointer_declarator (array_declarator declarator: (identifier) @name))
  (function_declarator declarator: (parenthesized_declarator (pointer_declarator (identifier) @name)))
  (init_declarator declarator: [
    (identifier) @name
    (pointer_declarator (identifier) @name)
    (pointer_declarator (pointer_declarator (identifier) @name))
    (array_declarator declarator: (identifier) @name)
    (array_declarator declarator: (array_declarator declarator: (identifier) @name))
    (pointer_declarator (array_declarator declarator: (identifier) @name))
    (function_declarator declarator:
      (parenthesized_declarator (pointer_declarator (identifier) @name)))])]) @global.variable
(field_declaration declarator: [
  (field_identifier) @name
  (pointer_declarator (field_identifier) @name)
  (pointer_declarator (pointer_declarator (field_identifier) @name))
  (array_declarator declarator: (field_identifier) @name)
  (array_declarator declarator: (array_declarator declarator: (field_identifier) @name))
  (pointer_declarator (array_declarator declarator: (field_identifier) @name))
  (function_declarator declarator:
    (parenthesized_declarator (pointer_declarator (field_identifier) @name)))
  (pointer_declarator (function_declarator declarator:
    (parenthesized_declarator (pointer_declarator (field_identifier) @name))))
]) @definition.field

(comment) @comment

; References
(call_expression function: (identifier) @reference.call)
(call_expression function: (field_expression field: (field_identifier) @reference.call))
(type_identifier) @reference.type

(preproc_include path: (_) @module) @import

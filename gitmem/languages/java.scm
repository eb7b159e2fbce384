; Types
(class_declaration name: (identifier) @name) @definition.class
(interface_declaration name: (identifier) @name) @definition.interface
(enum_declaration name: (identifier) @name) @definition.enum
(record_declaration name: (identifier) @name) @definition.record
(annotation_type_declaration name: (identifier) @name) @definition.annotation

; Members
(method_declaration name: (identifier) @name) @definition.method
(annotation_type_element_declaration name: (identifier) @name) @definition.method
(constructor_declaration name: (identifier) @name) @definition.constructor
(compact_constructor_declaration name: (identifier) @name) @definition.constructor
(field_declaration
  (modifiers "static" "final")
  declarator: (variable_declarator name: (identifier) @name)) @definition.constant
(field_declaration declarator: (variable_declarator name: (identifier) @name)) @definition.field
(constant_declaration declarator: (variable_declarator name: (identifier) @name)) @definition.constant
(enum_constant name: (identifier) @name) @definition.constant

; Exports
[(class_declaration (modifiers ["public" "protected"]))
 (interface_declaration (modifiers ["public" "protected"]))
 (enum_declaration (modifiers ["public" "protected"]))
 (record_declaration (modifiers ["public" "protected"]))
 (annotation_type_declaration (modifiers ["public" "protected"]))
 (method_declaration (modifiers ["public" "protected"]))
 (constructor_declaration (modifiers ["public" "protected"]))
 (compact_constructor_declaration (modifiers ["public" "protected"]))
 (field_declaration (modifiers ["public" "protected"]))
 (enum_constant)
 (constant_declaration)
 (annotation_type_element_declaration)] @exported
(interface_body (_) @exported)

[(line_comment) (block_comment)] @comment
(modifiers [(annotation) (marker_annotation)] @attached)

; References
(method_invocation name: (identifier) @reference.call)
(method_reference (_) . (identifier) @reference.call)
(object_creation_expression type: (type_identifier) @reference.call)
(object_creation_expression type: (generic_type (type_identifier) @reference.call))
(object_creation_expression type: (scoped_type_identifier (type_identifier) @reference.call .))
(annotation name: (identifier) @reference.decorator)
(marker_annotation name: (identifier) @reference.decorator)
(superclass (type_identifier) @reference.inherit)
(superclass (generic_type (type_identifier) @reference.inherit))
(superclass (scoped_type_identifier (type_identifier) @reference.inherit .))
(type_list (type_identifier) @reference.inherit)
(type_list (generic_type (type_identifier) @reference.inherit))
(type_list (scoped_type_identifier (type_identifier) @reference.inherit .))
(type_identifier) @reference.type

; Imports
(import_declaration (scoped_identifier scope: (_) @module name: (identifier) @imported) .) @import
(import_declaration (_) @module (asterisk)) @import

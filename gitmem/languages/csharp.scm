; Namespaces and types
(namespace_declaration name: (_) @name) @definition.namespace
(file_scoped_namespace_declaration name: (_) @name) @definition.namespace @rest
(class_declaration name: (identifier) @name) @definition.class
(struct_declaration name: (identifier) @name) @definition.struct
(interface_declaration name: (identifier) @name) @definition.interface
(enum_declaration name: (identifier) @name) @definition.enum
(record_declaration name: (identifier) @name) @definition.record
(delegate_declaration name: (identifier) @name) @definition.type

; Members
(method_declaration name: (identifier) @name) @definition.method
(constructor_declaration name: (identifier) @name) @definition.constructor
(property_declaration name: (identifier) @name accessors: (_)? @body) @definition.property
(event_declaration name: (identifier) @name) @definition.property
(event_field_declaration
  (variable_declaration (variable_declarator name: (identifier) @name))) @definition.property
((field_declaration
  (modifier) @_const
  (variable_declaration (variable_declarator name: (identifier) @name))) @definition.constant
  (#eq? @_const "const"))
(field_declaration
  (variable_declaration (variable_declarator name: (identifier) @name))) @definition.field
(enum_member_declaration name: (identifier) @name) @definition.constant
(local_function_statement name: (identifier) @name) @definition.function

; Exports
([(class_declaration (modifier) @_open)
  (struct_declaration (modifier) @_open)
  (interface_declaration (modifier) @_open)
  (enum_declaration (modifier) @_open)
  (record_declaration (modifier) @_open)
  (delegate_declaration (modifier) @_open)
  (method_declaration (modifier) @_open)
  (constructor_declaration (modifier) @_open)
  (property_declaration (modifier) @_open)
  (event_declaration (modifier) @_open)
  (event_field_declaration (modifier) @_open)
  (field_declaration (modifier) @_open)] @exported
  (#any-of? @_open "public" "protected"))
[(enum_member_declaration) (namespace_declaration) (file_scoped_namespace_declaration)] @exported
(interface_declaration body: (declaration_list (_) @exported))

(comment) @comment
(attribute_list) @attached

; References
(invocation_expression function: (identifier) @reference.call
  (#not-eq? @reference.call "nameof"))
(invocation_expression function: (generic_name (identifier) @reference.call))
(invocation_expression function: (member_access_expression name: (identifier) @reference.call))
(invocation_expression function:
  (member_access_expression name: (generic_name (identifier) @reference.call)))
(invocation_expression function:
  (conditional_access_expression (member_binding_expression name: (identifier) @reference.call)))
(object_creation_expression type: (identifier) @reference.call)
(object_creation_expression type: (generic_name (identifier) @reference.call))
(object_creation_expression type: (qualified_name name: (identifier) @reference.call))
(attribute name: (identifier) @reference.decorator)
(attribute name: (qualified_name name: (identifier) @reference.decorator))
(base_list (identifier) @reference.inherit)
(base_list (generic_name (identifier) @reference.inherit))
(base_list (qualified_name name: (identifier) @reference.inherit))
(_ type: (identifier) @reference.type)
(_ type: (generic_name (identifier) @reference.type))
(_ type: (nullable_type (identifier) @reference.type))
(_ type: (array_type (identifier) @reference.type))
(method_declaration returns: (identifier) @reference.type)
(method_declaration returns: (generic_name (identifier) @reference.type))
(method_declaration returns: (nullable_type (identifier) @reference.type))
(type_argument_list (identifier) @reference.type)

; Imports
(using_directive !name [(identifier) (qualified_name)] @module) @import
(using_directive name: (_) [(identifier) (qualified_name)] @module .) @import

; Types. The keyword tells a class from an interface, a modifier an enum from a class.
(class_declaration
  (modifiers (class_modifier "enum"))
  name: (identifier) @name
  (enum_class_body)? @body) @definition.enum
(class_declaration "class" name: (identifier) @name (class_body)? @body) @definition.class
; A class under several annotations is read as an expression: `class` applied to its name.
(infix_expression . (identifier) @_class . (identifier) @name (#eq? @_class "class")
  ) @definition.class
(class_declaration "interface" name: (identifier) @name (class_body)? @body) @definition.interface
(object_declaration name: (identifier) @name (class_body)? @body) @definition.object
(companion_object name: (identifier) @name (class_body)? @body) @definition.object
(type_alias type: (identifier) @name) @definition.type
(enum_entry (identifier) @name) @definition.member

; Functions; the type that an extension extends is its container.
(class_body
  (function_declaration
    [(user_type) @container (_ (user_type) @container)]?
    . name: (identifier) @name
    (function_body)? @body) @definition.method)
(function_declaration
  [(user_type) @container (_ (user_type) @container)]?
  . name: (identifier) @name
  (function_body)? @body) @definition.function
(secondary_constructor "constructor" @name (block)? @body) @definition.constructor

; Values outside functions. Constructor parameters with val or var are properties.
(source_file
  (property_declaration
    (modifiers (property_modifier "const"))
    (variable_declaration . (identifier) @name)) @definition.constant)
(class_body
  (property_declaration
    (modifiers (property_modifier "const"))
    (variable_declaration . (identifier) @name)) @definition.constant)
(source_file
  (property_declaration
    ["val" "var"]
    [(user_type) @container (nullable_type (user_type) @container)]?
    . (variable_declaration . (identifier) @name)
    (getter)? @body) @definition.variable)
(class_body
  (property_declaration
    ["val" "var"]
    [(user_type) @container (nullable_type (user_type) @container)]?
    . (variable_declaration . (identifier) @name)
    (getter)? @body) @definition.property)
(enum_class_body
  (property_declaration
    ["val" "var"]
    [(user_type) @container (nullable_type (user_type) @container)]?
    . (variable_declaration . (identifier) @name)
    (getter)? @body) @definition.property)
(class_body
  (property_declaration
    (multi_variable_declaration (variable_declaration . (identifier) @name)))
  @definition.property)
(class_parameter ["val" "var"] . (identifier) @name) @definition.property

; Not for others.
([(class_declaration (modifiers) @_modifiers)
  (object_declaration (modifiers) @_modifiers)
  (companion_object (modifiers) @_modifiers)
  (type_alias (modifiers) @_modifiers)
  (function_declaration (modifiers) @_modifiers)
  (property_declaration (modifiers) @_modifiers)
  (class_parameter (modifiers) @_modifiers)
  (secondary_constructor (modifiers) @_modifiers)] @private
  (#match? @_modifiers "\\b(private|protected|internal)\\b"))

; Relations.
(delegation_specifier (user_type (identifier) @reference.inherit))
(delegation_specifier (constructor_invocation (user_type (identifier) @reference.inherit)))
(delegation_specifier (explicit_delegation (user_type (identifier) @reference.inherit)))
(user_type (identifier) @reference.type)
(annotation (user_type (identifier) @reference.decorator))
(annotation (constructor_invocation (user_type (identifier) @reference.decorator)))

; Calls. A receiver that looks like a type is one.
(call_expression . (identifier) @reference.call)
(call_expression . (navigation_expression (identifier) @reference.call .))
(navigation_expression . (identifier) @reference.type (#match? @reference.type "^[A-Z]"))
(infix_expression (_) . (identifier) @reference.call . (_))
(callable_reference (identifier) @reference.call .)

; What a file takes in.
(package_header (qualified_identifier) @name) @definition.namespace
(import (qualified_identifier) @module) @import

; Documentation
[(line_comment) (block_comment)] @comment
(modifiers (annotation) @attached)

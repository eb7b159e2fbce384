; Types.
(class_declaration "class" name: (type_identifier) @name) @definition.class
(class_declaration "actor" name: (type_identifier) @name) @definition.class
(class_declaration "struct" name: (type_identifier) @name) @definition.struct
(class_declaration "enum" name: (type_identifier) @name) @definition.enum
(protocol_declaration name: (type_identifier) @name) @definition.protocol
(typealias_declaration name: (type_identifier) @name) @definition.type
(associatedtype_declaration name: (type_identifier) @name) @definition.type

; Members of an extension belong to its type.
(class_declaration "extension" name: (user_type) @name) @scope

; Functions (directly in a type they are methods). What they return is a field `name` too: theirs
; is right after the word `func`. A list of what it may be, words and operators, costs 0.1 s more.
(function_declaration "func" . name: _ @name) @definition.function
(protocol_function_declaration name: (simple_identifier) @name) @definition.method
(init_declaration "init" @name) @definition.constructor
(subscript_declaration "subscript" @name (computed_property) @body) @definition.method
(macro_declaration (simple_identifier) @name) @definition.macro

; Values: outside types and as members; not the local ones.
(source_file
  (property_declaration
    name: (pattern bound_identifier: (simple_identifier) @name)
    computed_value: (_)? @body) @definition.variable)
([(class_body
    (property_declaration
      name: (pattern bound_identifier: (simple_identifier) @name)
      computed_value: (_)? @body) @definition.property)
  (enum_class_body
    (property_declaration
      name: (pattern bound_identifier: (simple_identifier) @name)
      computed_value: (_)? @body) @definition.property)])
(protocol_property_declaration
  name: (pattern bound_identifier: (simple_identifier) @name)) @definition.property
(enum_entry name: (simple_identifier) @name) @definition.member

; Visible outside the module.
(_ (modifiers (visibility_modifier ["public" "open"]))) @exported
(class_declaration
  (modifiers (visibility_modifier "public"))
  "extension"
  body: (class_body [(function_declaration) (property_declaration) (init_declaration)] @exported))
(protocol_declaration
  (modifiers (visibility_modifier "public"))
  body: (protocol_body (_) @exported))
(class_declaration
  (modifiers (visibility_modifier "public"))
  body: (enum_class_body (enum_entry) @exported))

; Relations.
(inheritance_specifier inherits_from: (user_type (type_identifier) @reference.inherit))
(user_type (type_identifier) @reference.type)
(attribute (user_type (type_identifier) @reference.decorator))

; Calls.
(call_expression . (simple_identifier) @reference.call)
(call_expression
  . (navigation_expression suffix: (navigation_suffix suffix: (simple_identifier) @reference.call)))
(macro_invocation (simple_identifier) @reference.call)

; What a file takes in.
(import_declaration (identifier) @module) @import

; Documentation
[(comment) (multiline_comment)] @comment
(modifiers (attribute) @attached)

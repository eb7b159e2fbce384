; The module, types and classes; a name may be an operator between two variables.
(header module: (module) @name "where" @body) @definition.module
(data_type name: [(name) @name (prefix_id (_) @name)] constructors: (_)? @body) @definition.struct
(data_type (infix operator: (_) @name) constructors: (_)? @body) @definition.struct
(newtype name: [(name) @name (prefix_id (_) @name)] constructor: (_)? @body) @definition.struct
(declarations (data_family name: [(name) @name (prefix_id (_) @name)]) @definition.type)
(type_synonym name: [(name) @name (prefix_id (_) @name)]) @definition.type
(type_synonym (infix operator: (_) @name)) @definition.type
(declarations (type_family name: [(name) @name (prefix_id (_) @name)]) @definition.type)
(class_declarations [(data_family name: [(name) @name (prefix_id (_) @name)]) (type_family name: [(name) @name (prefix_id (_) @name)])] @definition.type)
(class name: [(name) @name (prefix_id (_) @name)] "where"? @body) @definition.class
(class (infix operator: (_) @name) "where"? @body) @definition.class

; Constructors and record fields.
(data_constructor constructor: (prefix name: [(constructor) @name (prefix_id (_) @name)])) @definition.member
(data_constructor constructor: (record name: (_) @name)) @definition.member
(data_constructor constructor: (infix operator: (_) @name)) @definition.member
(newtype_constructor name: (_) @name) @definition.member
(gadt_constructor name: [(constructor) @name (prefix_id (_) @name)]) @definition.member
(gadt_constructor names: (binding_list name: (_) @name)) @definition.member
(field name: (field_name) @name) @definition.field
(pattern_synonym (equation synonym: [(constructor) @name (apply function: (constructor) @name)])
  ) @definition.function

; Functions: a type signature and every equation, which are joined by their name.
(declarations (signature name: [(variable) @name (prefix_id (_) @name)]) @definition.function)
(declarations (signature names: (binding_list name: [(variable) @name (prefix_id (_) @name)])) @definition.function)
(declarations (function name: [(variable) @name (prefix_id (_) @name)] match: (_) @body) @definition.function)
(declarations (function (infix operator: (_) @name) match: (_) @body) @definition.function)
(declarations
  (function
    parens: (function_head_parens (infix operator: (_) @name))
    match: (_) @body) @definition.function)
(declarations (bind name: [(variable) @name (prefix_id (_) @name)] match: (_) @body) @definition.function)
(foreign_import signature: (signature name: [(variable) @name (prefix_id (_) @name)])) @definition.function
(class_declarations (signature name: [(variable) @name (prefix_id (_) @name)]) @definition.method)
(class_declarations (signature names: (binding_list name: [(variable) @name (prefix_id (_) @name)])) @definition.method)

; What an instance defines belongs to the type which it is an instance for.
(instance patterns: (type_patterns) @name) @scope
(instance_declarations
  (function name: [(variable) @name (prefix_id (_) @name)] match: (_) @body) @definition.method)
(instance_declarations
  (function (infix operator: (_) @name) match: (_) @body) @definition.method)
(instance_declarations
  (bind name: [(variable) @name (prefix_id (_) @name)] match: (_) @body) @definition.method)

; Names in the list of exports.
(header) @exported
(export variable: (variable) @exported.name)
(export type: (name) @exported.name)
(export operator: (prefix_id (_) @exported.name))
(export children: (children element: (_) @exported.name))

; Relations.
(instance name: (name) @reference.inherit)
(instance name: (qualified id: (name) @reference.inherit))
(deriving classes: (name) @reference.inherit)
(deriving classes: (tuple (name) @reference.inherit))
(deriving_instance name: (name) @reference.inherit)
(class context: (context context: (apply constructor: (name) @reference.inherit)))
(class context: (context context: (parens (apply constructor: (name) @reference.inherit))))
(function parameter: (name) @reference.type)
(function result: (name) @reference.type)
(signature type: (name) @reference.type)
(apply constructor: (name) @reference.type)
(apply argument: (name) @reference.type)
(field type: (name) @reference.type)
(list element: (name) @reference.type)
(th_quoted_name type: (name) @reference.type)

; Calls: what stands before its argument, and the operands of applying and composing operators.
(apply function: (variable) @reference.call)
(apply function: (qualified id: (variable) @reference.call))
(infix left_operand: (variable) @reference.call operator: (operator) @_operator
  (#any-of? @_operator "$" "." "<$>" "=<<" "<=<" ">=>" "$!" "<*>" "&&&" "***" ">>"))
(infix operator: (operator) @_operator right_operand: (variable) @reference.call
  (#any-of? @_operator "." ">>=" ">=>" "<=<" "&" ">>"))
(infix operator: (infix_id (variable) @reference.call))
(exp . (variable) @reference.call .)

; What a module takes in.
(import module: (module) @module) @import
(import module: (module) @module names: (import_list name: (import_name . (_) @imported))) @import

; Documentation
[(comment) (haddock)] @comment

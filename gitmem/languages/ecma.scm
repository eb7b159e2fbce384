; What JavaScript and TypeScript share.

; Functions and classes
(function_declaration name: (identifier) @name) @definition.function
(generator_function_declaration name: (identifier) @name) @definition.function
(class_declaration name: (_) @name) @definition.class
((method_definition name: (property_identifier) @name) @definition.constructor
  (#eq? @name "constructor"))
(method_definition
  name: [(property_identifier) (private_property_identifier) (string) (number)] @name
) @definition.method

; Functions and classes as values
(variable_declarator
  name: (identifier) @name
  value: [(arrow_function body: (_) @body)
          (function_expression body: (_) @body)
          (generator_function body: (_) @body)]) @definition.function
(variable_declarator
  name: (identifier) @name
  value: (class body: (_) @body)) @definition.class
(assignment_expression
  left: (identifier) @name
  right: [(arrow_function body: (_) @body)
          (function_expression body: (_) @body)
          (generator_function body: (_) @body)]) @definition.function
(assignment_expression
  left: (member_expression
    object: (member_expression
      object: (identifier) @container
      property: (property_identifier) @_prototype)
    property: (property_identifier) @name)
  right: [(arrow_function body: (_) @body)
          (function_expression body: (_) @body)
          (generator_function body: (_) @body)]
  (#eq? @_prototype "prototype")) @definition.method
(assignment_expression
  left: (member_expression
    object: [(this) (identifier) (member_expression)] @_object
    property: (property_identifier) @name)
  right: [(arrow_function body: (_) @body)
          (function_expression body: (_) @body)
          (generator_function body: (_) @body)]
  (#any-of? @_object "exports" "module.exports")) @definition.function @exported
(assignment_expression
  left: (member_expression
    object: (this)
    property: (property_identifier) @name)
  right: [(arrow_function body: (_) @body)
          (function_expression body: (_) @body)
          (generator_function body: (_) @body)]) @definition.function
(assignment_expression
  left: (member_expression
    object: (identifier) @container
    property: (property_identifier) @name)
  right: [(arrow_function body: (_) @body)
          (function_expression body: (_) @body)
          (generator_function body: (_) @body)]) @definition.function
(class name: (_) @name) @definition.class
(function_expression name: (identifier) @name) @definition.function
(generator_function name: (identifier) @name) @definition.function

; Functions of an object that has a name
(variable_declarator
  value: (object
    (pair
      key: [(property_identifier) (string) (number)] @name
      value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]
    ) @definition.method))
(assignment_expression
  right: (object
    (pair
      key: [(property_identifier) (string) (number)] @name
      value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]
    ) @definition.method))
(export_statement
  value: (object
    (pair
      key: [(property_identifier) (string) (number)] @name
      value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]
    ) @definition.method))

; Values at the top of the file; what is required is an import
((variable_declarator
  name: (identifier) @name
  value: (call_expression function: (identifier) @_require)) @omit
  (#eq? @_require "require"))
(program
  (lexical_declaration kind: "const" (variable_declarator name: (identifier) @name) @definition.constant))
(program
  (lexical_declaration kind: "let" (variable_declarator name: (identifier) @name) @definition.variable))
(program
  (variable_declaration (variable_declarator name: (identifier) @name) @definition.variable))
(program
  (export_statement declaration:
    (lexical_declaration kind: "const"
      (variable_declarator name: (identifier) @name) @definition.constant)))
(program
  (export_statement declaration:
    (lexical_declaration kind: "let"
      (variable_declarator name: (identifier) @name) @definition.variable)))
(program
  (export_statement declaration:
    (variable_declaration (variable_declarator name: (identifier) @name) @definition.variable)))

; Exports
(export_statement declaration: (_) @exported)
(export_statement declaration: (lexical_declaration (variable_declarator) @exported))
(export_statement declaration: (variable_declaration (variable_declarator) @exported))
(export_statement !source (export_clause (export_specifier name: (identifier) @exported.name)))
(export_statement value: (identifier) @exported.name)
(assignment_expression
  left: (member_expression) @_exports
  right: [(identifier) @exported.name
          (object (shorthand_property_identifier) @exported.name)
          (object (pair value: (identifier) @exported.name))]
  (#any-of? @_exports "module.exports" "exports.default"))

; Documentation
(comment) @comment
(decorator) @attached

; References
(call_expression function: (identifier) @reference.call (#not-eq? @reference.call "require"))
(call_expression function: (member_expression property: [(property_identifier) (private_property_identifier)] @reference.call))
(new_expression constructor: (identifier) @reference.call)
(new_expression constructor: (member_expression property: (property_identifier) @reference.call))
(decorator (identifier) @reference.decorator)
(decorator (member_expression property: (property_identifier) @reference.decorator))
(decorator (call_expression function: (identifier) @reference.decorator))
(decorator
  (call_expression function: (member_expression property: (property_identifier) @reference.decorator)))

; Imports
(import_statement source: (string (string_fragment) @module)) @import
(import_statement
  (import_clause (identifier) @imported)
  source: (string (string_fragment) @module)) @import
(import_statement
  (import_clause (named_imports (import_specifier name: (_) @imported)))
  source: (string (string_fragment) @module)) @import
(export_statement source: (string (string_fragment) @module)) @import
(export_statement
  (export_clause (export_specifier name: (_) @imported))
  source: (string (string_fragment) @module)) @import
(call_expression
  function: (identifier) @_require
  arguments: (arguments . (string (string_fragment) @module))
  (#eq? @_require "require")) @import
(variable_declarator
  name: (object_pattern
    [(shorthand_property_identifier_pattern) @imported
     (pair_pattern key: (property_identifier) @imported)])
  value: (call_expression
    function: (identifier) @_require
    arguments: (arguments . (string (string_fragment) @module)))
  (#eq? @_require "require")) @import
(call_expression
  function: (import)
  arguments: (arguments . (string (string_fragment) @module))) @import

; What is exported from a value taken apart; without an export it is but another name here
(export_statement declaration: (lexical_declaration (variable_declarator name: [
  (object_pattern
    [(shorthand_property_identifier_pattern) @name (pair_pattern value: (identifier) @name)])
  (array_pattern (identifier) @name)]) @definition.constant))

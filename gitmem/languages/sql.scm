; Tables and what is like one; their columns are fields.
(create_table (object_reference name: (_) @name) (column_definitions)? @body) @definition.table
(create_view (object_reference name: (_) @name) (create_query)? @body) @definition.view
(create_materialized_view
  (object_reference name: (_) @name)
  (create_query)? @body) @definition.view
(create_table (column_definitions (column_definition name: (_) @name) @definition.field
  (#not-match? @name "(?i)^(constraint|primary|unique|foreign|check|key|exclude|index|fulltext)$")))
(create_type (column_definitions (column_definition name: (_) @name) @definition.field))
(alter_table
  (object_reference name: (_) @container)
  (add_column (column_definition name: (_) @name) @definition.field))

; Routines and triggers.
(create_function
  (keyword_function)
  . (object_reference name: (_) @name)
  (function_body)? @body) @definition.function
(create_procedure
  (keyword_procedure)
  . (object_reference name: (_) @name)
  (procedure_body)? @body) @definition.function
(create_trigger . (_)* (keyword_trigger) (object_reference name: (_) @name)
  . [(keyword_before) (keyword_after) (keyword_instead)]) @definition.trigger

; Types, schemas and the rest.
(create_type (object_reference name: (_) @name)) @definition.type
(create_schema (identifier) @name .) @definition.namespace
; The words between INDEX and the name that the grammar does not know are read as the name.
(create_index column: (identifier) . (ERROR) @name) @definition.index
(create_index column: (identifier) @name . (ERROR)) @omit
(create_index column: [(identifier) (literal)] @name) @definition.index
(create_sequence (object_reference name: (_) @name)) @definition.variable
(cte (identifier) @name) @definition.variable

; What is left of a statement which a dialect writes in its own way.
(ERROR (keyword_create)
  . [(keyword_or) (keyword_replace) (keyword_temp) (keyword_temporary) (keyword_unlogged) (keyword_external)]*
  . (ERROR)? @_word
  . (keyword_table)
  . [(keyword_if) (keyword_not) (keyword_exists)]*
  . (object_reference name: (_) @name)
  (#not-match? @_word "(?i)\\bfor\\b")) @definition.table
(ERROR (keyword_create)
  . [(keyword_or) (keyword_replace) (keyword_temp) (keyword_temporary) (keyword_recursive) (keyword_materialized)]*
  . (keyword_view)
  . [(keyword_if) (keyword_not) (keyword_exists)]*
  . (object_reference name: (_) @name)) @definition.view
(ERROR (keyword_create)
  . [(keyword_or) (keyword_replace) (keyword_constraint)]*
  . (keyword_trigger)
  . [(keyword_if) (keyword_not) (keyword_exists)]*
  . (object_reference name: (_) @name)) @definition.trigger
(ERROR (keyword_create)
  . [(keyword_or) (keyword_replace)]*
  . [(keyword_function) (keyword_procedure)]
  . (object_reference name: (_) @name)) @definition.function
; In a package of Oracle.
(ERROR
  [(keyword_function) (keyword_procedure)]
  . (object_reference name: (_) @name) @definition.function
  . (function_arguments)?
  . (keyword_is))
(ERROR (column_definition name: (_) @name) @definition.field
  (#not-match? @name "(?i)^(constraint|primary|unique|foreign|check|key|exclude|index|fulltext)$"))

; Relations: tables that are read, written or pointed at.
(relation (object_reference name: (_) @reference.type))
(insert (object_reference name: (_) @reference.type))
(from (object_reference name: (_) @reference.type))
(alter_table (object_reference name: (_) @reference.type))
(create_index (keyword_on) . (object_reference name: (_) @reference.type))
(create_trigger (keyword_on) . (object_reference name: (_) @reference.type))
(column_definition (keyword_references) . (object_reference name: (_) @reference.type))
(constraint (keyword_references) . (object_reference name: (_) @reference.type))

; Calls.
(invocation . (object_reference name: (_) @reference.call))
(create_trigger (keyword_execute) (object_reference name: (_) @reference.call))

; Documentation
[(comment) (marginalia)] @comment

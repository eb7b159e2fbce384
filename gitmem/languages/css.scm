; Classes and ids that a rule is about, at whatever depth its selector joins them.
(rule_set
  (selectors
    [(class_selector (class_name (identifier) @name) .)
      (_ (class_selector (class_name (identifier) @name) .))
      (_ (_ (class_selector (class_name (identifier) @name) .)))
      (_ (_ (_ (class_selector (class_name (identifier) @name) .))))
      (_ (_ (_ (_ (class_selector (class_name (identifier) @name) .)))))
      (_ (_ (_ (_ (_ (class_selector (class_name (identifier) @name) .))))))
      (_ (_ (_ (_ (_ (_ (class_selector (class_name (identifier) @name) .)))))))
      (_ (_ (_ (_ (_ (_ (_ (class_selector (class_name (identifier) @name) .))))))))])
  (block) @body) @definition.selector
(rule_set
  (selectors
    [(id_selector (id_name) @name)
      (_ (id_selector (id_name) @name))
      (_ (_ (id_selector (id_name) @name)))
      (_ (_ (_ (id_selector (id_name) @name))))
      (_ (_ (_ (_ (id_selector (id_name) @name)))))
      (_ (_ (_ (_ (_ (id_selector (id_name) @name))))))
      (_ (_ (_ (_ (_ (_ (id_selector (id_name) @name)))))))
      (_ (_ (_ (_ (_ (_ (_ (id_selector (id_name) @name))))))))])
  (block) @body) @definition.selector
(keyframes_statement (keyframes_name) @name (keyframe_block_list) @body) @definition.section
(at_rule
  (at_keyword) @_rule
  . (keyword_query) @name
  (block)? @body
  (#any-of? @_rule "@layer" "@container" "@counter-style")) @definition.section

; Custom properties.
(declaration (property_name) @name (#match? @name "^--")) @definition.property
(at_rule (at_keyword) @_rule . (keyword_query) @name (#eq? @_rule "@property")) @definition.property

; Uses of custom properties and mixins.
(call_expression
  (function_name) @_var
  (arguments . (plain_value) @reference.call)
  (#eq? @_var "var"))
; What a sheet takes in.
(import_statement (string_value (string_content) @module)) @import
(import_statement
  (call_expression (arguments . [(string_value (string_content) @module) (plain_value) @module]))
  ) @import

; Documentation
(comment) @comment

; Parts that have an id.
(element
  (start_tag
    (attribute
      (attribute_name) @_id
      [(quoted_attribute_value (attribute_value) @name) (attribute_value) @name]))
  . (_) @body
  (#eq? @_id "id")) @definition.section
(element
  (self_closing_tag
    (attribute
      (attribute_name) @_id
      [(quoted_attribute_value (attribute_value) @name) (attribute_value) @name]))
  (#eq? @_id "id")) @definition.section
([(script_element
    (start_tag
      (attribute (attribute_name) @_id (quoted_attribute_value (attribute_value) @name))))
  (element
    (start_tag
      (attribute (attribute_name) @_id (quoted_attribute_value (attribute_value) @name))))]
  @definition.section
  (#eq? @_id "id"))

; Headings and the title, by their first words.
(element
  (start_tag (tag_name) @_tag)
  . [(text) @name (element (start_tag) . (text) @name)]
  (#any-of? @_tag "h1" "h2" "h3" "h4" "h5" "h6" "title" "H1" "H2" "H3" "H4" "H5" "H6" "TITLE")
  ) @definition.section

; Elements of one's own have a dash in their name.
(element [(start_tag (tag_name) @name) (self_closing_tag (tag_name) @name)]
  (#match? @name "^[a-z][a-z0-9]*-[a-z0-9-]+$")) @definition.section
(element [(start_tag (tag_name) @reference.type) (self_closing_tag (tag_name) @reference.type)]
  (#match? @reference.type "^([a-z][a-z0-9]*-[a-z0-9-]+|[A-Z][A-Za-z0-9]+)$")
  (#not-match? @reference.type "^[A-Z0-9]+$"))

; What a page takes in.
(script_element
  (start_tag (attribute (attribute_name) @_src (quoted_attribute_value (attribute_value) @module)))
  (#eq? @_src "src")) @import
(element
  [(start_tag
      (tag_name) @_link
      (attribute (attribute_name) @_href (quoted_attribute_value (attribute_value) @module)))
    (self_closing_tag
      (tag_name) @_link
      (attribute (attribute_name) @_href (quoted_attribute_value (attribute_value) @module)))]
  (#eq? @_link "link")
  (#eq? @_href "href")) @import

; Documentation
(comment) @comment

# sqrtdk_claims(STEM OUT): the claims that theory/STEM.md declares, read from its headings.
function(sqrtdk_claims stem out)
  set(page "${PROJECT_SOURCE_DIR}/theory/${stem}.md")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${page}")
  file(STRINGS "${page}" headings ENCODING UTF-8 REGEX "^## .*{#[A-Z][A-Za-z0-9]*}")
  list(TRANSFORM headings REPLACE "^.*{#([A-Za-z0-9]+)}.*$" "\\1")
  set(${out} "${headings}" PARENT_SCOPE)
endfunction()

# Several files are compiled as one, so that what they include is compiled once; tools that look at a file alone, such as
# clang-tidy, want them apart.
set(SQRTDK_UNITY_BATCH 0 CACHE STRING "How many claims of a chapter are compiled together: 0 for all of them, 1 for none")
if(NOT SQRTDK_UNITY_BATCH MATCHES "^[0-9]+$")
  message(FATAL_ERROR "SQRTDK_UNITY_BATCH is '${SQRTDK_UNITY_BATCH}', but must be an integer, at least 0")
endif()

# sqrtdk_claims(STEM OUT): the claims that theory/STEM.md declares, read from its headings.
function(sqrtdk_claims stem out)
  set(page "${PROJECT_SOURCE_DIR}/theory/${stem}.md")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${page}")
  file(STRINGS "${page}" headings ENCODING UTF-8 REGEX "^## .*{#[A-Z][A-Za-z0-9]*}")
  list(TRANSFORM headings REPLACE "^.*{#([A-Za-z0-9]+)}.*$" "\\1")
  set(${out} "${headings}" PARENT_SCOPE)
endfunction()

# sqrtdk_judged_claims(STEM OUT): those of them that have a file properties/STEM/CLAIM.cpp, in the order of the page. The
# others are cited; the weave refuses any that is neither.
function(sqrtdk_judged_claims stem out)
  sqrtdk_claims(${stem} claims)
  file(GLOB files CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/properties/${stem}/*.cpp")
  if(files STREQUAL "")
    message(FATAL_ERROR "theory/${stem}.md has no properties/${stem}/<Claim>.cpp: write one for each of its claims, or remove the page")
  endif()
  foreach(file IN LISTS files)
    cmake_path(GET file STEM name)
    if(NOT name IN_LIST claims)
      message(FATAL_ERROR "properties/${stem}/${name}.cpp has the name of no claim: theory/${stem}.md has no heading with {#${name}}")
    endif()
    list(APPEND names ${name})
  endforeach()
  foreach(claim IN LISTS claims)
    if(claim IN_LIST names)
      list(APPEND judged ${claim})
    endif()
  endforeach()
  set(${out} ${judged} PARENT_SCOPE)
endfunction()

# sqrtdk_chapter(NAME STEM): the program NAME of the claims of a chapter.
function(sqrtdk_chapter name stem)
  sqrtdk_judged_claims(${stem} files)
  list(TRANSFORM files PREPEND "${PROJECT_SOURCE_DIR}/properties/${stem}/")
  list(TRANSFORM files APPEND ".cpp")
  add_executable(${name} ${files})
  target_link_libraries(${name} PRIVATE main_with_ledger)
  target_compile_definitions(${name} PRIVATE SQRTDK_CORPUS_DIR="${PROJECT_SOURCE_DIR}/properties/corpus")
  if(NOT SQRTDK_UNITY_BATCH EQUAL 1)
    set_target_properties(${name} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${SQRTDK_UNITY_BATCH}
      UNITY_BUILD_CODE_BEFORE_INCLUDE "// NOLINTNEXTLINE(bugprone-suspicious-include)")
  endif()
  sqrtdk_strict(${name})
endfunction()

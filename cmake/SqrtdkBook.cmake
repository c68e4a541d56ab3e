# The book: run the properties, weave their results into the pages, render. `cmake --build … --target book` renders it and
# nothing else; tools/verify does so and prints the verdicts.
include(SqrtdkPython)
find_program(SQRTDK_DOXYGEN doxygen REQUIRED)
find_program(SQRTDK_DOT dot REQUIRED)
find_program(SQRTDK_BIBTEX bibtex REQUIRED)
find_program(SQRTDK_GNUPLOT gnuplot REQUIRED)
find_program(SQRTDK_NODE node REQUIRED)
find_program(SQRTDK_RSVG rsvg-convert REQUIRED)
find_path(SQRTDK_AWESOME doxygen-awesome.css PATHS /usr/share/doxygen-awesome-css REQUIRED)
# Not cached: another lock file, or another environment, is another MathJax, and another MiniSearch.
unset(mathjax)
unset(minisearch)
find_path(mathjax es5/startup.js PATHS "$ENV{SQRTDK_MATHJAX}" "${SQRTDK_NPM}/mathjax" NO_DEFAULT_PATH NO_CACHE REQUIRED)
find_path(minisearch dist/umd/index.js PATHS "$ENV{SQRTDK_MINISEARCH}" "${SQRTDK_NPM}/minisearch" NO_DEFAULT_PATH NO_CACHE REQUIRED)

set(weave "${SQRTDK_PYTHON}" "${PROJECT_SOURCE_DIR}/tools/weave")
set(results "${PROJECT_BINARY_DIR}/results")
set(woven "${PROJECT_BINARY_DIR}/woven")
# Said before anything is built: the book takes the place of that folder.
execute_process(COMMAND ${weave} place "${SQRTDK_BOOK_DIR}" RESULT_VARIABLE refused ERROR_VARIABLE why OUTPUT_QUIET)
if(refused)
  message(FATAL_ERROR "SQRTDK_BOOK_DIR: ${why}")
endif()

file(GLOB pages CONFIGURE_DEPENDS
  "${PROJECT_SOURCE_DIR}/theory/*.md" "${PROJECT_SOURCE_DIR}/docs/*.md"
  "${PROJECT_SOURCE_DIR}/docs/exercises/*.md")
file(GLOB theme CONFIGURE_DEPENDS
  "${PROJECT_SOURCE_DIR}/docs/theme/*" "${PROJECT_SOURCE_DIR}/docs/references.bib")
file(GLOB_RECURSE weavers CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tools/weave/weave/*.py")
set(recorder "${PROJECT_SOURCE_DIR}/tools/weave/weave/record/run.py")
file(GLOB drawers CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tools/weave/weave/drawing/*.py")
file(GLOB typesetters CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tools/typeset/*.mjs")
file(GLOB_RECURSE sources CONFIGURE_DEPENDS
  "${PROJECT_SOURCE_DIR}/src/sqrtdk/*.hpp" "${PROJECT_SOURCE_DIR}/src/sqrtdk/*.cpp"
  "${PROJECT_SOURCE_DIR}/properties/*.cpp" "${PROJECT_SOURCE_DIR}/properties/*.hpp"
  "${PROJECT_SOURCE_DIR}/exercises/*.py" "${PROJECT_SOURCE_DIR}/exercises/solutions/*.py"
  "${PROJECT_SOURCE_DIR}/examples/*.cpp" "${PROJECT_SOURCE_DIR}/examples/own_kernel/*" "${PROJECT_SOURCE_DIR}/examples/ci/*.yml")

# What tools/prove found and what was signed; the first is there only if it was run.
file(GLOB proofs CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/build/proofs/proofs.json" "${PROJECT_SOURCE_DIR}/theory/proofs/*")

# The results depend on the seed; tools/verify rewrites this file when SQRTDK_SEED changes.
set(seed_file "${PROJECT_BINARY_DIR}/seed.txt")
if(NOT EXISTS "${seed_file}")
  file(WRITE "${seed_file}" "default\n")
endif()

# Programs are run from the root of the checkout and by a relative name, so that the line that replays a failure can be
# copied from the book.
file(RELATIVE_PATH programs "${PROJECT_SOURCE_DIR}" "${PROJECT_BINARY_DIR}")

set(result_files)
foreach(stem IN LISTS SQRTDK_STEMS)
  set(result "${results}/${stem}_properties.json")
  add_custom_command(OUTPUT "${result}"
    COMMAND ${CMAKE_COMMAND} -E env "SQRTDK_FIGURES=${results}/figures" ${weave} record "${programs}/properties/${stem}_properties" "${result}"
    DEPENDS ${stem}_properties "${seed_file}" "${recorder}"
    COMMENT "Running the properties of ${stem}"
    WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}"
    VERBATIM)
  list(APPEND result_files "${result}")
endforeach()

# The book shows what the examples print, too; GoogleTest's times would change it from run to run.
foreach(name IN LISTS SQRTDK_EXAMPLES)
  set(result "${results}/examples/${name}.txt")
  add_custom_command(OUTPUT "${result}"
    COMMAND ${CMAKE_COMMAND} -E env "SQRTDK_FIGURES=${results}/figures" GTEST_PRINT_TIME=0 ${weave} output "${programs}/examples/${name}" "${result}"
    DEPENDS ${name} "${recorder}"
    COMMENT "Running the example ${name}"
    WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}"
    VERBATIM)
  list(APPEND result_files "${result}")
endforeach()

# Data that are only shown are computed by a program of their own.
foreach(name IN LISTS SQRTDK_COMPUTED_FIGURES)
  set(result "${results}/figures/${name}.dat")
  add_custom_command(OUTPUT "${result}"
    COMMAND ${CMAKE_COMMAND} -E env "SQRTDK_FIGURES=${results}/figures" "${programs}/docs/figures/figures" ${name}
    DEPENDS figures
    COMMENT "Computing the figure ${name}"
    WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}"
    VERBATIM)
  list(APPEND result_files "${result}")
endforeach()

# Figures: what a program wrote as results/figures/NAME.dat is drawn by docs/figures/NAME.gp, or by NAME.js, which a browser
# may draw again.
set(figures "${PROJECT_BINARY_DIR}/figures")
set(rendering "${PROJECT_BINARY_DIR}/rendering")
file(GLOB scripts CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/docs/figures/*.gp" "${PROJECT_SOURCE_DIR}/docs/figures/*.js")
set(common "${PROJECT_SOURCE_DIR}/docs/figures/common.gp")
file(GLOB drawing CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/docs/figures/figure-sans.*")
list(APPEND drawing ${drawers} "${common}" "${PROJECT_SOURCE_DIR}/docs/theme/movable.js"
  "${PROJECT_SOURCE_DIR}/tools/movable/draw.mjs")
list(REMOVE_ITEM scripts "${common}")
set(figure_files)
set(movable)
foreach(script IN LISTS scripts)
  cmake_path(GET script STEM name)
  cmake_path(GET script EXTENSION kind)
  set(drawn "${figures}/${name}.svg" "${figures}/${name}.png" "${figures}/${name}.dat")
  if(kind STREQUAL ".js")
    list(APPEND drawn "${figures}/${name}.json")
    list(APPEND movable "${script}")
  endif()
  set(data ${result_files})
  if(name IN_LIST SQRTDK_COMPUTED_FIGURES)
    set(data "${results}/figures/${name}.dat")
  elseif(name STREQUAL "score_walks")  # on the first pages, which do not wait for the other results
    set(data "${results}/examples/exercise_1_standard_deviation.txt")
  endif()
  add_custom_command(OUTPUT ${drawn}
    COMMAND ${weave} draw "${script}" --data "${results}/figures" --out "${figures}"
            --gnuplot "${SQRTDK_GNUPLOT}" --rsvg "${SQRTDK_RSVG}" --node "${SQRTDK_NODE}"
    DEPENDS ${data} "${script}" ${drawing}
    COMMENT "Drawing ${name}"
    VERBATIM)
  list(APPEND figure_files ${drawn})
endforeach()

add_custom_command(OUTPUT "${woven}.stamp"
  COMMAND ${weave} weave --source "${PROJECT_SOURCE_DIR}" --results "${results}"
          --revision "${PROJECT_BINARY_DIR}/revision.json" --out "${woven}"
  COMMAND ${CMAKE_COMMAND} -E touch "${woven}.stamp"
  DEPENDS ${result_files} ${pages} ${weavers} ${sources} ${proofs} revision "${PROJECT_BINARY_DIR}/revision.json"
  COMMENT "Weaving the results into the pages"
  VERBATIM)

# sqrtdk_render(OUT WOVEN RENDERING DOXYFILE FIGURE…): the commands that make a book of woven pages. It is rendered beside
# the one that it then replaces: a book is whole, and has no page of an earlier run.
function(sqrtdk_render out woven rendering doxyfile)
  set(${out}
    COMMAND ${CMAKE_COMMAND} -E rm -rf "${rendering}"
    COMMAND ${CMAKE_COMMAND} -E make_directory "${rendering}"
    COMMAND ${CMAKE_COMMAND} -E env
            "SQRTDK_WOVEN=${woven}" "SQRTDK_BOOK=${rendering}"
            "SQRTDK_AWESOME=${SQRTDK_AWESOME}"
            "SQRTDK_WARN_AS_ERROR=$<IF:$<BOOL:${SQRTDK_WARNINGS_AS_ERRORS}>,FAIL_ON_WARNINGS,NO>"
            ${SQRTDK_DOXYGEN} "${PROJECT_SOURCE_DIR}/${doxyfile}"
    COMMAND ${CMAKE_COMMAND} -E copy "${mathjax}/LICENSE" "${rendering}/mathjax/LICENSE"
    COMMAND ${CMAKE_COMMAND} -E copy "${minisearch}/dist/umd/index.js" "${rendering}/minisearch.js"
    COMMAND ${CMAKE_COMMAND} -E copy "${minisearch}/LICENSE.txt" "${rendering}/minisearch-LICENSE.txt"
    COMMAND ${CMAKE_COMMAND} -E copy ${ARGN} "${rendering}"
    COMMAND ${weave} finish "${rendering}" --common "${common}" --claims "${woven}/claims.json"
            --revision "${PROJECT_BINARY_DIR}/revision.json"
    COMMAND ${weave} index "${rendering}" --claims "${woven}/claims.json"
    COMMAND ${SQRTDK_NODE} "${PROJECT_SOURCE_DIR}/tools/typeset/typeset.mjs" "${rendering}" "${mathjax}"
            "${PROJECT_SOURCE_DIR}/docs/theme/fonts/source-serif-4-latin-400-normal.woff2"
    COMMAND ${weave} place "${rendering}" "${SQRTDK_BOOK_DIR}"
    PARENT_SCOPE)
endfunction()

sqrtdk_render(commands "${woven}" "${rendering}" Doxyfile ${figure_files} ${movable})
add_custom_command(OUTPUT "${SQRTDK_BOOK_DIR}/index.html" ${commands}
  DEPENDS "${woven}.stamp" ${figure_files} ${theme} ${sources} ${typesetters} "${PROJECT_SOURCE_DIR}/Doxyfile"
    "${PROJECT_SOURCE_DIR}/tools/group_reference"
  COMMENT "Rendering the book"
  WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}"
  VERBATIM)
add_custom_target(book ALL DEPENDS "${SQRTDK_BOOK_DIR}/index.html")

# Its first pages, long before the rest: tools/verify makes them where no book is.
set(first "${PROJECT_BINARY_DIR}/first_look")
file(STRINGS "${PROJECT_SOURCE_DIR}/docs/why.md" shown REGEX "<!--.(show)?figure{[a-z_0-9]*}-->$")
list(TRANSFORM shown REPLACE "^[^{]*{([a-z_0-9]*)}.*$" "\\1")
set(chapter moments)  # the first in reading order
set(first_figures ${figure_files})
list(JOIN shown "|" shown)
list(FILTER first_figures INCLUDE REGEX "/(${shown}|${chapter}_[a-z_]*)\\.[a-z]*$")
list(FILTER movable INCLUDE REGEX "/(${shown}|${chapter}_[a-z_]*)\\.js$")
sqrtdk_render(commands "${first}/woven" "${first}/book" docs/theme/first-look.doxyfile ${first_figures} ${movable})
add_custom_target(first_look
  COMMAND ${weave} weave --first-look --source "${PROJECT_SOURCE_DIR}" --results "${results}"
          --revision "${PROJECT_BINARY_DIR}/revision.json" --out "${first}/woven"
  ${commands}
  DEPENDS "${results}/${chapter}_properties.json" ${first_figures} revision
  COMMENT "Rendering the first pages"
  WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}"
  VERBATIM)

add_test(NAME typeset_tests
  COMMAND ${CMAKE_COMMAND} -E env "MATHJAX=${mathjax}"
          ${SQRTDK_NODE} --test "${PROJECT_SOURCE_DIR}/tools/typeset/tests/typeset.test.mjs")

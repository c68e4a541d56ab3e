# sqrtdk_strict(TARGET): the warnings under which our own code is clean, and arithmetic that is
# rounded as it is written. Not for consumers.
function(sqrtdk_strict target)
  target_compile_options(${target} PRIVATE
    -Wall -Wextra -Wpedantic -Wconversion -Wshadow
    $<$<BOOL:${SQRTDK_WARNINGS_AS_ERRORS}>:-Werror>
    # GCC 12 sees overlapping copies in "literal" + std::string (its bug 105651) and, under sanitizers, members of <regex> that
    # are not set (105562).
    $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>
    $<$<AND:$<CXX_COMPILER_ID:GNU>,$<BOOL:${SQRTDK_SANITIZED}>>:-Wno-maybe-uninitialized>
    # Equality in every bit is claimed of sums and products that are not contracted; bounds hold
    # either way (docs/platforms.md).
    -ffp-contract=off
    # Test locations in results are relative to the repository, on every machine.
    "-fmacro-prefix-map=${PROJECT_SOURCE_DIR}/=")
endfunction()

# sqrtdk_compile_quickly(TARGET [FLAG]): a release optimizes what its headers compute by FLAG instead of -O2: by -Og unless it
# is given, no further than a debugger would follow, which halves the time and takes a fifth off the memory of compiling
# tests, whose code runs once. Their roundings are the same. On the command line it stands behind -O2, and the last one counts.
# Libraries that are built for others are optimized as those say.
function(sqrtdk_compile_quickly target)
  if(NOT SQRTDK_BUILD_PROPERTIES)
    return()
  endif()
  set(flag ${ARGN})
  if(NOT flag)
    set(flag -Og)
  endif()
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:${flag}>)
endfunction()

# sqrtdk_compile_sparingly(TARGET): GCC collects what it no longer needs when its memory has grown by a third, not when it has
# doubled: a tenth more time, a seventh less memory.
function(sqrtdk_compile_sparingly target)
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:--param=ggc-min-expand=30>)
endfunction()

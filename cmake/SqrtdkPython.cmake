# SQRTDK_PYTHON: the first Python in PATH that is new enough and has lxml, which the book's pages are parsed with.
function(sqrtdk_has_lxml result program)
  execute_process(COMMAND "${program}" -c "import lxml.html, sys; sys.exit(sys.version_info < (3, 11))"
    RESULT_VARIABLE lacks OUTPUT_QUIET ERROR_QUIET)
  if(lacks)
    set(${result} FALSE PARENT_SCOPE)
  endif()
endfunction()
find_program(SQRTDK_PYTHON python3 VALIDATOR sqrtdk_has_lxml REQUIRED)

# sqrtdk_python_test(NAME ARGUMENT…): a test that runs Python. It is defined here so that none can be added before Python is
# looked for, whose command would be empty.
function(sqrtdk_python_test name)
  add_test(NAME ${name} COMMAND "${SQRTDK_PYTHON}" ${ARGN})
endfunction()

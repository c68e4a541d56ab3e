# Programs in C, of which only tests and examples consist.
enable_language(C)

# sqrtdk_c_program(NAME SOURCE): a program in C99 that knows sqrtdk.h and nothing else of ours.
function(sqrtdk_c_program name source)
  add_executable(${name} ${source})
  target_link_libraries(${name} PRIVATE sqrtdk::c m)
  set_target_properties(${name} PROPERTIES C_STANDARD 99 C_STANDARD_REQUIRED ON C_EXTENSIONS OFF)
  target_compile_options(${name} PRIVATE -Wall -Wextra -Wpedantic -Werror)
  if(CMAKE_CXX_FLAGS MATCHES "-fsanitize")  # what the library needs comes from the linker of C++
    set_target_properties(${name} PROPERTIES LINKER_LANGUAGE CXX)
  endif()
endfunction()

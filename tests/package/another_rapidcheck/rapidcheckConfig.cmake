# A RapidCheck whose header has nothing of what is known.
add_library(rapidcheck INTERFACE IMPORTED)
target_include_directories(rapidcheck INTERFACE "${CMAKE_CURRENT_LIST_DIR}")

# A GoogleTest of a version that no kit was compiled with.
add_library(GTest::gtest INTERFACE IMPORTED)

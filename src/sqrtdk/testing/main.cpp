#include <sqrtdk/testing/run.hpp>

/// Runs the tests that were linked in, by sqrtdk::testing::run(), and returns what it returns.
int main(int argc, char** argv) { return sqrtdk::testing::run(argc, argv); }

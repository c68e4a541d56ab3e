// SPDX-License-Identifier: BSL-1.0
#include <sqrtdk/testing/run.hpp>

int main(int argc, char** argv) { return sqrtdk::testing::run(argc, argv); }

// SPDX-License-Identifier: BSL-1.0
#include "properties/false_alarms.hpp"
#include "sqrtdk/testing/run.hpp"

int main(int argc, char** argv) {
  sqrtdk::testing::active_ledger() = sqrtdk::ledger;
  return sqrtdk::testing::run(argc, argv);
}

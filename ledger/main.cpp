// SPDX-License-Identifier: BSL-1.0
#include <sqrtdk/testing/run.hpp>

#include "ledger/false_alarms.hpp"

int main(int argc, char** argv) {
  sqrtdk::testing::active_ledger() = sqrtdk::ledger;
  return sqrtdk::testing::run(argc, argv);
}

#include <sqrtdk/testing/run.hpp>

#include "properties/support/false_alarms.hpp"

int main(int argc, char** argv) {
  sqrtdk::testing::active_ledger() = sqrtdk::ledger;
  return sqrtdk::testing::run(argc, argv);
}

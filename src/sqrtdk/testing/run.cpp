#include <sqrtdk/numbers/float_environment.hpp>
#include <sqrtdk/testing/property.hpp>
#include <sqrtdk/testing/reporting/ledger.hpp>
#include <sqrtdk/testing/run.hpp>
#include <sqrtdk/testing/statistics/seed.hpp>

#include <gtest/gtest.h>

#include <cstdlib>
#include <exception>
#include <iostream>
#include <string>

namespace sqrtdk::testing {

namespace {

/// The ledger, a line an entry: test, risks and exponent, with tabs between them.
std::string ledger_lines() {
  std::string lines;
  for (const LedgerEntry& entry : active_ledger())
    lines += (lines.empty() ? "" : "\n") + std::string(entry.test) + "\t" +
             std::to_string(entry.risks) + "\t" + std::to_string(entry.exponent);
  return lines;
}

/// Records, once a run, what the numbers of the run depend on.
class BuildRecorder : public ::testing::Environment {
 public:
  explicit BuildRecorder(const BuildInfo& build) : build_(build) {}

  void SetUp() override {
    ::testing::Test::RecordProperty("tests_in_program",
                                    ::testing::UnitTest::GetInstance()->total_test_count());
    ::testing::Test::RecordProperty("seed", std::to_string(master_seed()));
    ::testing::Test::RecordProperty("ledger", ledger_lines());
    ::testing::Test::RecordProperty("compiler", build_.compiler);
    ::testing::Test::RecordProperty("boost", std::to_string(build_.boost / 100000) + "." +
                                                 std::to_string(build_.boost / 100 % 1000) + "." +
                                                 std::to_string(build_.boost % 100));
    const auto& [world, major, minor] = build_.eigen;
    ::testing::Test::RecordProperty(
        "eigen", std::to_string(world) + "." + std::to_string(major) + "." + std::to_string(minor));
  }

 private:
  BuildInfo build_;
};

}  // namespace

int detail::run_selected_tests() {
  struct Counter : ::testing::EmptyTestEventListener {
    explicit Counter(int& ran) : count(ran) {}
    void OnTestEnd(const ::testing::TestInfo& test) override { count += !test.result()->Skipped(); }
    int& count;
  };
  int ran = 0;
  auto& unit = *::testing::UnitTest::GetInstance();
  auto* counter = new Counter(ran);  // GoogleTest's until it is released: a test may call exit()
  unit.listeners().Append(counter);
  const int status = RUN_ALL_TESTS();
  delete unit.listeners().Release(counter);
  if (status != 0 || ran > 0 || GTEST_FLAG_GET(list_tests)) return status;
  const char* shard = std::getenv("GTEST_SHARD_INDEX");
  const bool none = unit.test_to_run_count() == 0;
  if (none && shard != nullptr && std::atoi(shard) > 0) {
    std::cout << "no test is left for the shard " << shard << '\n';
    return 0;
  }
  std::cerr << "no test ran: "
            << (none ? "none matches --gtest_filter=" + GTEST_FLAG_GET(filter)
                     : "each was skipped, or --gtest_repeat is 0")
            << '\n';
  return 2;
}

int run(int argc, char** argv, const BuildInfo& build) {
  const DefaultFloatEnvironment environment;  // whatever a library that was linked has set
  detail::program_name() = argv[0];
  ::testing::InitGoogleTest(&argc, argv);
  try {
    std::cout << "master seed " << master_seed() << '\n' << summary(active_ledger()) << '\n';
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 2;
  }
  ::testing::AddGlobalTestEnvironment(new BuildRecorder(build));
  return detail::run_selected_tests();
}

}  // namespace sqrtdk::testing

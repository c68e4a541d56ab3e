// The sources of randomness.
#include <sqrtdk/testing/reporting/ledger.hpp>
#include <sqrtdk/testing/statistics/seed.hpp>

#include <gtest/gtest.h>

#include <stdexcept>

namespace {

using namespace sqrtdk;
using namespace sqrtdk::testing;

TEST(Seed, DependsOnTheMasterSeedTheNameAndTheStreamAndNothingElse) {
  static_assert(seed_of(1, "Suite.Test") == seed_of(1, "Suite.Test"));
  EXPECT_NE(seed_of(1, "Suite.Test"), seed_of(2, "Suite.Test"));
  EXPECT_NE(seed_of(1, "Suite.Test"), seed_of(1, "Suite.Tess"));
  EXPECT_NE(seed_of(1, "Suite.Test", 0), seed_of(1, "Suite.Test", 1));
}

TEST(Seed, IsReadFromANumberOrTheWordFresh) {
  EXPECT_EQ(parse_master_seed("18446744073709551615"), 18446744073709551615U);
  chance_of_next_assertion();  // 2⁻⁶⁴ in truth
  EXPECT_NE(parse_master_seed("fresh"), parse_master_seed("fresh"));
  for (const char* bad : {"", "-1", "1.5", "Fresh", "7 ", "18446744073709551616"})
    EXPECT_THROW(parse_master_seed(bad), std::invalid_argument) << bad;
}

}  // namespace

// Values of a generator that are the same in every run.
#pragma once

#include <sqrtdk/testing/statistics/seed.hpp>

#include <rapidcheck.h>

#include <vector>

namespace sqrtdk::testing {

/// The values of a generator from the default seed, whatever `SQRTDK_SEED` is: no matter of chance.
/// \param generator any generator.
/// \param count     how many values; their sizes go through 0, …, 100 again and again.
template <class Value>
std::vector<Value> fixed_draws(const rc::Gen<Value>& generator, int count) {
  rc::Random random(default_master_seed);
  std::vector<Value> values;
  for (int i = 0; i < count; ++i) values.push_back(generator(random.split(), i % 101).value());
  return values;
}

}  // namespace sqrtdk::testing

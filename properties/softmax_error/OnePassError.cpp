#include <sqrtdk/testing/laws/softmax_laws.hpp>

#include "properties/softmax_error/fixture.hpp"
#include "properties/support/outcomes.hpp"

namespace sqrtdk::properties::OnePassError {

/// Parts of a list, some of them empty, which are merged in any order.
Parts drawn_parts(std::size_t n) {
  Cuts cuts = *rc::gen::container<Cuts>(rc::gen::inRange<std::size_t>(0, n + 1)).as("cuts");
  std::sort(cuts.begin(), cuts.end());
  const auto pairs = (cuts.size() + 1) * std::max<std::size_t>(cuts.size(), 1);
  auto merges = *rc::gen::container<std::vector<std::size_t>>(
                     cuts.size(), rc::gen::inRange<std::size_t>(0, pairs))
                     .as("which parts are merged");
  return {std::move(cuts), std::move(merges)};
}

/// Lists that rise, fall, jump and have masks; parts merged from the left, the right and by pairs.
template <class Real>
std::vector<std::pair<Values<Real>, Parts>> telling_parts() {
  const Real max = std::numeric_limits<Real>::max();
  const Real great = static_cast<Real>(std::min<long double>(max, 0x1p1023L) / 2);
  return {{{0, 1, 2, 3, 4}, {}},
          {{4, 3, 2, 1, 0}, {{2, 2}}},
          {{0, -1, 5, 5, 2, 7}, {{1, 3, 3}}},
          {{-inf<Real>, 0, -inf<Real>, 2}, {{1, 2}}},
          {{-max, 0, great, great}, {{2}}},
          {{-100, -50, 0, -103}, {{1, 1, 3}}},
          // The last takes in the one before it, and so on.
          {{0, -1, 5, 5, 2, 7}, {{1, 2, 4}, {11, 5, 1}}},
          {{4, 3, 2, 1, 0}, {{2, 2}, {5, 1}}},
          // The first takes in the second, the third the fourth, and then the later pair the other.
          {{0, 3, 2, 1}, {{1, 2, 3}, {0, 4, 1}}}};
}

template <class Function>
Subject with_split(Function wrong) {
  Subject result;
  result.in_double.split = wrong;
  result.in_float.split = wrong;
  return result;
}

//! [OnePassError]
STATEMENT(OnePassError, PartsMayBeMergedInAnyWay) {
  in_each(subject, [](const auto& functions, auto real) {
    using Real = decltype(real);
    const auto outcome_of = [&](const Values<Real>& x, const Parts& parts) {
      const auto split = [&](const Values<Real>& logits, const Cuts& cuts) {
        return functions.split(logits, {cuts, parts.merges});
      };
      return split_law<Real>(split, x, parts.cuts);
    };
    for (const auto& [x, parts] : telling_parts<Real>()) expect(outcome_of(x, parts));
    for_all([&] {
      const Values<Real> x = *scores<Real>(17).as("x");
      require_law(outcome_of(x, drawn_parts(x.size())));
    });
  });
}
//! [OnePassError]
KILLS("the sum is not rescaled when the maximum rises", with_split([](auto& x, auto&) {
        auto maximum = x.front();
        auto sum = 0 * maximum;
        for (const auto logit : x) {
          maximum = std::max(maximum, logit);
          sum += std::exp(logit - maximum);
        }
        auto y = x;
        for (auto& logit : y) logit = std::exp(logit - maximum) / sum;
        return std::pair(y, x.size());
      }));
KILLS("weights are halved if a part is empty", with_split([](auto& x, auto& parts) {
        auto result = library_split(x, parts);
        if (std::adjacent_find(parts.cuts.begin(), parts.cuts.end()) != parts.cuts.end())
          for (auto& weight : result.first) weight /= 2;
        return result;
      }));
KILLS("a part that takes in an earlier one forgets it", with_split([](auto& x, auto& parts) {
        const auto state = merged_by(x, parts, [](auto& into, auto& other) {
          if (other.begin >= into.begin) into.state.merge(other.state);
        });
        return weights_of(state, x);
      }));

//! [OnePassError: exact check]
ASIDE(OnePassError, RescalingsAreCounted) {
  in_both(subject, [](const auto& functions, auto real) {
    using Real = decltype(real);
    // Each logit raises the maximum: one rescaling fewer than logits.
    const Values<Real> rising = {0, 1, 2, 3, 4};
    EXPECT_EXACTLY(functions.split(rising, {}).second == 4U);
    EXPECT_EXACTLY(functions.split(rising, {{2, 2}}).second == 2U);
    EXPECT_EXACTLY(functions.split({4, 3, 2, 1, 0}, {}).second == 1U);
    // The weight that was rescaled most counts, on whichever side of a merge.
    EXPECT_EXACTLY(functions.split({10, 0, 1, 2, 11}, {{1}}).second == 3U);
    EXPECT_EXACTLY(functions.split({11, 0, 1, 2, 10}, {{1}}).second == 4U);
    // From the left each merge rescales all that came before, from the right one score only.
    EXPECT_EXACTLY(functions.split(rising, {{1, 2, 3, 4}}).second == 4U);
    EXPECT_EXACTLY(functions.split(rising, {{1, 2, 3, 4}, {19, 11, 5, 1}}).second == 1U);
  });
  enumerated(14);
}
//! [OnePassError: exact check]
KILLS("rescalings are counted as if parts were merged from the left",
      with_split([](auto& x, auto& parts) {
        auto result = library_split(x, parts);
        result.second = library_split(x, Parts{parts.cuts}).second;
        return result;
      }));
KILLS("rescalings are not counted", with_split([](auto& x, auto& parts) {
        return std::pair(library_split(x, parts).first, std::size_t{0});
      }));
KILLS("every logit counts as a rescaling", with_split([](auto& x, auto& parts) {
        return std::pair(library_split(x, parts).first, x.size());
      }));

STATEMENT(OnePassError, OnePassStaysWithinTheBound) {
  in_each(subject, [](const auto& functions, auto real) {
    using Real = decltype(real);
    const auto outcome_of = [&](const Values<Real>& x) {
      SoftmaxArithmetic by = arithmetic_of<Real>();
      by.summation = Summation::any_order;
      by.rescalings = merged_state(x, {}).rescalings();
      return accuracy_law<Real>(functions.online, x, 1, by);
    };
    for (const auto& [x, parts] : telling_parts<Real>()) expect(outcome_of(x));
    for_all([&] { require_law(outcome_of(*scores<Real>(17).as("x"))); });
  });
}
KILLS("one pass knows the first maximum only",
      {.in_float = {.online = [](auto& x, float) { return shifted_softmax(x, x.front()); }}});

/// One pass with exponentials that are too large by 7u, unless they are 1.
Values<double> biased_one_pass(const Values<double>& x, double) {
  const auto exp = [](double d) { return d < 0 ? std::exp(d) * (1 + 7 * 0x1p-53) : 1.0; };
  double m = x[0];
  double sum = 0;
  for (const double logit : x) {
    if (logit > m) sum *= exp(std::exchange(m, logit) - logit);
    sum += exp(logit - m);
  }
  Values<double> weights;
  for (const double logit : x) weights.push_back(exp(logit - m) / sum);
  return weights;
}

ASIDE(OnePassError, UncountedRescalingsBreakTheBound) {
  Values<double> rising;
  for (int j = 0; j < 64; ++j) rising.push_back(j * 0x1p-10);
  SoftmaxArithmetic by = arithmetic_of<double>();
  by.exp_error = 8;
  by.summation = Summation::any_order;
  const auto uncounted = subject.in_double.bound(rising, 1, by);
  EXPECT_FALSE(accuracy_law<double>(biased_one_pass, rising, 1, uncounted).holds());
  by.rescalings = 63;
  expect(accuracy_law<double>(biased_one_pass, rising, 1, by));
  counterexample_without("counted rescalings");
}
KILLS("the bound counts a rescaling for each logit",
      with_arithmetic([](SoftmaxArithmetic& by) { by.rescalings = 63; }));

template <class Real>
std::pair<Values<Real>, std::size_t> moderate_scores() {
  return {*vectors<Real>({.shortest = 2, .longest = 33, .entries = {.largest = 16}}).as("x"),
          *rc::gen::inRange<std::size_t>(1, 5).as("block")};
}

template <class Real>
Outcome weights_law(const Outputs<Real>& state, const Values<Real>& x, std::size_t rescalings) {
  SoftmaxArithmetic by = arithmetic_of<Real>();
  by.summation = Summation::any_order;
  by.rescalings = rescalings;
  return accuracy_law<Real>([&](const Values<Real>&, Real) { return state.divided(); }, x, 1, by);
}

STATEMENT(OnePassError, RescaledOutputsAreAsGoodAsWeights) {
  const auto keep_the_bound = [](const auto& outputs, auto real) {
    using Real = decltype(real);
    const auto outcome_of = [&](const Values<Real>& x, std::size_t block) {
      const Outputs<Real> state = outputs(x, block);
      return weights_law<Real>(state, x, state.rescalings);
    };
    for (const std::size_t block : {1U, 2U, 8U}) {
      expect(outcome_of({0, 1, 2, 3, 4}, block));
      expect(outcome_of({4, 3, 2, 1, 0}, block));
      expect(outcome_of({Real(-0.3), 9, Real(-7.1), Real(9.2), 3, Real(9.7)}, block));
    }
    for_all([&] {
      const auto [x, block] = moderate_scores<Real>();
      require_law(outcome_of(x, block));
    });
  };
  keep_the_bound(subject.outputs, double());
  keep_the_bound(subject.outputs_in_float, float());
}
KILLS("outputs are not rescaled when the maximum rises", {.outputs = [](auto x, auto block) {
        auto state = blockwise(x, block);
        for (std::size_t j = 0; j < x.size(); ++j) {
          const std::size_t end = std::min(x.size(), (j / block + 1) * block);
          const auto seen = x.first(end);
          state.outputs[j] = std::exp(x[j] - *std::max_element(seen.begin(), seen.end()));
        }
        return state;
      }});
KILLS("outputs are stored in bfloat16 between two blocks",
      {.outputs_in_float = [](auto x, auto block) {
        auto state = blockwise(x, block);
        for (float& output : state.outputs) output = static_cast<float>(Eigen::bfloat16(output));
        return state;
      }});

/// A = 8: the exponential of a short step is too large by 7u, of a longer one too small.
double two_sided_exp(double x) {
  return x == 0 ? 1 : std::exp(x) * (1 + (x > -0x1.8p-12 ? 7 : -7) * 0x1p-53);
}

ASIDE(OnePassError, OutputsOfPartsNeedTwiceTheRescalings) {
  const auto outcome_of = [&](const Values<double>& x, std::size_t block) {
    const Outputs<double> state = subject.outputs_of_parts(x, block);
    return weights_law<double>(state, x, 2 * state.rescalings);
  };
  expect(outcome_of({0, 1, 2, 3, 7, 6, 5, 8}, 1));
  expect(outcome_of({9, 1, 2, -3, 7, 6, 5, 8}, 2));
  for_all([&] {
    const auto [x, block] = moderate_scores<double>();
    require_law(outcome_of(x, block));
  });

  // 257 keys that rise by short steps, and 1024 with 256 that rise by longer ones.
  constexpr int steps = 256;
  const Values<double> many(1024, -steps * 0x1p-12);
  Values<double> x;
  Outputs<double> state, later;
  for (int j = 0; j <= steps; ++j) x.push_back(j * 0x1p-12);
  for (const double& logit : x) state.take({&logit, 1}, two_sided_exp);
  later.take(many, two_sided_exp);
  x.insert(x.end(), many.begin(), many.end());
  for (int j = 1; j <= steps; ++j) {
    x.push_back(many[0] + j * 0x1p-11);
    later.take({&x.back(), 1}, two_sided_exp);
  }
  state.merge(later, two_sided_exp);
  EXPECT_EQ(state.rescalings, 256U);
  SoftmaxArithmetic by = arithmetic_of<double>();
  by.exp_error = 8;
  by.block = steps + 8;  // one of the many goes through 14 additions, one a step, and the last
  by.rescalings = state.rescalings;
  const auto computed = [&](const Values<double>&, double) { return state.divided(); };
  const auto once = subject.in_double.bound(x, 1, by);
  EXPECT_FALSE(accuracy_law<double>(computed, x, 1, once).holds());
  by.rescalings *= 2;
  const auto twice = subject.in_double.bound(x, 1, by);
  expect(accuracy_law<double>(computed, x, 1, twice));
  counterexample_without("one state");
}
KILLS("parts are merged as if their maxima were equal",
      {.outputs_of_parts = [](auto x, auto block) {
        auto state = blockwise(x.first(x.size() / 2), block);
        auto later = blockwise(x.subspan(x.size() / 2), block);
        later.maximum = state.maximum;
        state.merge(later, exp_of<double>);
        return state;
      }});
KILLS("the bound counts each rescaling twice",
      with_arithmetic([](SoftmaxArithmetic& by) { by.rescalings *= 2; }));

STATEMENT(OnePassError, TheLogarithmOfPartsStaysWithinItsBound) {
  in_each(subject, [](const auto& functions, auto real) {
    using Real = decltype(real);
    const auto outcome_of = [&](const Values<Real>& x, const Parts& parts) {
      const std::pair<Real, std::size_t> merged = functions.split_log_sum(x, parts);
      SoftmaxArithmetic by = arithmetic_of<Real>();
      by.summation = Summation::any_order;
      by.rescalings = merged.second;
      const auto computed = [&](const Values<Real>&, Real) { return merged.first; };
      return log_sum_exp_law<Real>(computed, x, 1, by);
    };
    for (const auto& [x, parts] : telling_parts<Real>()) expect(outcome_of(x, parts));
    for_all(
        [&] {
          const Values<Real> x = *scores<Real>(17).as("x");
          require_law(outcome_of(x, drawn_parts(x.size())));
        },
        100);
  });
}
KILLS("the logarithm of the sum is left out",
      {.in_double = {.split_log_sum = [](auto& x, auto& parts) {
         const auto state = merged_state(x, parts);
         return std::pair(state.maximum(), state.rescalings());
       }}});
KILLS("the maximum is left out of the logarithm",
      {.in_float = {.split_log_sum = [](auto& x, auto& parts) {
         const auto state = merged_state(x, parts);
         return std::pair(std::log(state.sum()), state.rescalings());
       }}});

}  // namespace sqrtdk::properties::OnePassError

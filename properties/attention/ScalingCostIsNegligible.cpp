#include <sqrtdk/attention.hpp>
#include <sqrtdk/attention/operations.hpp>

#include "properties/attention/fixture.hpp"

namespace sqrtdk::properties::ScalingCostIsNegligible {

/// A number that counts what is done with it.
struct Counted {
  double value = 0;
  static inline OperationCounts counts;

  Counted() = default;
  Counted(double x) : value(x) {}  // NOLINT: a scalar is made of numbers

  Counted& operator+=(const Counted& x) {
    ++counts.additions;
    value += x.value;
    return *this;
  }
  friend Counted operator+(Counted x, const Counted& y) { return x += y; }
  friend Counted operator*(const Counted& x, const Counted& y) {
    ++counts.multiplications;
    return x.value * y.value;
  }
  friend Counted operator/(const Counted& x, const Counted& y) {
    ++counts.divisions;
    return x.value / y.value;
  }
  friend bool operator==(const Counted& x, const Counted& y) { return x.value == y.value; }
  friend Counted sqrt(const Counted& x) {
    ++counts.roots;
    return std::sqrt(x.value);
  }
};

}  // namespace sqrtdk::properties::ScalingCostIsNegligible

/// \cond  Doxygen does not know the namespaces of Eigen.
template <>
struct Eigen::NumTraits<sqrtdk::properties::ScalingCostIsNegligible::Counted>
    : Eigen::NumTraits<double> {
  using Real = sqrtdk::properties::ScalingCostIsNegligible::Counted;
  using NonInteger = Real;
  using Nested = Real;
  using Literal = Real;
};

template <>
struct sqrtdk::testing::is_exact<sqrtdk::OperationCounts> : std::true_type {};
/// \endcond

namespace sqrtdk::properties::ScalingCostIsNegligible {

/// The operations of the scores, counted in the library's own code.
OperationCounts counted(std::size_t n, std::size_t m, std::size_t d, ScalePlace place,
                        ScaleKind kind) {
  const auto ones = [](std::size_t rows, std::size_t columns) {
    return Matrix<Counted>(Matrix<Counted>::Constant(static_cast<Index>(rows),
                                                     static_cast<Index>(columns), Counted(1)));
  };
  const Matrix<Counted> queries = ones(n, d);
  const Matrix<Counted> keys = ones(m, d);
  std::optional<Counted> scale;
  if (kind == ScaleKind::given) scale = Counted(3);
  Counted::counts = {};
  if (place == ScalePlace::scores)
    attention_scores(queries, keys, scale);
  else
    attention_scores(fold_scale(queries, scale), keys, Counted(1));
  return Counted::counts;
}

struct Subject {
  OperationCounts (*operations)(std::uint64_t, std::uint64_t, std::uint64_t, ScalePlace,
                                ScaleKind) = sqrtdk::score_operations;
  Rational (*share)(std::uint64_t, std::uint64_t, ScalePlace) = sqrtdk::scaling_share;
};

template <class Change>
OperationCounts changed(std::uint64_t n, std::uint64_t m, std::uint64_t d, ScalePlace place,
                        ScaleKind kind, Change change) {
  OperationCounts counts = score_operations(n, m, d, place, kind);
  change(counts);
  return counts;
}

//! [ScalingCostIsNegligible]
STATEMENT(ScalingCostIsNegligible, TheCountsAreThoseOfTheCode) {
  for (const ScaleKind kind : {ScaleKind::root, ScaleKind::given})
    for (const ScalePlace place : {ScalePlace::scores, ScalePlace::queries})
      for (std::size_t n = 1; n <= 4; ++n)
        for (std::size_t m = 1; m <= 4; ++m)
          for (std::size_t d = 1; d <= 9; ++d) {
            EXPECT_EXACTLY(subject.operations(n, m, d, place, kind) ==
                           counted(n, m, d, place, kind))
                << n << " queries, " << m << " keys, d = " << d;
            enumerated(1);
          }
}
//! [ScalingCostIsNegligible]
KILLS("as many additions as multiplications",
      {.operations = [](auto n, auto m, auto d, ScalePlace place, ScaleKind kind) {
        return changed(n, m, d, place, kind, [&](auto& c) { c.additions = n * m * d; });
      }});
KILLS("queries and keys are multiplied once",
      {.operations = [](auto n, auto m, auto d, ScalePlace place, ScaleKind kind) {
        return changed(n, m, d, place, kind, [&](auto& c) { c.multiplications = (n + m) * d; });
      }});
KILLS("every product is divided",
      {.operations = [](auto n, auto m, auto d, ScalePlace place, ScaleKind kind) {
        return changed(n, m, d, place, kind, [&](auto& c) { c.divisions = n * m * d; });
      }});
KILLS("folding divides keys",
      {.operations = [](auto n, auto m, auto d, ScalePlace place, ScaleKind kind) {
        return changed(n, m, d, place, kind, [&](auto& c) {
          if (place == ScalePlace::queries) c.divisions = m * d;
        });
      }});
KILLS("a root for every score",
      {.operations = [](auto n, auto m, auto d, ScalePlace place, ScaleKind kind) {
        return changed(n, m, d, place, kind, [&](auto& c) { c.roots *= n * m; });
      }});
KILLS("a scale that is given takes a root too",
      {.operations = [](auto n, auto m, auto d, ScalePlace place, ScaleKind kind) {
        return changed(n, m, d, place, kind, [&](auto& c) { c.roots = 1; });
      }});
KILLS("a scale that is given is divided by",
      {.operations = [](auto n, auto m, auto d, ScalePlace place, ScaleKind) {
        return changed(n, m, d, place, ScaleKind::root, [&](auto& c) { c.roots = 0; });
      }});

//! [ScalingCostIsNegligible: exact check]
STATEMENT(ScalingCostIsNegligible, TheShareIsOneInTwoDLessOne) {
  for_all([&] {
    const auto m = *rc::gen::inRange<std::uint64_t>(1, 100000).as("keys");
    const auto d = *rc::gen::inRange<std::uint64_t>(1, 10000).as("d");
    EXPECT_EXACTLY(subject.share(m, d, ScalePlace::scores) == Rational(1) / Rational(2 * d - 1));
    EXPECT_EXACTLY(subject.share(m, d, ScalePlace::queries) ==
                   Rational(d) / (Rational(m) * Rational(2 * d - 1)));
  });
  // A part of less than one in a hundred, from heads of 64 features on.
  expect_confirmed("S3", "The cost is negligible",
                   subject.share(512, 64, ScalePlace::scores) < Rational(1, 100));
  const auto percent = [](const Rational& share) {
    return format_significant(100 * share.convert_to<double>(), 4);
  };
  record_value("percent_at_64", percent(subject.share(512, 64, ScalePlace::scores)));
  record_value("percent_at_128", percent(subject.share(512, 128, ScalePlace::scores)));
  record_value("percent_folded_at_4096_keys",
               percent(subject.share(4096, 64, ScalePlace::queries)));
}
//! [ScalingCostIsNegligible: exact check]
KILLS("the share of the multiplications only",
      {.share = [](auto, auto d, ScalePlace) { return Rational(1) / Rational(d); }});
KILLS("folding costs as much", {.share = [](auto m, auto d, ScalePlace) {
        return scaling_share(m, d, ScalePlace::scores);
      }});

ASIDE(ScalingCostIsNegligible, FoldingPaysForMoreKeysThanFeatures) {
  for (std::uint64_t m = 1; m <= 32; ++m)
    for (std::uint64_t d = 1; d <= 32; ++d) {
      const bool pays =
          subject.operations(7, m, d, ScalePlace::queries, ScaleKind::root).divisions <
          subject.operations(7, m, d, ScalePlace::scores, ScaleKind::root).divisions;
      EXPECT_EXACTLY(pays == (d < m)) << m << " keys, d = " << d;
      enumerated(1);
    }
  counterexample_without("more keys than features");
}
KILLS("folding always pays",
      {.operations = [](auto n, auto m, auto d, ScalePlace place, ScaleKind kind) {
        return changed(n, m, d, place, kind, [&](auto& c) {
          if (place == ScalePlace::queries) c.divisions = n;
        });
      }});

ASIDE(ScalingCostIsNegligible, AtOneFeatureThereAreAsManyDivisionsAsProducts) {
  EXPECT_EXACTLY(subject.share(10, 1, ScalePlace::scores) == 1);
  enumerated(1);
  counterexample_without("wide heads");
}
KILLS("the share never exceeds a tenth", {.share = [](auto m, auto d, ScalePlace place) {
        return std::min(scaling_share(m, d, place), Rational(1, 10));
      }});

ASIDE(ScalingCostIsNegligible, RefusesWhatHasNoScores) {
  expect_refusal<std::domain_error>(
      [&] { subject.operations(1, 1, 0, ScalePlace::scores, ScaleKind::root); },
      "the dimension is 0, but must be at least 1");
  expect_refusal<std::domain_error>([&] { subject.share(0, 1, ScalePlace::scores); },
                                    "the number of keys is 0, but must be at least 1");
  expect_refusal<std::domain_error>([&] { subject.share(1, 0, ScalePlace::scores); },
                                    "the dimension is 0, but must be at least 1");
}
KILLS("a width of zero is free",
      {.operations = [](auto n, auto m, auto d, ScalePlace place, ScaleKind kind) {
        return d == 0 ? OperationCounts() : score_operations(n, m, d, place, kind);
      }});
KILLS("no keys cost nothing", {.share = [](auto m, auto d, ScalePlace place) {
        return m == 0 ? Rational(0) : scaling_share(m, d, place);
      }});

ASIDE(ScalingCostIsNegligible, RefusesCountsBeyondSixtyFourBits) {
  constexpr std::uint64_t large = std::uint64_t{1} << 32U;
  constexpr ScaleKind root = ScaleKind::root;
  for (const ScalePlace place : {ScalePlace::scores, ScalePlace::queries}) {
    expect_refusal<std::overflow_error>(
        [&] { subject.operations(large, large, 1, place, root); },
        "the number of operations is 18446744073709551616, but must be below 2^64");
    expect_refusal<std::overflow_error>(
        [&] { subject.operations(large, 0, large, place, root); },
        "the number of operations is 18446744073709551616, but must be below 2^64");
    expect_refusal<std::overflow_error>(
        [&] { subject.share(large, large, place); },
        "the number of operations is 18446744073709551616, but must be below 2^64");
    // Half of too many products, and as many multiplications by the scale, or a few.
    const std::uint64_t m = place == ScalePlace::scores ? large / 2 : 1;
    const std::uint64_t d = large / 2 / m;
    expect_refusal<std::overflow_error>(
        [&] { subject.operations(large, m, d, place, ScaleKind::given); });
  }
}
KILLS("counts begin anew at 2^64",
      {.operations = [](auto n, auto m, auto d, ScalePlace place, ScaleKind) {
        return OperationCounts{n * m * d, n * m * (d - 1),
                               place == ScalePlace::scores ? n * m : n * d, 1};
      }});
KILLS("only products are counted when it is asked whether they can be",
      {.operations = [](auto n, auto m, auto d, ScalePlace place, ScaleKind kind) {
        OperationCounts counts = score_operations(n, m, d, place);
        if (kind == ScaleKind::given) counts.multiplications += counts.divisions;
        return counts;
      }});

ASIDE(ScalingCostIsNegligible, CountsBelowThatAreRight) {
  constexpr std::uint64_t large = std::uint64_t{1} << 32U;
  for (const ScalePlace place : {ScalePlace::scores, ScalePlace::queries}) {
    EXPECT_EXACTLY(
        subject.operations(large, large - 1, 1, place, ScaleKind::root).multiplications == -large);
    const std::uint64_t m = place == ScalePlace::scores ? large / 2 : 1;
    const std::uint64_t d = large / 2 / m;
    EXPECT_EXACTLY(subject.operations(large, d, m, place, ScaleKind::given).multiplications ==
                   large / 2 * large + large);
  }
  // Products and sums each fit into 64 bits, but not together.
  const Rational others = 2 * Rational(large - 1) - 1;
  EXPECT_EXACTLY(subject.share(large - 1, large - 1, ScalePlace::scores) == 1 / others);
  EXPECT_EXACTLY(subject.share(large - 1, large - 1, ScalePlace::queries) == 1 / others);
  EXPECT_EXACTLY(subject.share(1, large / 2 * large + 1, ScalePlace::scores) ==
                 1 / (Rational(large) * Rational(large) + 1));
}
KILLS("products are counted in 32 bits",
      {.operations = [](auto n, auto m, auto d, ScalePlace place, ScaleKind kind) {
        return changed(n, m, d, place, kind, [](auto& c) { c.multiplications %= 1ULL << 32U; });
      }});
KILLS("products and sums are added in 64 bits",
      {.share = [](auto m, auto d, ScalePlace place) -> Rational {
        const OperationCounts counts = score_operations(1, m, d, place);
        return Rational(counts.divisions) / Rational(counts.multiplications + counts.additions);
      }});

}  // namespace sqrtdk::properties::ScalingCostIsNegligible

#include "properties/softmax_jacobian/fixture.hpp"
#include "properties/support/vectors.hpp"

#include <boost/math/constants/constants.hpp>

namespace sqrtdk::properties::WhichNorm {

const std::vector<Rational> five_scores = {Rational(92, 10), Rational(-31, 10), Rational(88, 10),
                                           Rational(-54, 10), Rational(12, 10)};
const std::vector<Rational> five_scores_divided = {
    Rational(92, 80), Rational(-31, 80), Rational(88, 80), Rational(-54, 80), Rational(12, 80)};
const std::vector<Rational> five_scores_printed = {Rational(115, 100), Rational(-39, 100),
                                                   Rational(110, 100), Rational(-68, 100),
                                                   Rational(15, 100)};

const Rational coarse(1, 1024);

/// Expects enclosures to hold a matrix's norms; its largest eigenvalue by exact elimination.
void expect_norms_of_matrix(const JacobianNorms& norms, const std::vector<Rational>& logits) {
  Vector<Rational> p(static_cast<Index>(logits.size()));
  for (Index i = 0; i < p.size(); ++i)
    p[i] = softmax_enclosure(logits)[static_cast<std::size_t>(i)].lower;
  p[0] += 1 - p.sum();  // no more than the enclosures leave open
  const Matrix<Rational> jacobian = softmax_jacobian(p);
  const auto expect_held = [](const Interval<Rational>& exact, const Rational& value,
                              const char* what) {
    EXPECT_EXACTLY((exact.lower <= value && value <= exact.upper)) << what;
  };
  expect_held(norms.trace, jacobian.trace(), "trace");
  expect_held(norms.squared_frobenius, jacobian.squaredNorm(), "squared Frobenius norm");
  const Index n = p.size();
  EXPECT_EXACTLY(is_positive_semidefinite(scalar_matrix(n, norms.spectral.upper) - jacobian));
  EXPECT_EXACTLY(!is_positive_semidefinite(scalar_matrix(n, norms.spectral.lower) - jacobian));
}

/// E‖J‖² for two or three scores of spread β by the trapezoidal rule in the scores themselves,
/// which leaves out the mean of the scores: it shares nothing with mean_jacobian_squared_norm().
double mean_square_by_scores(std::size_t n, double spread) {
  const double h = n == 2 ? 1.0 / 64 : 1.0 / 8;
  const int reach = static_cast<int>(9 / h);
  const auto at = [&](int a, int b) {
    const double x = a * h, y = b * h;
    Vector<double> z(static_cast<Index>(n));
    // Orthogonal directions without a mean: (1, −1)/√2, and (1, −1, 0)/√2, (1, 1, −2)/√6.
    if (n == 2)
      z << x / std::sqrt(2), -x / std::sqrt(2);
    else
      z << x / std::sqrt(2) + y / std::sqrt(6), -x / std::sqrt(2) + y / std::sqrt(6),
          -2 * y / std::sqrt(6);
    const double norm = frobenius_norm_of(softmax(Vector<double>(spread * z)));
    return norm * norm * std::exp(-(x * x + y * y) / 2);
  };
  const double root = std::sqrt(boost::math::constants::two_pi<double>());
  double sum = 0;
  for (int a = -reach; a <= reach; ++a)
    for (int b = n == 2 ? 0 : -reach; b <= (n == 2 ? 0 : reach); ++b) sum += at(a, b);
  return n == 2 ? sum * h / root : sum * h * h / (root * root);
}

//! [WhichNorm]
STATEMENT(WhichNorm, BySoftmaxsOwnInputItIsLargerForAnyScores) {
  for_all([&] {
    // e^(s/√d) = w, so that e^s = w^√d.
    const Vector<Rational> p = any_weights(1, 6);
    const int root = *rc::gen::inRange(2, 9).as("√d");
    Vector<Rational> powers = p;
    for (int i = 1; i < root; ++i) powers = powers.cwiseProduct(p);
    const Rational unscaled = subject.trace(normalized_weights(powers));
    const bool all_equal = p.minCoeff() == p.maxCoeff();
    EXPECT_EXACTLY((all_equal ? unscaled == subject.trace(p) : unscaled < subject.trace(p)));
  });
  Vector<Rational> p = tenths({6, 4});
  EXPECT_EXACTLY(subject.trace(normalized_weights(Vector<Rational>(p.cwiseAbs2()))) <
                 subject.trace(p));
}
//! [WhichNorm]
KILLS("the trace is that of equal weights",
      {.trace = [](auto& p) { return 1 - Rational(1, p.size()); }});

STATEMENT(WhichNorm, FrobeniusAndSpectralNormGoEitherWay) {
  const auto weights = [](const std::vector<Rational>& exponentials) {
    return normalized_weights(vector_of(exponentials));
  };
  const auto expect_spectral = [&](const Vector<Rational>& p, const std::vector<Rational>& v,
                                   const Rational& norm) {
    const auto [least, greatest] = subject.spectral_norm(p, narrow);
    EXPECT_EXACTLY((least <= norm && norm <= greatest)) << norm;
    EXPECT_EXACTLY(softmax_jacobian(p) * vector_of(v) == norm * vector_of(v));
  };
  // Two leaders: e^s = (4, 4, 1), halved (2, 2, 1). Both norms fall, and the trace rises.
  const Vector<Rational> two = weights({4, 4, 1}), two_halved = weights({2, 2, 1});
  expect_spectral(two, {1, -1, 0}, Rational(4, 9));
  expect_spectral(two_halved, {1, -1, 0}, Rational(2, 5));
  EXPECT_EXACTLY(subject.squared_norm(two) == Rational(160, 729));
  EXPECT_EXACTLY(subject.squared_norm(two_halved) == Rational(136, 625));
  EXPECT_EXACTLY(subject.trace(two) < subject.trace(two_halved));
  // One leader: e^s = (4, 1, 1), halved (2, 1, 1). All three rise.
  const Vector<Rational> one = weights({4, 1, 1}), one_halved = weights({2, 1, 1});
  expect_spectral(one, {2, -1, -1}, Rational(1, 3));
  expect_spectral(one_halved, {2, -1, -1}, Rational(3, 8));
  EXPECT_EXACTLY(subject.squared_norm(one) == Rational(5, 36));
  EXPECT_EXACTLY(subject.squared_norm(one_halved) == Rational(13, 64));
  EXPECT_EXACTLY(subject.trace(one) < subject.trace(one_halved));
  enumerated(4);
}
KILLS("the spectral norm is halved", {.spectral_norm = [](auto& p, auto& width) {
        const auto right = jacobian_spectral_norm(p, width);
        return Interval<Rational>{right.lower / 2, right.upper / 2};
      }});

//! [WhichNorm: exact check]
STATEMENT(WhichNorm, TheFiveScoresInThreeNorms) {
  const auto record = [&](const std::string& row, const std::vector<Rational>& scores) {
    const JacobianNorms norms = subject.norms(scores, narrow);
    expect_norms_of_matrix(norms, scores);
    record_norms(row, norms, 3);
    return norms;
  };
  const JacobianNorms raw = record("raw", five_scores);
  const JacobianNorms divided = record("divided", five_scores_divided);
  record("printed", five_scores_printed);
  EXPECT_EXACTLY(raw.trace.upper < divided.trace.lower);
  EXPECT_EXACTLY(raw.squared_frobenius.lower > divided.squared_frobenius.upper);
  EXPECT_EXACTLY(raw.spectral.lower > divided.spectral.upper);
  enumerated(3);
}
//! [WhichNorm: exact check]
KILLS("Σp³ in the place of (Σp²)², for given scores", {.norms = [](auto& x, auto& width) {
        JacobianNorms norms = jacobian_norms(x, width);
        Rational square = 0, cube = 0;
        for (const Interval<Rational>& weight : softmax_enclosure(x)) {
          square += weight.lower * weight.lower;
          cube += weight.lower * weight.lower * weight.lower;
        }
        norms.squared_frobenius = {square - cube, square - cube};
        return norms;
      }});
KILLS("the spectral norm is p₁(1 − p₁), for given scores", {.norms = [](auto& x, auto& width) {
        JacobianNorms norms = jacobian_norms(x, width);
        const Rational first = softmax_enclosure(x)[0].lower;
        norms.spectral = {first * (1 - first), first * (1 - first)};
        return norms;
      }});

ASIDE(WhichNorm, TheNormAndTheVariableDecide) {
  const JacobianNorms raw = subject.norms(five_scores, narrow);
  const JacobianNorms divided = subject.norms(five_scores_divided, narrow);
  EXPECT_EXACTLY(raw.squared_frobenius.lower > divided.squared_frobenius.upper);
  EXPECT_EXACTLY(raw.spectral.lower > divided.spectral.upper);
  counterexample_without("trace norm");

  // By the raw scores the derivative of the divided row has the factor 1/8 as well.
  const JacobianNorms by_raw = subject.norms_by_raw_scores(five_scores, 8, narrow);
  EXPECT_EXACTLY(raw.trace.lower > by_raw.trace.upper);
  EXPECT_EXACTLY((64 * by_raw.squared_frobenius.lower <= divided.squared_frobenius.upper &&
                  divided.squared_frobenius.lower <= 64 * by_raw.squared_frobenius.upper));
  EXPECT_EXACTLY((8 * by_raw.spectral.lower <= divided.spectral.upper &&
                  divided.spectral.lower <= 8 * by_raw.spectral.upper));
  counterexample_without("own input");
  record_norms("by_raw_scores", by_raw, 4);
  enumerated(3);
}
KILLS("by the raw scores, without the factor of the chain rule",
      {.norms_by_raw_scores = [](auto& s, auto& c, auto& width) {
        std::vector<Rational> x = s;
        for (Rational& logit : x) logit /= c;
        return jacobian_norms(x, width);
      }});
KILLS("by the raw scores, the factor of the chain rule in the square too, once",
      {.norms_by_raw_scores = [](auto& s, auto& c, auto& width) {
        JacobianNorms norms = raw_score_jacobian_norms(s, c, width);
        norms.squared_frobenius.lower *= c;
        norms.squared_frobenius.upper *= c;
        return norms;
      }});

STATEMENT(WhichNorm, TheSpectralNormIsTheLargestEigenvalue) {
  const auto is_enclosed = [&](const Vector<Rational>& p) {
    const auto [least, greatest] = subject.spectral_norm(p, coarse);
    const Matrix<Rational> jacobian = softmax_jacobian(p);
    // No eigenvalue exceeds `greatest`, and one exceeds `least` less anything.
    return greatest - least <= coarse &&
           is_positive_semidefinite(scalar_matrix(p.size(), greatest) - jacobian) &&
           !is_positive_semidefinite(scalar_matrix(p.size(), least - coarse) - jacobian);
  };
  for (const auto& p : {tenths({10}), tenths({10, 0, 0}), tenths({5, 5}), tenths({4, 4, 2}),
                        tenths({5, 4, 1}), tenths({6, 3, 1, 0})})
    EXPECT_EXACTLY(is_enclosed(p)) << p.transpose();
  for_all([&] { EXPECT_EXACTLY(is_enclosed(any_weights(1, 5, true))); });
}
KILLS("the largest diagonal entry is the spectral norm",
      {.spectral_norm = [](auto& p, auto&) -> Interval<Rational> {
        const Rational top = p.maxCoeff() * (1 - p.maxCoeff());
        return {top, top};
      }});
KILLS("the runner-up's weight is the spectral norm",
      {.spectral_norm = [](auto& p, auto&) -> Interval<Rational> {
        const Rational second = jacobian_norm_bounds(p).lower;
        return {second, second};
      }});

STATEMENT(WhichNorm, TheNormsHoldEachOther) {
  for_all([&] {
    const Vector<Rational> p = any_weights(2, 6, true);
    const Rational trace = subject.trace(p), square = subject.squared_norm(p);
    const auto [least, greatest] = subject.spectral_norm(p, coarse);
    EXPECT_EXACTLY(square <= greatest * trace);
    EXPECT_EXACTLY(least * least <= square);
    EXPECT_EXACTLY(square <= trace * (1 - trace));
  });
  // Equality in the last: k equal weights, the others 0; at two halves both are 1/4.
  for (Index k = 1; k <= 6; ++k) {
    Vector<Rational> p = Vector<Rational>::Zero(7);
    p.head(k).setConstant(Rational(1, k));
    EXPECT_EXACTLY(subject.squared_norm(p) == subject.trace(p) * (1 - subject.trace(p)));
  }
  EXPECT_EXACTLY(subject.squared_norm(tenths({5, 0, 5})) == Rational(1, 4));
}
KILLS("2Σp³ is added", {.squared_norm = [](auto& p) {
        return jacobian_squared_norm(p) + 4 * p.array().cube().sum();
      }});
KILLS("Σp² alone", {.squared_norm = [](auto& p) { return p.squaredNorm(); }});

double mean_cubes(std::size_t n, double spread) { return key_integrals(n, spread).cubes; }

STATEMENT(WhichNorm, TheMeanSquareIsThatOfAnIntegralOverScores) {
  evidence().rests_on(EvidenceLevel::bounded);
  // Half a bound more than enough for the other rule, as the page counts.
  for (const auto& [n, spread] : {std::pair{2U, 1.0}, {2U, 8.0}, {3U, 1.0}, {3U, 2.0}})
    expect_near(subject.mean_squared_norm(n, spread),
                memoized<mean_square_by_scores>(std::size_t{n}, spread), 1.5 * integral_error_bound,
                std::to_string(n) + " keys, spread " + format_significant(spread, 3));
  enumerated(4);
}
KILLS("2E Σp³ is added", {.mean_squared_norm = [](auto n, double b) {
        return memoized<mean_jacobian_squared_norm>(n, b) + 4 * memoized<mean_cubes>(n, b);
      }});
KILLS("E Σp³ in the place of E(Σp²)²", {.mean_squared_norm = [](auto n, double b) {
        return 1 - memoized<mean_jacobian_trace>(n, b) - memoized<mean_cubes>(n, b);
      }});
KILLS("the mean of a square is the square of the mean", {.mean_squared_norm = [](auto n, double b) {
        const double squares = 1 - memoized<mean_jacobian_trace>(n, b);
        return squares - 2 * memoized<mean_cubes>(n, b) + squares * squares;
      }});

STATEMENT(WhichNorm, InTheMeanTheNormsPartWithManyKeys) {
  evidence().rests_on(EvidenceLevel::bounded);
  constexpr double error = 4 * integral_error_bound;
  const auto root = [&](std::size_t n, double spread) {
    return std::sqrt(subject.mean_squared_norm(n, spread));
  };
  // The least number of keys with the larger mean square without scaling, by halving.
  std::size_t fewer = 16, crossing = 64;
  while (crossing - fewer > 1) {
    const std::size_t middle = (fewer + crossing) / 2;
    (subject.mean_squared_norm(middle, 8) < subject.mean_squared_norm(middle, 1) ? fewer
                                                                                 : crossing) =
        middle;
  }
  record_value("fewer", std::to_string(fewer));
  record_value("crossing", std::to_string(crossing));
  std::vector<std::size_t> counts = {5, fewer, crossing};
  for (std::size_t n = 2; n <= 4096; n *= 2) counts.push_back(n);
  for (const std::size_t n : counts) {
    const double unscaled = subject.mean_squared_norm(n, 8);
    const double scaled = subject.mean_squared_norm(n, 1);
    EXPECT_GT(subject.mean_trace(n, 1), subject.mean_trace(n, 8) + error) << n << " keys";
    EXPECT_GT((n < crossing ? 1 : -1) * (scaled - unscaled), error) << n << " keys";
    // By the raw scores, both norms are larger without scaling.
    EXPECT_GT(subject.mean_trace(n, 8), subject.mean_trace(n, 1) / 8 + error) << n << " keys";
    EXPECT_GT(unscaled, scaled / 64 + error) << n << " keys";

    // 2E‖J‖² ≤ E‖J‖ ≤ √E‖J‖², and the spectral norm from n/(n − 1) of the mean square on;
    // compared by their squares, since a root has a larger error.
    const double more = static_cast<double>(n) / static_cast<double>(n - 1);
    if (n <= 8) {
      EXPECT_LT(unscaled + error, std::pow(2 * (scaled - error), 2)) << n << " keys, Frobenius";
    }
    if (n <= 4) {
      EXPECT_LT(unscaled + error, std::pow(more * (scaled - error), 2)) << n << " keys, spectral";
    }
    if (n >= 128) {
      EXPECT_GT(std::pow(2 * (unscaled - error), 2), scaled + error) << n << " keys, Frobenius";
    }
    if (n >= 512) {
      EXPECT_GT(std::pow(more * (unscaled - error), 2), scaled + error) << n << " keys, spectral";
    }
  }
  for (const std::size_t n : {2U, 5U, 16U, 32U, 64U, 512U, 4096U}) {
    const std::string keys = "_for_" + std::to_string(n);
    record_value("trace_unscaled" + keys, format_fixed(subject.mean_trace(n, 8), 3));
    record_value("trace_scaled" + keys, format_fixed(subject.mean_trace(n, 1), 3));
    record_value("root_unscaled" + keys, format_fixed(root(n, 8), 3));
    record_value("root_scaled" + keys, format_fixed(root(n, 1), 3));
  }
  std::vector<std::vector<double>> rows;
  for (std::size_t n = 2; n <= 4096; n *= 2)
    rows.push_back({static_cast<double>(n), subject.mean_trace(n, 8), subject.mean_trace(n, 1),
                    root(n, 8), root(n, 1)});
  write_figure_data("jacobian_norms",
                    {"n", "trace_unscaled", "trace_scaled", "root_unscaled", "root_scaled"}, rows);
  enumerated(std::size(counts));
}
KILLS("the trace norm, squared", {.mean_squared_norm = [](auto n, double b) {
        const double trace = memoized<mean_jacobian_trace>(n, b);
        return trace * trace;
      }});
KILLS("the mean trace is the root mean square of the Frobenius norm",
      {.mean_trace = [](auto n, double b) {
        return std::sqrt(memoized<mean_jacobian_squared_norm>(n, b));
      }});

ASIDE(WhichNorm, RefusesWhatHasNoNorm) {
  expect_refusal<std::domain_error>([&] { subject.spectral_norm(tenths({5, 5}), 0); });
  expect_refusal<std::domain_error>([&] { subject.spectral_norm(tenths({-1, 11}), 1); });
  expect_refusal<std::invalid_argument>([&] { subject.norms({}, 1); });
  expect_refusal<std::domain_error>([&] { subject.norms_by_raw_scores(five_scores, 0, 1); });
  expect_refusal<std::domain_error>([&] { subject.mean_squared_norm(1, 1); });
  expect_refusal<std::domain_error>([&] { subject.mean_squared_norm(2, 65); });
}
KILLS("a width of 0 is accepted", {.spectral_norm = [](auto& p, auto& width) {
        return width == 0 ? jacobian_norm_bounds(p) : jacobian_spectral_norm(p, width);
      }});
KILLS("a divisor of 0 is accepted", {.norms_by_raw_scores = [](auto& s, auto& c, auto& width) {
        return c == 0 ? jacobian_norms(s, width) : raw_score_jacobian_norms(s, c, width);
      }});

}  // namespace sqrtdk::properties::WhichNorm

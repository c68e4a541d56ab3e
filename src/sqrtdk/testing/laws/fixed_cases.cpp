#include <sqrtdk/testing/laws/fixed_cases.hpp>

#include <cmath>
#include <initializer_list>
#include <numbers>
#include <random>
#include <utility>

namespace sqrtdk::testing {

namespace {

using Case = AttentionCase<double>;
using Cases = std::vector<Case>;
using Index = Eigen::Index;
using enum CausalAlignment;

/// A score, or a bias, of what is masked.
constexpr double hidden = -std::numeric_limits<double>::infinity();

/// Lengths at which vectors, blocks and tiles end, or have just begun.
constexpr int lengths[] = {1, 2, 33, 65, 129};
/// The sizes all of which occur, each once: a number below a prime.
constexpr int small = 130;
/// The sizes around which larger ones are.
constexpr int tiles[] = {192, 256, 384, 512, 768, 1024};
/// The head dimensions that ship.
constexpr int dimensions[] = {64, 72, 80, 96, 128, 192, 256};

/// Random numbers that are the same with any library.
class Noise {
 public:
  explicit Noise(std::uint64_t seed) : bits(seed) {}

  /// From 0 to `count` − 1.
  int below(int count) { return static_cast<int>(bits() % static_cast<unsigned>(count)); }

  /// Between −2 and 2, of all digits.
  Matrix<double> matrix(Index rows, Index columns) {
    return Matrix<double>::NullaryExpr(rows, columns, [&](Index, Index) {
      return std::ldexp(static_cast<double>(bits() >> 11U), -51) - 2;
    });
  }

 private:
  std::mt19937_64 bits;
};

Matrix<double> filled(Index rows, Index columns, double (*entry)(double i, double j)) {
  return Matrix<double>::NullaryExpr(rows, columns, [=](Index i, Index j) {
    return entry(static_cast<double>(i), static_cast<double>(j));
  });
}

Matrix<double> cotangent(Index n, Index d_v) {
  return filled(n, d_v, [](double i, double j) { return 1 + 2 * std::sin(3 * i + j); });
}

Case made(Matrix<double> queries, Matrix<double> keys, Matrix<double> values) {
  Case input{std::move(queries), std::move(keys), std::move(values), {}, {}};
  input.output_gradient = cotangent(input.queries.rows(), input.values.cols());
  return input;
}

Case of_size(Noise& noise, int n, int m, int d, int d_v) {
  Matrix<double> q = noise.matrix(n, d), k = noise.matrix(m, d);
  return made(std::move(q), std::move(k), noise.matrix(m, d_v));
}

/// The same case with other options.
template <class Change>
Case with(Case input, Change change) {
  change(input.options);
  return input;
}

/// A mask by rows and columns.
template <class Seen>
Matrix<bool> mask(Index n, Index m, Seen seen) {
  return Matrix<bool>::NullaryExpr(n, m, seen);
}

/// One key that matters, at either end of a block, with each kind of mask.
void add_blocks(Cases& cases, int m, int place) {
  const int n = m < 3 ? 3 * m - 2 : 2;
  const Matrix<double> one = Matrix<double>::Ones(1, 1);
  Matrix<double> of_place = Matrix<double>::Zero(m, 1);
  of_place(place) = 1;
  cases.push_back(made(one, of_place, Matrix<double>::Ones(m, 1)));
  cases.push_back(made(one, of_place, of_place));
  // Numbers that no format has exactly, so that each rounding is seen.
  Case input = made(filled(n, 4, [](double i, double j) { return 2 + 3 * std::cos(4 * i + j); }),
                    filled(m, 4, [](double i, double j) { return std::sin(4 * i + j); }),
                    Matrix<double>::Zero(m, 2));
  input.keys.row(place).setConstant(2);
  input.values.row(place) << 1, -3;
  cases.push_back(input);
  input.values.setOnes();
  cases.push_back(input);
  for (Index i = 0; i < m; ++i)
    for (Index j = 0; j < 2; ++j) input.values(i, j) = static_cast<double>(2 * i + j) / m - 0.7;
  cases.push_back(input);
  cases.back().sink = 1;
  const Matrix<bool> only = mask(n, m, [=](Index, Index j) { return j == place; });
  const Matrix<bool> others = !only.array();
  const Matrix<bool> but_last = mask(n, m, [=](Index i, Index) { return i < n - 1; });
  // Biases that differ along a row: softmax does not see those that do not.
  Matrix<double> waves = filled(n, m, [](double i, double j) { return std::cos(7 * i + j); });
  cases.push_back(with(input, [](auto& options) { options.scale = 0.25; }));
  for (const CausalAlignment causal : {top_left, bottom_right}) {
    cases.push_back(with(input, [=](auto& options) { options.causal = causal; }));
    cases.push_back(with(cases.back(), [&](auto& options) { options.allowed = others; }));
  }
  for (const Matrix<bool>& allowed : {only, others, but_last})
    cases.push_back(with(input, [&](auto& options) { options.allowed = allowed; }));
  cases.push_back(with(cases.back(), [&](auto& options) { options.bias = waves; }));
  waves.col(m - 1 - place).setConstant(hidden);
  cases.push_back(with(input, [&](auto& options) { options.bias = waves; }));
  waves.array() -= 200;
  cases.push_back(with(input, [&](auto& options) { options.bias = waves; }));
}

/// Each size up to 130 once for each of queries, keys, features and values.
void add_small(Cases& cases, const CaseSizes& most) {
  Noise noise(1);
  const auto within = [](int size, int limit) { return (size - 1) % limit + 1; };
  for (int i = 1; i <= small; ++i)
    cases.push_back(of_size(noise, within(i * 37 % (small + 1), most.queries), within(i, most.keys),
                            within(i * 53 % (small + 1), most.features),
                            within(i * 71 % (small + 1), most.values)));
}

/// As many keys as queries, as a prompt has them, with each kind of mask.
void add_squares(Cases& cases, const CaseSizes& most) {
  Noise noise(6);
  for (const int n : {7, 8, 10, 16, 31, 32, 33, 63, 64, 65, 96, 127, 128, 129, 192, 256, 257}) {
    if (n > most.queries || n > most.keys) continue;
    const Case input = of_size(noise, n, n, 8, 4);
    cases.push_back(with(input, [](auto& options) { options.causal = top_left; }));
    if (n % 32 != 1) continue;
    cases.push_back(with(input, [&](auto& options) {
      options.allowed = mask(n, n, [&](Index, Index) { return noise.below(3) > 0; });
    }));
    cases.push_back(with(input, [&](auto& options) { options.bias = noise.matrix(n, n); }));
  }
}

/// A case with each kind of mask, with scores that are far apart, and with ones far below 0.
void add_variants(Cases& cases, const Case& input, Noise& noise) {
  const Index n = input.queries.rows(), m = input.keys.rows();
  for (const CausalAlignment causal : {top_left, bottom_right})
    cases.push_back(with(input, [=](auto& options) { options.causal = causal; }));
  cases.push_back(with(input, [&](auto& options) {
    options.allowed = mask(n, m, [&](Index, Index) { return noise.below(3) > 0; });
  }));
  for (const double far : {0.0, -200.0})
    cases.push_back(with(
        input, [&](auto& options) { options.bias = (noise.matrix(n, m).array() + far).matrix(); }));
  cases.push_back(input);
  cases.back().queries *= 512;
  cases.push_back(input);
  cases.back().queries.array() -= 4;
  cases.back().keys.array() += 4;
}

/// Head dimensions that ship, and sizes around multiples of 64 by seed: of keys, and of queries.
void add_large(Cases& cases, const CaseSizes& most, std::uint64_t seed) {
  Noise noise(seed);
  for (const int d : dimensions) add_variants(cases, of_size(noise, 9, 70, d, d), noise);
  const auto dimension = [&](int limit) {
    return std::min(dimensions[noise.below(std::size(dimensions))], limit);
  };
  const int few[] = {1, 3, 17, 64, 65, 129};
  for (const int tile : tiles)
    for (const int end : {-1, 0, 1}) {
      const int size = tile + end, d = dimension(most.features);
      // Values as wide as keys, or not.
      const int d_v = std::min(noise.below(3) > 0 ? d : dimension(most.values), most.values);
      const int n = std::min(few[noise.below(size > 400 ? 3 : 6)], most.queries);
      const int m = std::min(few[noise.below(6)], most.keys);
      if (size <= most.keys) cases.push_back(of_size(noise, n, size, d, d_v));
      if (size <= most.keys && end == 1)
        add_variants(cases, of_size(noise, std::min(3, most.queries), size, d, d_v), noise);
      if (size <= most.queries) cases.push_back(of_size(noise, size, m, d, d_v));
      if (size <= most.queries && end == 1) {
        const Case last = cases.back();
        cases.push_back(with(last, [](auto& options) { options.causal = top_left; }));
      }
    }
}

/// Each query looks at a key of its own, so that the greatest score is at each place of a tile.
Case each_place(int n, int m) {
  const auto circle = [](int count, double radius) {
    Matrix<double> points(count, 2);
    for (int i = 0; i < count; ++i)
      points.row(i) << radius * std::cos(2 * std::numbers::pi * i / count),
          radius * std::sin(2 * std::numbers::pi * i / count);
    return points;
  };
  Noise noise(2);
  return made(circle(n, 16), circle(m, 16), noise.matrix(m, 3));
}

/// Rows whose scores are far below 0, or far above, in numbers that half precision holds.
void add_far(Cases& cases) {
  for (const double far : {-240.0, -10.0, 240.0}) {
    Matrix<double> q(1, 1), k(2, 1), v(2, 1);
    q << far;
    k << std::abs(far), std::abs(far);
    v << 1, 3;
    cases.push_back(made(q, k, v));
    cases.push_back(with(cases.back(), [](auto& options) {
      options.allowed = mask(1, 2, [](Index, Index j) { return j == 0; });
    }));
    cases.push_back(with(cases.back(), [](auto& options) {
      options.allowed.reset();
      options.bias = Matrix<double>::Zero(1, 2);
      (*options.bias)(1) = hidden;
    }));
    Noise noise(3);
    Case input = of_size(noise, 3, 70, 4, 2);
    input.queries.setConstant(far / 4);
    input.keys.array() += std::abs(far) / 4;
    cases.push_back(input);
    cases.push_back(with(input, [](auto& options) { options.causal = top_left; }));
    cases.push_back(with(input, [](auto& options) {
      options.allowed = mask(3, 70, [](Index i, Index j) { return (i + j) % 3 > 0; });
    }));
  }
}

/// Tiles of keys that no query of a tile sees, at the start, in the middle and at the end.
void add_masked_tiles(Cases& cases) {
  Noise noise(4);
  const Case input = of_size(noise, 70, 200, 8, 3);
  const auto add = [&](auto seen) {
    const Matrix<bool> allowed = mask(70, 200, seen);
    cases.push_back(with(input, [&](auto& options) { options.allowed = allowed; }));
    cases.push_back(with(input, [&](auto& options) {
      options.bias = allowed.select(Matrix<double>::Zero(70, 200), hidden);
    }));
  };
  add([](Index, Index j) { return j >= 64; });
  add([](Index, Index j) { return j < 64 || j >= 128; });
  add([](Index, Index j) { return j < 128; });
  add([](Index i, Index j) { return i < 64 ? j < 32 : j >= 192; });
  add([](Index i, Index j) { return i / 32 != j / 32; });
  for (const CausalAlignment causal : {top_left, bottom_right})
    for (const bool more_queries : {false, true}) {
      Case other = more_queries ? of_size(noise, 200, 70, 8, 3) : input;
      cases.push_back(with(std::move(other), [=](auto& options) { options.causal = causal; }));
    }
}

}  // namespace

Cases edge_attention_cases(const CaseNumbers& numbers) {
  const auto make = [](std::initializer_list<double> queries, std::initializer_list<double> keys,
                       std::initializer_list<double> values, Index d) {
    const auto matrix = [](std::initializer_list<double> list, Index columns) {
      return Eigen::Map<const Eigen::Matrix<double, -1, -1, Eigen::RowMajor>>(
          list.begin(), static_cast<Index>(list.size()) / columns, columns);
    };
    Case input{matrix(queries, d), matrix(keys, d), matrix(values, 1), {}, {}};
    input.output_gradient = Matrix<double>::Ones(input.queries.rows(), 1);
    return input;
  };
  const auto scaled_by = [](Case input, double scale) {
    input.options.scale = scale;
    return input;
  };
  const auto [largest, least, least_computed, depth] = numbers;
  // Exact powers of two near the root of the range.
  const double root = std::exp2(std::floor(std::log2(largest) / 2));

  Cases cases = {
      make({3}, {-2}, {5}, 1),                                        // one of everything
      make({0, 0, 0, 0}, {1, 2, 3, 4, 5, 6}, {1, 2, 4}, 2),           // equal scores
      make({1, 2, 3, 4}, {1, 2, 2, 1}, {0, 0}, 2),                    // values of 0
      make({1, 2}, {1, 2, 1, 2}, {largest, largest}, 2),              // the largest values
      make({1, 2}, {1, 2, 2, 1}, {largest, -largest}, 2),             // and their cancellation
      make({least, 3 * least}, {least, 1, 1, least}, {least, 3}, 2),  // subnormal entries
      scaled_by(make({1, 0}, {0, 0, -1 - depth, 0}, {1, largest / 16}, 2), 1),  // underflow
      scaled_by(make({1, 0}, {0, 0, 8 - depth, 0}, {1, largest / 16}, 2), 1),  // a subnormal weight
      make({root / 8}, {root / 8}, {3}, 1),                 // one key, a huge score
      make({root / 8}, {-root / 8, root / 16}, {3, 5}, 1),  // a huge gap
      make({1, 2, 3}, {1, 2, 3, 4, 5, 6}, {1, 2}, 3)};      // a root that is rounded
  const Case ordinary = make({1, 2, 3, 4}, {1, 2, 2, 1, -1, 1}, {1, 2, 4}, 2);
  for (const double scale : {0.0, -1.0, least_computed, 0x1p-60, 0x1p10})
    cases.push_back(scaled_by(ordinary, scale));
  // Entries so small that only a huge scale makes scores of them.
  cases.push_back(scaled_by(make({1 / root, 2 / root}, {1 / root, 2 / root}, {3, 5}, 1), root));
  Case one_key = ordinary;
  one_key.keys *= root / 64;
  one_key.options.allowed = mask(2, 3, [](Index, Index j) { return j == 1; });
  cases.push_back(one_key);
  Case biased = ordinary;
  biased.options.bias = Matrix<double>::Constant(2, 3, 1000);
  (*biased.options.bias)(0, 1) = hidden;
  (*biased.options.bias)(1, 2) = -1000;
  cases.push_back(biased);
  return cases;
}

Cases fixed_attention_cases(const CaseNumbers& numbers, const CaseSizes& most, std::uint64_t seed) {
  Cases cases = edge_attention_cases(numbers);
  for (const int m : lengths)
    for (const int place : {0, m - 1}) add_blocks(cases, m, place);
  add_far(cases);
  add_small(cases, most);
  for (const int m : {64, small}) cases.push_back(each_place(m, m));
  add_masked_tiles(cases);
  add_squares(cases, most);
  add_large(cases, most, seed);
  std::erase_if(cases, [&](const Case& input) {
    return input.queries.rows() > most.queries || input.keys.rows() > most.keys ||
           input.queries.cols() > most.features || input.values.cols() > most.values;
  });
  return cases;
}

std::vector<RowCase> fixed_rows(const CaseNumbers& numbers, int longest) {
  std::vector<RowCase> rows;
  const auto add = [&](int n, auto score, double temperature = 1) {
    if (n > longest) return;
    rows.push_back({{}, temperature});
    for (int j = 0; j < n; ++j) rows.back().scores.push_back(score(j));
  };
  for (const int n : lengths) {
    const auto first = [](int j) { return j == 0 ? 8.0 : 0.0; };
    const auto last = [=](int j) { return j == n - 1 ? 8.0 : 0.0; };
    const auto wave = [](int j) { return 5 * std::cos(j); };
    add(n, [](int) { return 0.0; });
    add(n, first);
    add(n, last);
    add(n, [=](int j) { return j == n - 1 ? 3.0 : hidden; });
    add(n, [](int j) { return j % 2 == 0 ? 1.0 : hidden; });
    add(n, [=](int j) { return first(j) - 1000; });
    add(n, [=](int j) { return last(j) + 3000; });
    add(n, [=](int j) { return -numbers.depth * j / n; });  // down to where exponentials are lost
    add(n, [=](int j) { return 30.0 * (j + 1 - n) / n; });  // up to the last
    add(n, wave);
    add(n, wave, 2);
    add(n, wave, 0.25);
    add(n, [](int j) { return -100.0 - 10 * j; });
    add(n, [](int j) { return j == 0 ? 0.0 : -24.0 - j; });  // small beside 1, yet not 0
  }
  Noise noise(5);
  const auto random = [&](int n) {
    const Matrix<double> x = 4 * noise.matrix(1, n);
    return [=](int j) { return x(j); };
  };
  for (int n = 1; n <= small; ++n) add(n, random(n));
  // The greatest score at each place of a tile, so far above the others that its own weight counts.
  for (int place = 0; place < 64; ++place)
    add(64, [=](int j) { return j == place ? 90.0 : std::cos(j); });
  for (const int tile : tiles) {
    for (const int n : {tile - 1, tile, tile + 1}) add(n, random(n));
    const int n = tile + 1;
    add(n, [=](int j) { return j == n - 1 ? 90.0 : -100 + std::cos(j); });
    add(n, [=](int j) { return j < tile - 64 ? hidden : std::cos(j); });  // masked tiles
  }
  for (int n = 2048; n - 1 <= longest; n *= 2)
    for (const int ended : {n - 1, n, n + 1}) add(ended, random(ended));
  if (longest > small) add(longest, random(longest));
  return rows;
}

}  // namespace sqrtdk::testing

#include <sqrtdk/numbers/number_text.hpp>
#include <sqrtdk/numbers/require.hpp>
#include <sqrtdk/testing/statistics/checks.hpp>
#include <sqrtdk/testing/statistics/sample_size.hpp>

#include <cmath>
#include <cstddef>
#include <limits>
#include <stdexcept>

namespace sqrtdk::testing {

namespace detail {

void require_error_rates(ErrorRates rates) {
  require_probability(rates.alpha, "alpha");
  require_probability(rates.beta, "beta");
}

}  // namespace detail

std::size_t detail::sample_size(const MissesOfACheck& check, ErrorRates rates, double effect) {
  detail::require_error_rates(rates);
  if (!(effect > check.no_effect && effect <= check.largest_effect && std::isfinite(effect)))
    throw std::domain_error("the effect is " + exact_text(effect) + ", but must be above " +
                            exact_text(check.no_effect) + ", at most " +
                            exact_text(check.largest_effect) + ", and finite");
  //! [SmallEffectsNeedManyDraws]
  const auto suffices = [&](std::size_t n) { return check.type_ii_error(n, effect) <= rates.beta; };
  std::size_t enough = 1;
  while (!suffices(enough)) {
    if (enough >= std::size_t{1} << 40)
      throw std::domain_error("more than 2^40 draws are needed to see a " +
                              check.effect_text(effect) + "; check a larger effect");
    enough *= 2;
  }
  for (std::size_t few = enough / 2; enough - few > 1;) {
    const std::size_t middle = few + (enough - few) / 2;
    (suffices(middle) ? enough : few) = middle;
  }
  return enough;
  //! [SmallEffectsNeedManyDraws]
}

double detail::smallest_effect(const MissesOfACheck& check, ErrorRates rates, std::size_t n) {
  detail::require_error_rates(rates);
  sqrtdk::detail::require_at_least("the number of draws", n, 1U);
  const auto seen = [&](double effect) { return check.type_ii_error(n, effect) <= rates.beta; };
  const double none = check.no_effect;
  double excess = 1;  // of a seen effect over none
  if (std::isfinite(check.largest_effect)) {
    excess = check.largest_effect - none;
    if (!seen(check.largest_effect)) return std::numeric_limits<double>::infinity();
  }
  while (!seen(none + excess)) {
    if (excess > 0x1p500) return std::numeric_limits<double>::infinity();
    excess *= 2;
  }
  double unseen = 0;
  while (excess - unseen > 0x1p-20 * excess) {
    const double middle = (unseen + excess) / 2;
    (seen(none + middle) ? excess : unseen) = middle;
  }
  return none + excess;
}

}  // namespace sqrtdk::testing

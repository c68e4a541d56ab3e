// SPDX-License-Identifier: BSL-1.0
#include <sqrtdk/testing/generators/kernel_campaign.hpp>
#include <sqrtdk/testing/generators/random_source.hpp>
#include <sqrtdk/testing/hold_kernel.hpp>
#include <sqrtdk/testing/laws/formats.hpp>
#include <sqrtdk/testing/property.hpp>

#include <Eigen/Core>
#include <rapidcheck.h>

#include <algorithm>
#include <cstddef>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

namespace sqrtdk::testing {

namespace {

template <class Case>
void run(const detail::Campaign<Case>& campaign, int cases, const SourceLocation& place) {
  const std::vector<Case>& fixed = campaign.fixed;
  detail::Tally<Case> tally(campaign);
  std::size_t failed = 0;  // how many cases were tried since one failed, with it
  // The fixed cases come out of the generator, so that they are made simpler like others. RapidCheck
  // asks again for what it has drawn, by the same numbers.
  std::vector<rc::Random> turns;
  const rc::Gen<Case> all = [&](const rc::Random& random, int size) {
    auto turn = std::find(turns.begin(), turns.end(), random);
    if (turn == turns.end() && turns.size() < fixed.size()) turn = turns.insert(turn, random);
    const auto given = turn - turns.begin();
    return generator<Case>(
        [&](RandomSource& source) {
          return turn == turns.end() ? campaign.draw(source)
                                     : fixed[static_cast<std::size_t>(given)];
        },
        campaign.shrinks)(random, size);
  };
  std::string simplest;
  const auto hold = [&] {
    const Case input = *rc::Gen<Case>(all).as("the case");
    if (++failed > detail::patience && rc::toString(input) != simplest) return;
    if (const auto broken = tally.broken_by(input)) {
      simplest = rc::toString(input);
      std::ostringstream text;
      text << broken->first << ": " << broken->second;
      using Thrown = detail::ThrownByRapidCheck;
      throw Thrown(Thrown::Type::Failure, text.str());
    }
    if (failed > 1) return;
    failed = 0;
    tally.count(input);
  };
  detail::for_all(hold, cases + static_cast<int>(fixed.size()), place);
  if (failed == 0) std::cout << tally.text();
}

}  // namespace

template <class Real>
void hold_softmax(const SoftmaxFunction<Real>& softmax, const SoftmaxArithmetic& arithmetic,
                  const SoftmaxShapes& shapes, int cases, SourceLocation place) {
  run(detail::softmax_campaign<Real>(softmax, arithmetic, shapes), cases, place);
}

template <class Real>
void hold_attention(const AttentionFunction<Real>& attention, const SoftmaxArithmetic& arithmetic,
                    const AttentionConventions& conventions, int cases, SourceLocation place) {
  hold_attention<Real>(AttentionKernel<Real>{attention}, arithmetic, conventions, cases, place);
}

template <class Real>
void hold_attention(const AttentionKernel<Real>& kernel, const SoftmaxArithmetic& arithmetic,
                    const AttentionConventions& conventions, int cases, SourceLocation place) {
  run(detail::attention_campaign<Real>(kernel, arithmetic, conventions), cases, place);
}

#define SQRTDK_HOLD_KERNELS(prefix, Real)                                                          \
  prefix template void hold_softmax<Real>(const SoftmaxFunction<Real>&, const SoftmaxArithmetic&,  \
                                          const SoftmaxShapes&, int, SourceLocation);              \
  prefix template void hold_attention<Real>(const AttentionFunction<Real>&,                        \
                                            const SoftmaxArithmetic&, const AttentionConventions&, \
                                            int, SourceLocation);                                  \
  prefix template void hold_attention<Real>(const AttentionKernel<Real>&,                          \
                                            const SoftmaxArithmetic&, const AttentionConventions&, \
                                            int, SourceLocation);
SQRTDK_FOR_EACH_FORMAT(SQRTDK_HOLD_KERNELS, )

}  // namespace sqrtdk::testing

// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief What the answers to the exercises on softmax may use.
#pragma once

#include <sqrtdk/numbers/rational.hpp>

#include "exercises/exercise.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>
#include <numeric>
#include <vector>

using sqrtdk::Rational;             // an exact fraction: Rational(1, 3)
using sqrtdk::exercises::Unsolved;  // what a hole throws
using Vector = std::vector<Rational>;

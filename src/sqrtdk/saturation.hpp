// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Chapter \ref saturation : all of its headers.
///
/// The weight that a softmax of random scores gives to few is in saturation/score_means.hpp and
/// saturation/entropy.hpp, its threshold in saturation/thresholds.hpp, the lead of the
/// largest score in saturation/top_gap.hpp, the effect of scaling in saturation/impact.hpp and
/// its cost in saturation/price.hpp; saturation/sampler.hpp draws the scores.
#pragma once

#include <sqrtdk/saturation/entropy.hpp>
#include <sqrtdk/saturation/impact.hpp>
#include <sqrtdk/saturation/price.hpp>
#include <sqrtdk/saturation/sampler.hpp>
#include <sqrtdk/saturation/score_means.hpp>
#include <sqrtdk/saturation/thresholds.hpp>
#include <sqrtdk/saturation/top_gap.hpp>

// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Chapter \ref saturation : all of its headers.
///
/// Weight of the few: saturation/score_means.hpp and saturation/entropy.hpp; threshold:
/// saturation/thresholds.hpp; lead: saturation/top_gap.hpp; effect and cost of scaling:
/// saturation/impact.hpp and saturation/price.hpp; draws: saturation/sampler.hpp.
#pragma once

#include <sqrtdk/saturation/entropy.hpp>
#include <sqrtdk/saturation/impact.hpp>
#include <sqrtdk/saturation/price.hpp>
#include <sqrtdk/saturation/sampler.hpp>
#include <sqrtdk/saturation/score_means.hpp>
#include <sqrtdk/saturation/thresholds.hpp>
#include <sqrtdk/saturation/top_gap.hpp>

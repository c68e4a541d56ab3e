// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Chapter \ref saturation : all of its headers.
///
/// The weight that a softmax of random scores gives to few is in saturation_means.hpp and
/// saturation_entropy.hpp, its threshold in saturation_thresholds.hpp, the lead of the
/// largest score in saturation_top_gap.hpp, the effect of scaling in saturation_impact.hpp and
/// its cost in saturation_price.hpp; saturation_sampler.hpp draws the scores.
#pragma once

#include <sqrtdk/saturation_entropy.hpp>
#include <sqrtdk/saturation_impact.hpp>
#include <sqrtdk/saturation_means.hpp>
#include <sqrtdk/saturation_price.hpp>
#include <sqrtdk/saturation_sampler.hpp>
#include <sqrtdk/saturation_thresholds.hpp>
#include <sqrtdk/saturation_top_gap.hpp>

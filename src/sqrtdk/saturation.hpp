// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Chapter \ref saturation : all of its headers.
#pragma once

#include <sqrtdk/saturation_entropy.hpp>
#include <sqrtdk/saturation_impact.hpp>
#include <sqrtdk/saturation_means.hpp>
#include <sqrtdk/saturation_price.hpp>
#include <sqrtdk/saturation_sampler.hpp>
#include <sqrtdk/saturation_thresholds.hpp>
#include <sqrtdk/saturation_top_gap.hpp>

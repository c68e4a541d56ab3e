// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief The formats for which the templates of the kit are compiled.
#pragma once

#include <Eigen/Core>

/// Calls macro(prefix, Real) for each format for which the kit's libraries are compiled. Templates are instantiated with an
/// empty prefix where they are compiled; with the prefix `extern` they are only announced.
#define SQRTDK_FOR_EACH_FORMAT(macro, prefix)                                                      \
  macro(prefix, float) macro(prefix, double) macro(prefix, long double) macro(prefix, Eigen::half) \
      macro(prefix, Eigen::bfloat16)

// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief The chapter trust with 20,000 runs of each check; else the same.
#define SQRTDK_CALIBRATION_RUNS 20000
#include "properties/main.cpp"
#include "properties/trust_properties.cpp"

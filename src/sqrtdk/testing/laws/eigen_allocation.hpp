// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief A program and the compiled library must allocate Eigen's matrices alike.
///
/// Laws and generators pass matrices by value: what one allocates the other frees, by a way that
/// options such as `-mavx` change. This header refers to a function of the library for its own way
/// only, so that the linker refuses a mix: \ref platforms-vectors.
#pragma once

#include <Eigen/Core>

namespace sqrtdk::testing::detail {

/// \tparam max_align_bytes what entries are aligned to: EIGEN_MAX_ALIGN_BYTES
/// \tparam max_static_align_bytes the same for those of fixed size: EIGEN_MAX_STATIC_ALIGN_BYTES
/// \tparam malloc_aligns whether they come from malloc as it is: EIGEN_MALLOC_ALREADY_ALIGNED
template <int max_align_bytes, int max_static_align_bytes, bool malloc_aligns>
void sqrtdk_was_compiled_with_other_processor_or_sanitizer_options();

/// Keeps the reference, one in each file that includes this header.
[[maybe_unused, gnu::used]] static void (*const eigen_allocates_as_in_the_library)() =
    &sqrtdk_was_compiled_with_other_processor_or_sanitizer_options<
        EIGEN_MAX_ALIGN_BYTES, EIGEN_MAX_STATIC_ALIGN_BYTES, EIGEN_MALLOC_ALREADY_ALIGNED != 0>;

}  // namespace sqrtdk::testing::detail

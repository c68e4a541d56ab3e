#include <sqrtdk/testing/laws/eigen_allocation.hpp>

#include <Eigen/Core>

namespace sqrtdk::testing::detail {

template <int max_align_bytes, int max_static_align_bytes, bool malloc_aligns>
void sqrtdk_was_compiled_with_other_processor_or_sanitizer_options() {}

template void sqrtdk_was_compiled_with_other_processor_or_sanitizer_options<
    EIGEN_MAX_ALIGN_BYTES, EIGEN_MAX_STATIC_ALIGN_BYTES, EIGEN_MALLOC_ALREADY_ALIGNED != 0>();

}  // namespace sqrtdk::testing::detail

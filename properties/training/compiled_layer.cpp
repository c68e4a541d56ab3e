// SPDX-License-Identifier: BSL-1.0
#include "properties/training/compiled_layer.hpp"

namespace sqrtdk {

RECALL_LAYER(, double)
RECALL_LAYER(, testing::Wide)

}  // namespace sqrtdk

#include "properties/support/compiled_layer.hpp"

namespace sqrtdk {

template RecallBatch draw_recall(const RecallTask&, Eigen::Index, TrainingStream&);
RECALL_LAYER(, double)
RECALL_LAYER(, testing::Wide)

}  // namespace sqrtdk

// SPDX-License-Identifier: BSL-1.0
#pragma once

namespace sqrtdk::command {

/// Such as `1.2.3`, or `1.2.3-dev+g0123456789` where the commit lacks that tag. Its definition is
/// written by cmake/SqrtdkRevision.cmake.
extern const char* const version;

}  // namespace sqrtdk::command

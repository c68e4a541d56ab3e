#pragma once

namespace sqrtdk::command {

/// Such as `1.2.3`, or `1.2.3-dev+g0123456789` where the commit lacks that tag; below it, a line
/// each, the identifiers of the commit and its files. cmake/SqrtdkRevision.cmake writes it.
extern const char* const version;

}  // namespace sqrtdk::command

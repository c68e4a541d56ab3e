// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief A file that is there whole or not at all. POSIX.
#pragma once

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>

namespace sqrtdk::command {

struct CannotWrite : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Puts text into a new file, or in place of an old one. It is written beside it, under a name that
/// nobody can have prepared, and renamed when it is complete.
/// \throws CannotWrite with the reason; then the old file is as it was, and nothing else left.
void replace_file(const std::filesystem::path& file, std::string_view text);

// ------------------------------------------------------------------------------------------------

/// A file without a reader yet, removed unless it is renamed.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::filesystem::path& directory)
      // a short name of its own, since the longest name that is allowed leaves no room for more
      : name_((directory / ".sqrtdk-XXXXXX").string()), descriptor_(::mkstemp(name_.data())) {
    require(descriptor_ >= 0);
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
    if (!renamed_) ::unlink(name_.c_str());
  }

  void write(std::string_view text) {
    while (!text.empty()) {
      const ::ssize_t written = ::write(descriptor_, text.data(), text.size());
      require(written >= 0 || errno == EINTR);
      if (written > 0) text.remove_prefix(static_cast<std::size_t>(written));
    }
  }

  /// Readable as any new file is, where mkstemp() lets only its owner read.
  void give_usual_mode() const {
    const ::mode_t mask = ::umask(0);
    ::umask(mask);
    require(::fchmod(descriptor_, 0666 & ~mask) == 0);
  }

  /// Some file systems notice only here that they are full.
  void close() {
    const int closed = ::close(descriptor_);
    descriptor_ = -1;
    require(closed == 0);
  }

  void rename(const std::filesystem::path& file) {
    require(std::rename(name_.c_str(), file.c_str()) == 0);
    renamed_ = true;
  }

 private:
  static void require(bool done) {
    if (!done) throw CannotWrite(std::generic_category().message(errno));
  }

  std::string name_;
  int descriptor_;
  bool renamed_ = false;
};

inline void replace_file(const std::filesystem::path& file, std::string_view text) {
  // Renaming would put a plain file in the place of a link, a pipe or a device such as /dev/stdout.
  struct ::stat old {};
  if (::lstat(file.c_str(), &old) == 0 && !S_ISREG(old.st_mode)) {
    throw CannotWrite(S_ISDIR(old.st_mode) ? std::generic_category().message(EISDIR)
                                           : "it is no regular file");
  }
  // At the limit of a file's size, write() fails instead of ending the process.
  std::signal(SIGXFSZ, SIG_IGN);
  TemporaryFile temporary(file.parent_path());
  temporary.write(text);
  temporary.give_usual_mode();
  temporary.close();
  temporary.rename(file);
}

}  // namespace sqrtdk::command

#pragma once
// SPDX-License-Identifier: Apache-2.0
// An open directory, and what is right below it: each step by the descriptor of the one before, so
// that nothing that is renamed or linked meanwhile leads elsewhere. Errors are for a log, without
// the path. Any thread.

#include <cstdint>
#include <string>
#include <vector>

#include "pipeline/base/error.hpp"

namespace ba {

struct DirectoryEntry {
  enum class Kind { File, Directory, Other };
  std::string name;
  Kind kind = Kind::Other;
  std::int64_t bytes = 0;  ///< of a file
};

class OpenDirectory {
 public:
  /// NotFound, PermissionDenied, …; the message names the path. A link in the path is followed: it
  /// is the configuration's own.
  static Result<OpenDirectory> open(const std::string& path);

  OpenDirectory(OpenDirectory&& other) noexcept;
  OpenDirectory& operator=(OpenDirectory&& other) noexcept;
  ~OpenDirectory();

  /// In order of their names, without those that begin with a dot; at most ten thousand.
  std::vector<DirectoryEntry> entries() const;

  /// A directory right below, not through a link.
  Result<OpenDirectory> enter(const std::string& name) const;

  bool has_file(const std::string& name) const;

  /// A regular file right below, not through a link, of at most so many bytes.
  Result<std::string> read(const std::string& name, std::int64_t bytes_max) const;

 private:
  explicit OpenDirectory(int descriptor) : descriptor_(descriptor) {}
  int descriptor_ = -1;
};

}  // namespace ba

#pragma once
// SPDX-License-Identifier: Apache-2.0
// Opens files strictly below configured directories: no "..", no absolute path, no symbolic link on
// the way, no device, pipe or socket; the kernel checks (openat2), or, where it can't, a walk from
// directory to directory does. A hard link made below a root is a file below it. Any thread.

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "pipeline/base/error.hpp"
#include "worker/tools/base/descriptor.hpp"
#include "worker/tools/files/files_config.hpp"

namespace ba::files {

/// How a path is resolved below a root. Both give the same answers; the second exists for kernels
/// and sandboxes without openat2, and tests try it by name.
enum class Resolution { Kernel, Walk };

/// Whether it can be a path of a file below a root, by its text alone. PermissionDenied when it is
/// absolute, empty or holds "..", InvalidArgument when it is too long; messages are for a model.
Result<void> checked_path(std::string_view path);

/// Its parts, without "." and empty ones; of a path that was checked.
std::vector<std::string> path_parts(std::string_view path);

/// An error that names a path as it was given, for a model: the path in quotes, then `what`.
Error path_error(ErrorCode code, std::string_view path, const char* what);

class FileRoots {
 public:
  /// InvalidArgument when a root is not a directory that can be opened; names the root's name and
  /// path (a message for the log, not for a model).
  static Result<FileRoots> open(const std::vector<FileRootConfig>& roots,
                                Resolution resolution = Resolution::Kernel);

  /// The whole content of a regular file of at most `bytes_max`. `path` is "<root>/<file>"; the
  /// root's name may be left out when there is only one. Errors are for a model: they hold the
  /// path as given and nothing else of the file system. NotFound, PermissionDenied (outside the
  /// roots, a link, not a regular file), LimitExceeded (too large), InvalidArgument (no path),
  /// Unavailable (could not be read this time). `cancelled` is asked before each chunk; once it
  /// says yes the answer is Cancelled.
  Result<std::string> read(std::string_view path, std::int64_t bytes_max,
                           const std::function<bool()>& cancelled = {}) const;

  /// Regular files at and one level below the roots, as paths to read(), sorted; of a directory
  /// only the first ten thousand entries that it names. Without hidden ones, and without names that
  /// are not one line of well-formed UTF-8.
  std::vector<std::string> list() const;

 private:
  struct Root {
    std::string name;
    tools::Descriptor directory;
  };

  Result<tools::Descriptor> open_below(std::string_view path) const;

  std::vector<Root> roots_;
  Resolution resolution_ = Resolution::Kernel;
};

}  // namespace ba::files

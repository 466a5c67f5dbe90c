#pragma once
// SPDX-License-Identifier: Apache-2.0
// Reads a file whole: configuration, a secret, a prompt, jobs; and who else may. Any thread.

#include <cstddef>
#include <string>

#include "pipeline/base/error.hpp"

namespace ba::settings {

inline constexpr std::size_t kSmallFileBytesMax = 1 << 20;

/// The content; an error that says why not: missing, a directory, unreadable, too large.
Result<std::string> read_file(const std::string& name, std::size_t bytes_max);

inline Result<std::string> read_small_file(const std::string& name) {
  return read_file(name, kSmallFileBytesMax);
}

/// Of a file that holds a secret: "others on this machine may read it (mode 0644): chmod o-rwx
/// /run/key". Only the bits of "others" are looked at, of the file that a link leads to: a group
/// may read it (root and the worker's). Empty: they may not, or nobody can tell.
std::string exposure_of(const std::string& file);

}  // namespace ba::settings

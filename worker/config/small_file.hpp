#pragma once
// SPDX-License-Identifier: Apache-2.0
// Reads a small file (configuration, secret, prompt) whole. Any thread.

#include <cstddef>
#include <string>

#include "pipeline/base/error.hpp"

namespace ba {

inline constexpr std::size_t kSmallFileBytesMax = 1 << 20;

/// The content; an error that says why not: missing, a directory, unreadable, larger than 1 MiB.
Result<std::string> read_small_file(const std::string& name);

}  // namespace ba

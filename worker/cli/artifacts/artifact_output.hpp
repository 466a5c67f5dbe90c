#pragma once
// SPDX-License-Identifier: Apache-2.0
// The part of an artifact's data that a person asked for, and the file it goes to. Used by the
// command; one thread.

#include <optional>
#include <string>
#include <string_view>

#include "pipeline/base/error.hpp"
#include "worker/cli/artifacts/artifact_command_arguments.hpp"

namespace ba {

/// What goes to standard output at once; more needs a file.
inline constexpr std::int64_t kShownBytesMax = 1 << 20;

/// Those bytes; InvalidArgument where the range begins behind the end. `data` outlives the answer.
Result<std::string_view> part_of(const std::string& data, const std::optional<ByteRange>& range);

/// Writes a new file that its owner alone may read, whole or not at all. InvalidArgument when it is
/// there already.
Result<void> write_new_file(const std::string& name, std::string_view data);

}  // namespace ba

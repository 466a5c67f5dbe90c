#pragma once
// SPDX-License-Identifier: Apache-2.0
// Versions of stored messages, "major.minor". Pure function.

#include <string_view>

#include "pipeline/base/error.hpp"

namespace ba {

/// Whether a message of this version can be read: its major is that of kMessageSchemaVersion. Else
/// Corrupt, with the version and what this program reads in the message.
Result<void> check_message_version(std::string_view version);

}  // namespace ba

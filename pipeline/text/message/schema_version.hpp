#pragma once
// SPDX-License-Identifier: Apache-2.0
// Versions of what is stored as JSON, "major.minor". Messages and results of tools share theirs;
// what is older of them is migrated when it is read (migration.hpp). Pure functions.

#include <string_view>

#include "pipeline/base/error.hpp"

namespace ba {

/// Whether what has this version can be read by a program that writes `present`: older ones and
/// newer minor ones can. Corrupt, with both versions, for a newer major one, and for what is no
/// version.
Result<void> check_readable_version(std::string_view version, std::string_view present);

/// Whether a message or result of this version is to be migrated first; false for the present
/// version and newer minor ones. Corrupt, with the version and what this program reads, for a newer
/// major one and for what is no version.
Result<bool> is_older_version(std::string_view version);

/// Whether a message of this version can be used as it is: its major is that of
/// kMessageSchemaVersion. Else Corrupt, with the version and what this program reads in the
/// message.
Result<void> check_message_version(std::string_view version);

/// Corrupt: "Cannot migrate from <from> to <to>".
Error cannot_migrate(std::string_view from, std::string_view to);

}  // namespace ba

#pragma once
// SPDX-License-Identifier: Apache-2.0
// Versions of what is stored as JSON, "major.minor", and how a record of an older one becomes one
// of the present, step by step. Messages and results of tools share their versions: 1.0, 1.4, 1.5,
// 1.6, 1.9, 2.0, 2.1. A newer minor version is read as it is, a newer major one is refused. Pure
// functions, any thread.

#include <span>
#include <string_view>

#include "pipeline/base/error.hpp"
#include "pipeline/text/message/raw_object.hpp"

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

struct MigrationStep {
  std::string_view from;
  std::string_view to;
  void (*change)(RawObject& record) = nullptr;  ///< none: nothing of such records changed
};

/// All steps that are needed, in order. Corrupt, with "Cannot migrate from <from> to <to>", when
/// one of them doesn't exist; then some of the record may be changed.
Result<void> migrate(RawObject& record, std::span<const MigrationStep> steps, std::string_view from,
                     std::string_view to);

/// The steps of a tool's result, and of the `data` of a message that holds one (type "tool"):
///   1.0 → 1.4  `observation` stays; `result` becomes `artifact`, the data that is to be stored as
///              one; `summary` becomes `data_summary`; the levels concise, standard, detailed and
///              raw become brief, standard, full and full
///   1.4 → 1.5  `output_level`, standard where it is missing
///   1.9 → 2.0  `request_id` becomes `tool_call_id`; of `data_file`, a path, the artifact's id is
///              left as `artifact_id`
/// The others change nothing of them.
std::span<const MigrationStep> result_steps();

/// A stored message: {"type", "data"} with the version in data.additional_kwargs.ba. Brought to the
/// present version, where it is an older one; false: it is of the present one, and untouched.
Result<bool> migrate_message(RawObject& message);

}  // namespace ba

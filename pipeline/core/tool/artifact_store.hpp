#pragma once
// SPDX-License-Identifier: Apache-2.0
// Results too large for a conversation, kept beside it, as a port. An artifact is named by its
// content and tenant; a call refers to it, and only the conversation of such a call may read it:
// knowing an id grants nothing. What an unfinished job's conversation refers to is never removed.
// Control thread only; answers as completion.hpp says.

#include <cstdint>
#include <optional>
#include <string>

#include "pipeline/base/error.hpp"
#include "pipeline/base/ids.hpp"
#include "pipeline/base/time.hpp"
#include "pipeline/core/tool/chunked_data.hpp"
#include "pipeline/text/message/position.hpp"

namespace ba {

/// A result with the call that refers to it.
struct Artifact {
  std::string id;  ///< artifact_id() of tenant and data
  TenantId tenant;
  LedgerJobId job;
  Position position;
  std::string data;  ///< compact JSON; a plain text is a JSON string
  /// Of one whose data was put away in chunks (put()), in place of `data`.
  std::string upload = {};
  int chunks = 0;          ///< how many there are
  std::int64_t items = 0;  ///< in all of them
  std::int64_t bytes = 0;  ///< of the array that they are

  std::int64_t size() const {
    return upload.empty() ? static_cast<std::int64_t>(data.size()) : bytes;
  }

  friend bool operator==(const Artifact&, const Artifact&) = default;
};

/// A chunk of a result that isn't an artifact yet, and never becomes one if its worker dies.
struct ArtifactChunk {
  std::string upload;  ///< [0-9a-f]{32}; no other result's
  TenantId tenant;
  DataChunk chunk;

  friend bool operator==(const ArtifactChunk&, const ArtifactChunk&) = default;
};

struct ArtifactQuestion {
  std::string id;
  TenantId tenant;
  LedgerJobId job;  ///< the asker; its conversation must refer to the artifact
  /// Of one that was put away in chunks, these items do.
  std::optional<ItemRange> range = std::nullopt;
  /// Data of more bytes isn't given: only how much it is.
  std::int64_t bytes_max = INT64_MAX;
};

struct ArtifactData {
  std::string data;               ///< all of it, or an array of the items of `part`
  std::optional<ItemRange> part;  ///< which items these are; none: all
  std::int64_t bytes = 0;         ///< of `data`, or of what would be
  bool held_back = false;         ///< it is larger than was asked for: there is no data

  friend bool operator==(const ArtifactData&, const ArtifactData&) = default;
};

enum class ArtifactKept {
  Stored,
  Again,  ///< the same content was there already: only the reference is new
};

/// What is removed, and when.
struct ArtifactRules {
  Milliseconds max_age{24LL * 3'600'000};  ///< from its last being made
  std::int64_t bytes_max = 10LL << 30;     ///< of all; above it the least recently used go, to 80 %
  bool remove_when_closed = true;          ///< with the job whose own their conversation is
  Milliseconds settled_after{60'000};      ///< what was made later than this is left alone
  Milliseconds orphans_after{3'600'000};   ///< age of files that no artifact owns
  Milliseconds uploads_after{1'800'000};   ///< of chunks, likewise: longer than any statement
  int batch_rows_max = 1000;               ///< artifacts removed by one transaction

  friend bool operator==(const ArtifactRules&, const ArtifactRules&) = default;
};

/// Each artifact counts under the first reason that holds.
struct ArtifactCleaning {
  std::int64_t aged = 0;          ///< too old
  std::int64_t unreferenced = 0;  ///< no call tells of it
  std::int64_t closed = 0;        ///< the jobs have ended whose own conversations tell of it
  std::int64_t unused = 0;        ///< removed for room
  std::int64_t bytes = 0;         ///< of all of them
  std::int64_t orphans = 0;       ///< files and chunks that crashes left behind
  bool more = false;              ///< a batch was full: ask again soon

  /// By the rules, not for room.
  std::int64_t removed() const { return aged + unreferenced + closed; }
};

class ArtifactStore {
 public:
  virtual ~ArtifactStore() = default;

  /// Durable before `done`; nobody reads it before keep() names its upload. What no artifact names
  /// is removed after `uploads_after`. Repeating it is safe.
  virtual void put(ArtifactChunk chunk, Completion<void> done) = 0;

  /// Durable, with the call's reference to it, before `done`; the same content is stored once.
  /// Repeating it is safe. NotFound where chunks of its upload are missing.
  virtual void keep(Artifact artifact, Completion<ArtifactKept> done) = 0;

  /// Its data; it counts as used. NotFound also where it is not for this job.
  virtual void read(ArtifactQuestion question, Completion<ArtifactData> done) = 0;

  /// Removes what the rules let go, one batch. Nothing while another process is at it.
  virtual void clean(ArtifactRules rules, Completion<ArtifactCleaning> done) = 0;
};

}  // namespace ba

#pragma once
// SPDX-License-Identifier: Apache-2.0
// Results too large for a conversation, kept beside it, as a port. An artifact is named by its
// content and tenant; a call refers to it, and only the conversation of such a call may read it:
// knowing an id grants nothing. What an unfinished job's conversation refers to is never removed.
// Control thread only; answers as completion.hpp says.

#include <cstdint>
#include <string>

#include "pipeline/base/completion.hpp"
#include "pipeline/base/ids.hpp"
#include "pipeline/base/time.hpp"
#include "pipeline/message/position.hpp"

namespace ba {

/// A result with the call that refers to it.
struct Artifact {
  std::string id;  ///< artifact_id() of tenant and data
  TenantId tenant;
  LedgerJobId job;
  Position position;
  std::string data;  ///< compact JSON; a plain text is a JSON string

  friend bool operator==(const Artifact&, const Artifact&) = default;
};

struct ArtifactQuestion {
  std::string id;
  TenantId tenant;
  LedgerJobId job;  ///< the asker; its conversation must refer to the artifact
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
  std::int64_t orphans = 0;       ///< files that crashes left behind
  bool more = false;              ///< a batch was full: ask again soon

  /// By the rules, not for room.
  std::int64_t removed() const { return aged + unreferenced + closed; }
};

class ArtifactStore {
 public:
  virtual ~ArtifactStore() = default;

  /// Durable, with the call's reference to it, before `done`; the same content is stored once.
  /// Repeating it is safe.
  virtual void keep(Artifact artifact, Completion<ArtifactKept> done) = 0;

  /// Its data; it counts as used. NotFound also where it is not for this job.
  virtual void read(ArtifactQuestion question, Completion<std::string> done) = 0;

  /// Removes what the rules let go, one batch. Nothing while another process is at it.
  virtual void clean(ArtifactRules rules, Completion<ArtifactCleaning> done) = 0;
};

}  // namespace ba

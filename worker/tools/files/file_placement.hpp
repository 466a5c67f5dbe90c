// SPDX-License-Identifier: Apache-2.0
#pragma once
// Puts files below configured directories, each whole or not at all, and once for a key however
// often that is asked and whoever dies in between: what has become of a key stands in a folder
// `.ba-agent` below the root, which is on the same file system. Blocking; any thread, any process.

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pipeline/base/error.hpp"
#include "pipeline/base/time.hpp"
#include "worker/tools/files/rooted_file.hpp"

namespace ba::files {

struct PlacedContent {
  std::string sha256;
  std::size_t bytes = 0;

  friend bool operator==(const PlacedContent&, const PlacedContent&) = default;
};

PlacedContent placed_content(std::string_view content);

/// What the journal of placed files notes of a call behind its state: what was asked, so that the
/// same call is known again, and what was placed.
struct PlacementAsked {
  std::string path;
  PlacedContent content;  ///< as it is made here and now
  std::string made_of;    ///< a hash of what it is made of; empty: it is the content as given
};

std::string note_of(const PlacementAsked& asked);

/// Whether it is the note of that call.
bool is_note_of(std::string_view note, const PlacementAsked& asked);

/// None where the note doesn't say: of a content as given, or of a worker that noted no more.
std::optional<PlacedContent> noted_content(std::string_view note);

/// Whether a file that is there already is replaced or is a Conflict.
enum class Placement { Replace, Create };

struct FileToPlace {
  std::string path;  ///< "<root>/<file>", or without the root where there is only one
  std::string_view content;
  Placement placement = Placement::Replace;
  std::string key;  ///< names the call
  /// A hash of what the content is made of, by which the call is known where another version makes
  /// it in another way; empty: the content is as it was given.
  std::string made_of{};
  /// What another version or configuration may have made of it, when it didn't yet note `made_of`.
  std::function<std::string()> made_otherwise{};
};

class PlacedFiles {
 public:
  /// InvalidArgument when a root is no directory that can be written to; for the log.
  static Result<PlacedFiles> open(const std::vector<FileRootConfig>& roots);

  /// What stands under the key: where an earlier run had placed or prepared it, as that made it.
  /// Durable when it returns; missing directories on the way are made. Errors are for a model, as
  /// those of FileRoots: NotFound, PermissionDenied, InvalidArgument, Conflict (Create: there is
  /// such a file), LimitExceeded (the disk is full), Internal (the key was used for something
  /// else), Unavailable, Cancelled. Where `maybe_done` isn't set the file is as it was.
  Result<PlacedContent> place(const FileToPlace& file,
                              const std::function<bool()>& cancelled) const;

  /// Forgets keys that were last used longer ago than `age`; how many.
  int forget(Milliseconds age) const;

 private:
  struct Root {
    std::string name;
    tools::Descriptor directory;
    tools::Descriptor journal;
  };

  std::vector<Root> roots_;
};

}  // namespace ba::files

#pragma once
// SPDX-License-Identifier: Apache-2.0
// What the journal of placed files notes of a call behind its state: what was asked, so that the
// same call is known again, and what was placed. A content that is made of something else may be
// made in another way by another version or configuration: such a call is known by what it was made
// of. Workers that know nothing of that compare the end, and write the beginning. Pure; any thread.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace ba {

struct PlacedContent {
  std::string sha256;
  std::size_t bytes = 0;

  friend bool operator==(const PlacedContent&, const PlacedContent&) = default;
};

PlacedContent placed_content(std::string_view content);

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

}  // namespace ba

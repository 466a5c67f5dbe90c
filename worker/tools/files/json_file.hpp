#pragma once
// SPDX-License-Identifier: Apache-2.0
// The content of a JSON file, or of one with a value on each line, as the JSON of a tool result;
// see file_content.hpp. Pure; any thread.

#include <string>
#include <string_view>

#include "worker/tools/files/content_note.hpp"
#include "worker/tools/files/file_selection.hpp"

namespace ba {

/// `selection.in_json` is set; `note` is what is known of the file already.
Result<FileContent> json_content(const std::string& content, ContentNote note,
                                 const FileSelection& selection);

/// Blank lines are none, and a line that can't be read costs itself alone.
Result<FileContent> jsonl_content(std::string_view content, ContentNote note,
                                  const FileSelection& selection);

}  // namespace ba

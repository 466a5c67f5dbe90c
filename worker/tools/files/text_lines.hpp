#pragma once
// SPDX-License-Identifier: Apache-2.0
// A text as the lines of a range; see file_content.hpp. Pure; any thread.

#include <string>

#include "worker/tools/files/content_note.hpp"
#include "worker/tools/files/file_selection.hpp"

namespace ba {

/// What is said of lines stands with them: they are one object. Lines of which one is larger than
/// a result are wrapped, so that offset and limit reach all.
FileContent lines_content(const std::string& text, const ContentNote& note,
                          const FileSelection& selection);

}  // namespace ba

// SPDX-License-Identifier: Apache-2.0
// A file's content for a model is JSON, and its note one line. The first byte: the format, and how
// much is asked for.
#include "pipeline/text/message/json_text.hpp"
#include "tests/fuzz/targets.hpp"
#include "worker/tools/files/file_content.hpp"

void ba::fuzz::file(std::string_view input) {
  if (input.empty()) return;
  const auto kind = static_cast<unsigned char>(input.front());
  files::FileSelection selection;
  selection.offset = kind >> 2 & 3;
  selection.limit = (kind >> 4 & 3) - 1;
  selection.sample = kind >> 6;
  selection.bytes_max = 4096;
  const auto content = files::file_content(std::string(input.substr(1)),
                                           static_cast<files::FileFormat>(kind % 4), selection);
  BA_ASSERT(content ? is_json(content->data) && content->note.find('\n') == std::string::npos
                    : !content.error().message.empty());
}

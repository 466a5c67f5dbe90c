// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/files/text_lines.hpp"

#include <algorithm>
#include <string_view>

#include "pipeline/base/exact_json.hpp"
#include "worker/tools/files/large_json.hpp"
#include "worker/tools/files/listed_items.hpp"

namespace ba {
namespace {

using Json = nlohmann::ordered_json;

/// A byte of text in JSON has at most as many.
constexpr std::int64_t kEscapedMost = 6;

std::int64_t longest_line(std::string_view text) {
  std::size_t longest = 0;
  while (!text.empty()) {
    const std::size_t size = std::min(text.find('\n'), text.size());
    longest = std::max(longest, size);
    text.remove_prefix(std::min(size + 1, text.size()));
  }
  return static_cast<std::int64_t>(longest);
}

/// Before the lines.
Json told(std::int64_t total, const ListedItems& list, const ContentNote& note,
          const FileSelection& selection) {
  Json result = {{"total_lines", total}};
  if (selection.offset > 0) result["offset"] = selection.offset;
  if (selection.sample > 0) result["sampled"] = true;
  std::string said = note.sentences();
  if (list.count < list.chosen.wanted) {
    result["truncated"] = true;
    said += (said.empty() ? "Only " : " Only ") + std::to_string(list.count) + " of " +
            std::to_string(list.chosen.wanted) +
            " lines. Use offset and limit for the rest, or sample.";
  }
  if (!said.empty()) result["note"] = said;
  if (!note.read_as().empty()) result["read_as"] = note.read_as();
  return result;
}

}  // namespace

FileContent lines_content(const std::string& text, const ContentNote& given,
                          const FileSelection& of_file) {
  ContentNote note = given;
  FileSelection selection = of_file;
  selection.in_json = false;
  selection.items = nullptr;
  selection.bytes_max = of_file.value_bytes_max();
  std::string wrapped;
  if (longest_line(text) > selection.bytes_max / kEscapedMost) {
    const std::int64_t most = std::max<std::int64_t>(4, selection.bytes_max / kEscapedMost);
    wrapped = wrapped_lines(text, static_cast<std::size_t>(most));
    note.assume("lines of more than " + std::to_string(most) + " bytes wrapped");
  }
  const std::string& content = wrapped.empty() ? text : wrapped;
  const bool unended = !content.empty() && content.back() != '\n';
  const auto total = std::count(content.begin(), content.end(), '\n') + (unended ? 1 : 0);
  std::string_view rest = content;
  std::int64_t next = 0;  // the line that `rest` begins with; an index of lines could be huge
  const ListedItems list = listed_items(total, selection, [&](std::int64_t index) {
    for (; next < index; ++next) rest.remove_prefix(rest.find('\n') + 1);
    std::string_view line = rest.substr(0, rest.find('\n'));
    if (line.ends_with('\r')) line.remove_suffix(1);
    return Json(line);
  });
  std::string json = dump_exact(told(total, list, note, selection));
  json.pop_back();
  return {json + ",\"lines\":" + list.json + "}", ""};
}

}  // namespace ba

// SPDX-License-Identifier: Apache-2.0
#include "worker/cli/program/line_id.hpp"

#include "pipeline/text/message/json_view.hpp"

namespace ba {
namespace {

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

}  // namespace

std::string_view id_of_line(std::string_view line) {
  if (line.starts_with(kByteOrderMark)) line.remove_prefix(kByteOrderMark.size());
  const std::string_view id = JsonView::of_proven(line)["id"].raw();
  return id.empty() ? kNoId : id;
}

std::string with_id(std::string_view id, std::string_view answer) {
  return "{\"id\":" + std::string(id) + "," + std::string(answer.substr(1));
}

}  // namespace ba

// SPDX-License-Identifier: Apache-2.0
#include "worker/settings/text_problem.hpp"

#include "pipeline/text/message/utf8.hpp"

namespace ba::settings {
namespace {

void check_node(Node& node, const std::string& path, Findings& findings) {
  if (const std::string problem = text_problem(node.scalar); !problem.empty()) {
    findings.error(node.origin, path, SettingProblem::Kind::Unreadable, problem);
    node.scalar.clear();
  }
  for (Node& item : node.items) check_node(item, path, findings);
  std::erase_if(node.entries, [&](const Entry& entry) {
    const std::string problem = text_problem(entry.key);
    if (!problem.empty())
      findings.error(entry.origin, path, SettingProblem::Kind::Unreadable,
                     "one of its names " + problem);
    return !problem.empty();
  });
  for (Entry& entry : node.entries)
    check_node(entry.value, path.empty() ? entry.key : path + "." + entry.key, findings);
}

}  // namespace

std::string text_problem(const std::string& text) {
  if (const std::size_t at = text.find('\0'); at != text.npos)
    return "holds a NUL character, as character " + std::to_string(at + 1);
  if (const auto defect = utf8_defect(text))
    return "is not valid UTF-8: byte " + std::to_string(*defect + 1) + " of the value";
  return "";
}

void refuse_what_is_no_text(Node& tree, const std::string& path, Findings& findings) {
  check_node(tree, path, findings);
}

}  // namespace ba::settings

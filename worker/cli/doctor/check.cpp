// SPDX-License-Identifier: Apache-2.0
#include "worker/cli/doctor/check.hpp"

#include <algorithm>
#include <ostream>

namespace ba::cli {
namespace {

struct StatusText {
  const char* word;
  Style style;
};

StatusText text_of(CheckStatus status) {
  switch (status) {
    case CheckStatus::Pass:
      return {"PASS", Style::Green};
    case CheckStatus::Warn:
      return {"WARN", Style::Yellow};
    case CheckStatus::Fail:
      return {"FAIL", Style::Red};
  }
  return {"FAIL", Style::Red};
}

}  // namespace

void show_check(const Check& check, Terminal& terminal) {
  const StatusText status = text_of(check.status);
  std::string name = check.name;
  name.resize(std::max<std::size_t>(name.size() + 2, 26), ' ');
  terminal.out() << terminal.styled(status.style, status.word) << "  " << printable(name)
                 << printable(check.message) << "\n";
  for (const std::string& finding : check.findings)
    terminal.out() << "      - " << printable(finding) << "\n";
  if (!check.remedy.empty())
    terminal.out() << "      " << terminal.styled(Style::Dim, "→ " + printable(check.remedy))
                   << "\n";
  terminal.out().flush();
}

nlohmann::ordered_json check_json(const Check& check) {
  return {{"name", check.name},
          {"status", text_of(check.status).word},
          {"message", check.message},
          {"findings", check.findings},
          {"remedy", check.remedy}};
}

}  // namespace ba::cli

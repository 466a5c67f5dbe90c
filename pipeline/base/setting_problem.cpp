// SPDX-License-Identifier: Apache-2.0
#include "pipeline/base/setting_problem.hpp"

#include <string_view>

namespace ba {
namespace {

using Kind = SettingProblem::Kind;

std::string_view last_of(std::string_view key) { return key.substr(key.rfind('.') + 1); }

/// Behind the key; where the key is part of the sentence, it begins with a blank.
std::string words_of(const SettingProblem& problem) {
  const std::string& value = problem.value;
  const std::string& allowed = problem.allowed;
  const std::string name(last_of(problem.key));
  switch (problem.kind) {
    case Kind::NotAllowed:
      return ": " + value + " is not allowed: must be " + allowed;
    case Kind::Unfit:
      return ": " + value + " is not " + allowed;
    case Kind::TooSmall:
      return ": " + name + " must be " + allowed + ": " + value;
    case Kind::NotAChoice:
      return ": Invalid " + name + ": " + value + " (allowed: " + allowed + ")";
    case Kind::NoSuchName:
      return " is " + (value.empty() ? "not set" : value) + ": must name one of " + allowed;
    case Kind::Refused:
      return " is " + value + ": " + allowed;
    case Kind::WrongShape:
      return value.empty() ? ": must be " + allowed : ": is " + value + "; must be " + allowed;
    case Kind::Missing:
      return " is missing: must be " + allowed;
    case Kind::UnknownKey:
      return ": unknown key" + (problem.nearest.empty() ? "; known here: " + allowed : "");
    case Kind::NotThere:
    case Kind::Conflict:
    case Kind::Masked:
    case Kind::Unreadable:
    case Kind::Other:
      break;
  }
  return ": " + allowed;
}

}  // namespace

std::string text_of(const SettingProblem& problem) {
  if (!problem.words.empty())
    return problem.key + (problem.key.empty() ? "" : ": ") + problem.words;
  std::string text = problem.key + words_of(problem);
  if (problem.key.empty()) text.erase(0, text.find_first_not_of(": "));
  if (!problem.nearest.empty()) text += "; did you mean " + problem.nearest + "?";
  return text;
}

Result<void> first_of(const std::vector<SettingProblem>& problems) {
  if (problems.empty()) return {};
  return invalid_argument(text_of(problems.front()));
}

}  // namespace ba

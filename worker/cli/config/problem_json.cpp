// SPDX-License-Identifier: Apache-2.0
#include "worker/cli/config/problem_json.hpp"

namespace ba::cli {
namespace {

using Json = nlohmann::ordered_json;

/// The text within its quotes, where all of it stands in some.
std::string unquoted(const std::string& text) {
  if (text.size() < 2 || text.front() != text.back()) return text;
  if (text.front() == '\'') return text.substr(1, text.size() - 2);
  const Json read = text.front() == '"' ? Json::parse(text, nullptr, false) : Json();
  return read.is_string() ? read.get<std::string>() : text;
}

}  // namespace

Json problem_as_json(const settings::Finding& finding, const settings::Findings& findings,
                     const Terminal& terminal) {
  const auto text = [&](const std::string& one) {
    return one.empty() ? Json() : Json(terminal.clean(unquoted(one)));
  };
  const auto number = [](int one) { return one > 0 ? Json(one) : Json(); };
  const settings::Origin& place = finding.place;
  const bool in_file = place.kind == settings::Origin::Kind::File;
  const bool somewhere = place.kind != settings::Origin::Kind::Default;
  const SettingProblem& problem = finding.problem;
  return {{"file", in_file ? text(place.name) : Json()},
          {"line", number(place.line)},
          {"column", number(place.column)},
          {"origin", somewhere ? text(place.text()) : Json()},
          {"kind", name_of(kSettingProblemNames, problem.kind)},
          {"key", text(problem.key)},
          {"value", text(problem.value)},
          {"allowed", text(problem.allowed)},
          {"nearest", text(problem.nearest)},
          {"message", terminal.clean(findings.line_of(finding))}};
}

}  // namespace ba::cli

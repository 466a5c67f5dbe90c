// SPDX-License-Identifier: Apache-2.0
#include "tests/scripted_model/model_arguments.hpp"

#include <nlohmann/json.hpp>

#include "pipeline/base/exact_json.hpp"

namespace ba::scripted {

namespace {

bool fill(nlohmann::ordered_json& value, const Scope& scope) {
  if (value.is_string()) {
    const auto parsed = Template::parse(value.get<std::string>());
    std::optional<std::string> text;
    if (parsed.has_value()) text = parsed->render(scope);
    if (text) value = *text;
    return text.has_value();
  }
  if (!value.is_structured()) return true;
  for (auto& child : value) {
    if (!fill(child, scope)) return false;
  }
  return true;
}

}  // namespace

std::optional<std::string> fill_arguments(const std::string& json, const Scope& scope) {
  auto value = parse_exact<nlohmann::ordered_json>(json);
  if (value.is_discarded() || !fill(value, scope)) return std::nullopt;
  return dump_exact(value);
}

}  // namespace ba::scripted

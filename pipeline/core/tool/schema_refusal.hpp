#pragma once
// SPDX-License-Identifier: Apache-2.0
// Why arguments were refused, in words for a model: which value, and what the schema allows in its
// place. Pure; any thread.

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace ba {

/// What a call of any tool may ask for beside the tool's own parameters.
inline constexpr const char* kLevelKey = "output_level";

/// As the validator tells it: "<root>" and the segments "[name]" or "[0]" that lead to the value.
struct SchemaMisfit {
  std::vector<std::string> place;
  std::string description;
};

std::string refusal_text(const nlohmann::ordered_json& schema, const nlohmann::ordered_json& args,
                         const SchemaMisfit& misfit);

/// The beginning of a value.
std::string shown_value(const nlohmann::ordered_json& value);

}  // namespace ba

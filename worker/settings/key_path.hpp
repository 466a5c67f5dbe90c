#pragma once
// SPDX-License-Identifier: Apache-2.0
// How the path of a setting is written on a command line. Pure function.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ba::settings {

/// The keys of a path ("kafka.brokers"). A key with dots stands in double quotes
/// ("llm.models.\"gpt-5.4\".model_id"); below kafka.properties everything is one key.
std::vector<std::string> keys_of(std::string_view path);

/// What is wrong with how a path is written; none: keys_of() means what its writer did.
std::optional<std::string> key_path_problem(std::string_view path);

}  // namespace ba::settings

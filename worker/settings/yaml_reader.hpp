#pragma once
// SPDX-License-Identifier: Apache-2.0
// YAML text to a tree of settings. Made for hostile text: size, depth and the number of nodes after
// aliases are bounded, duplicate keys, merge keys and more than one document are errors. Beside
// yaml_document.hpp the only place that knows yaml-cpp. Any thread.

#include <cstddef>
#include <string>
#include <string_view>
#include <variant>

#include "pipeline/base/error.hpp"
#include "worker/settings/node.hpp"

namespace ba::settings {

inline constexpr std::size_t kYamlBytesMax = 1 << 20;
inline constexpr std::size_t kYamlDepthMax = 32;
inline constexpr std::size_t kYamlNodesMax = 20000;
inline constexpr std::string_view kSections = "sections (\"kafka:\", \"llm:\", …)";

/// `file` is the name that stands in origins and errors, `root` what it must be a map of. Empty
/// text is an empty map.
std::variant<Node, Refusal> parse_yaml(std::string_view text, const std::string& file,
                                       std::string_view root = kSections);

/// The same for callers to whom the place in words will do.
Result<Node> read_yaml(std::string_view text, const std::string& file,
                       std::string_view root = kSections);

/// Whether the text can be read and holds no value at all, not even {}: a file that was cut off.
bool says_nothing(std::string_view text);

/// Whether a value of a flag or a variable is meant as a list or map: "[…" or "{…".
bool looks_like_flow(std::string_view text);

/// A list or map as it stands in one value: ['a', "b, c"], {a: 1}. Every node has the given origin.
/// InvalidArgument says why it is none, without the value.
Result<Node> read_flow(std::string_view text, const Origin& origin);

}  // namespace ba::settings

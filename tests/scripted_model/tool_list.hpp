#pragma once
// SPDX-License-Identifier: Apache-2.0
// What both providers demand of the tools they are offered: names that match their pattern and are
// unique, a schema of an object that is a JSON Schema. A list that was found good is remembered
// by its bytes, since a worker sends the same one with each request. One thread.

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_set>

#include "tests/scripted_model/flat_json.hpp"
#include "tests/scripted_model/rejection.hpp"

namespace ba::scripted {

/// Whose rules for a schema, and whose words where they are broken.
enum class Demands { Anthropic, OpenAi };

inline constexpr std::uint32_t kOpenAiToolsMax = 128;

/// [a-zA-Z0-9_-]{1,64}
bool is_tool_name(const JsonValue& name);

/// Null if `schema` describes an object and is a JSON Schema as far as the providers look.
Refusal check_object_schema(const JsonValue& schema, const Place& place, Demands demands);

class KnownToolLists {
 public:
  bool holds(std::string_view raw) const { return lists_.count(std::string(raw)) > 0; }
  void remember(std::string_view raw);

 private:
  std::unordered_set<std::string> lists_;
};

}  // namespace ba::scripted

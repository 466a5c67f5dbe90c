// SPDX-License-Identifier: Apache-2.0
// Arguments a model sent: what was checked passes again, unchanged, is within the limits, and is
// what its text says.
#include <nlohmann/json.hpp>

#include "pipeline/base/exact_json.hpp"
#include "pipeline/core/tool/json_shape.hpp"
#include "pipeline/core/tool/schema_check.hpp"
#include "tests/fuzz/targets.hpp"

namespace ba::fuzz {
namespace {

constexpr std::int64_t kBytesMax = 256 * 1024;
constexpr const char* kSchema = R"({"type":"object","required":["sql"],
  "properties":{"sql":{"type":"string","minLength":1},
    "rows":{"type":"integer","minimum":1,"maximum":1000,"default":100},
    "mode":{"enum":["a","b"]},"name":{"type":"string","pattern":"^[a-z]+$"},
    "filter":{"type":"object","properties":{"limit":{"type":"number","default":1.5}},
      "additionalProperties":false},
    "list":{"type":"array","items":{"type":"integer"},"maxItems":8}}})";

}  // namespace

void tool_arguments(std::string_view input) {
  static const SchemaCheck schema = SchemaCheck::compile(kSchema).value();
  const auto checked = schema.check(input, kBytesMax);
  if (!checked) {
    BA_ASSERT(!checked.error().message.empty());
    return;
  }
  BA_ASSERT(json_shape(checked->parameters).within_limits());
  BA_ASSERT(*checked->object == parse_exact<nlohmann::ordered_json>(checked->parameters));
  const auto again = schema.check(checked->parameters, 2 * kBytesMax);
  BA_ASSERT(again && again->parameters == checked->parameters);
}

}  // namespace ba::fuzz

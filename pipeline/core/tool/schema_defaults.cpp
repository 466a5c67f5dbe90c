// SPDX-License-Identifier: Apache-2.0
#include "pipeline/core/tool/schema_defaults.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "pipeline/base/exact_json.hpp"

namespace ba {
namespace {

using Json = nlohmann::ordered_json;

class Filler {
 public:
  explicit Filler(std::int64_t bytes_max) : bytes_left_(bytes_max) {}

  bool fill(const Json& schema, Json& value) {
    if (!schema.is_object()) return true;
    if (value.is_object()) return fill_members(schema, value);
    return !value.is_array() || fill_items(schema, value);
  }

 private:
  bool fill_members(const Json& schema, Json& value) {
    const auto properties = schema.find("properties");
    if (properties == schema.end() || !properties->is_object()) return true;
    for (auto item = properties->begin(); item != properties->end(); ++item) {
      if (!item->is_object()) continue;
      const auto preset = item->find("default");
      if (!value.contains(item.key()) && preset != item->end())
        if (!add(value, item.key(), *preset)) return false;
      if (value.contains(item.key()) && !fill(*item, value[item.key()])) return false;
    }
    return true;
  }

  bool fill_items(const Json& schema, Json& value) {
    const auto items = schema.find("items");
    if (items == schema.end()) return true;
    const bool each = items->is_array();
    const std::size_t count = each ? std::min(items->size(), value.size()) : value.size();
    for (std::size_t i = 0; i < count; ++i)
      if (!fill(each ? (*items)[i] : *items, value[i])) return false;
    return true;
  }

  bool add(Json& value, const std::string& name, const Json& preset) {
    const std::string text = dump_exact(preset);
    bytes_left_ -= static_cast<std::int64_t>(name.size() + text.size());
    if (bytes_left_ < 0) return false;
    value[name] = preset;
    return true;
  }

  std::int64_t bytes_left_;
};

}  // namespace

bool fill_defaults(const Json& schema, Json& value, std::int64_t bytes_max) {
  return Filler(bytes_max).fill(schema, value);
}

}  // namespace ba

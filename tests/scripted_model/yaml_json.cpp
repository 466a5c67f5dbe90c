// SPDX-License-Identifier: Apache-2.0
#include "tests/scripted_model/yaml_json.hpp"

#include <yaml-cpp/yaml.h>

#include <nlohmann/json.hpp>

#include "pipeline/base/exact_json.hpp"

namespace ba::scripted {

namespace {

using Json = nlohmann::ordered_json;

/// A plain scalar that JSON would read as a value of its own is that value.
Json plain_scalar(const std::string& text) {
  if (text == "~" || text == "null" || text.empty()) return nullptr;
  Json value = parse_exact<Json>(text);
  if (is_any_number(value) || value.is_boolean()) return value;
  return text;
}

Json convert(const YAML::Node& node) {
  switch (node.Type()) {
    case YAML::NodeType::Map: {
      Json object = Json::object();
      for (const auto& member : node) {
        object[member.first.as<std::string>()] = convert(member.second);
      }
      return object;
    }
    case YAML::NodeType::Sequence: {
      Json array = Json::array();
      for (const auto& element : node) array.push_back(convert(element));
      return array;
    }
    case YAML::NodeType::Scalar:
      if (node.Tag() == "!") return node.Scalar();  // quoted
      return plain_scalar(node.Scalar());
    default:
      return nullptr;
  }
}

}  // namespace

Result<std::string> yaml_to_json(const std::string& yaml) {
  try {
    return dump_exact(convert(YAML::Load(yaml)));
  } catch (const YAML::Exception& exception) {
    return invalid_argument(exception.what());
  } catch (const nlohmann::json::exception& exception) {
    return invalid_argument(exception.what());
  }
}

}  // namespace ba::scripted

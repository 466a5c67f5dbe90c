// SPDX-License-Identifier: Apache-2.0
#include "worker/settings/given_value.hpp"

#include <utility>

#include "pipeline/base/joined.hpp"
#include "worker/settings/masking.hpp"

namespace ba::settings {
namespace {

/// A list or map as it was written, cut short.
std::string shown(const Node& node, const Findings& findings) {
  constexpr std::size_t kItemsMax = 5;
  if (node.kind == Node::Kind::Map) return "a map";
  std::vector<std::string> items;
  for (const Node& item : node.items) {
    if (items.size() == kItemsMax) {
      items.emplace_back("…");
      break;
    }
    items.push_back(item.kind == Node::Kind::Scalar ? findings.shortened(item.scalar) : "…");
  }
  return "the list [" + joined(items) + "]";
}

}  // namespace

GivenValue::GivenValue(SectionMap& map, std::string key) : map_(map), key_(std::move(key)) {
  map_.know(key_);
}

const std::string* GivenValue::scalar(const std::string& allowed) const {
  const Node* given = node();
  if (given == nullptr) return nullptr;
  if (given->kind == Node::Kind::Scalar) return &given->scalar;
  refuse({.kind = SettingProblem::Kind::WrongShape,
          .value = shown(*given, map_.findings()),
          .allowed = "a single value: " + allowed});
  return nullptr;
}

const std::string* GivenValue::secret_scalar() const {
  const Node* given = node();
  if (given == nullptr) return nullptr;
  if (given->kind == Node::Kind::Scalar) return &given->scalar;
  refuse({.kind = SettingProblem::Kind::WrongShape,
          .value = given->kind == Node::Kind::List ? "a list" : "a map",
          .allowed = "a single value: a text"});
  return nullptr;
}

void GivenValue::not_allowed(const std::string& value, const std::string& allowed) const {
  refuse({.kind = SettingProblem::Kind::NotAllowed,
          .value = map_.findings().excerpt(value),
          .allowed = allowed});
}

void GivenValue::hide(std::string secret) const {
  if (!secret.empty()) map_.findings().secrets.push_back(std::move(secret));
}

void GivenValue::hide_secrets_in(const std::string& text) const {
  for (std::string& secret : hidden_parts(text)) hide(std::move(secret));
}

void GivenValue::show(std::string value_json, SettingShape shape) const {
  Setting setting;
  setting.path = map_.path();
  setting.path.push_back(key_);
  setting.value_json = std::move(value_json);
  setting.shape = std::move(shape);
  setting.origin = map_.origin_of(key_);
  map_.findings().settings.push_back(std::move(setting));
}

void GivenValue::show_text(const std::string& value) const {
  hide_secrets_in(value);
  show(quoted(safe_text(value)));
}

void refuse_entry(SectionMap& map, std::string_view key, std::string_view entry,
                  SettingProblem::Kind kind, const std::string& words) {
  const Node* entries = map.node() != nullptr ? map.node()->find(key) : nullptr;
  const Node* value = entries != nullptr ? entries->find(entry) : nullptr;
  map.findings().error(value != nullptr ? value->origin : map.place_of(key),
                       map.path_of(key) + "." + std::string(entry), kind, words);
}

}  // namespace ba::settings

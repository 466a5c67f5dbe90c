// SPDX-License-Identifier: Apache-2.0
#include "worker/settings/section_map.hpp"

#include <algorithm>
#include <utility>

#include "worker/settings/text_problem.hpp"
#include "worker/settings/yaml_reader.hpp"

namespace ba::settings {

bool is_in_one_value(const Node& node) {
  return node.kind == Node::Kind::Scalar && node.origin.kind >= Origin::Kind::Environment &&
         looks_like_flow(node.scalar);
}

SectionMap::SectionMap(const Node* node, std::vector<std::string> path, Findings& findings,
                       Reading reading)
    : node_(node), path_(std::move(path)), findings_(findings), reading_(reading) {
  if (node_ != nullptr && node_->kind == Node::Kind::Null) node_ = nullptr;
  if (node_ == nullptr) return;
  findings_.places.emplace(path_of(""), node_->origin);
  if (node_->kind == Node::Kind::Map) return;
  refuse_shape(node_->origin, path_of(""), "a map of keys and values");
  node_ = nullptr;
}

const Node* SectionMap::given(std::string_view key) const {
  const Node* node = node_ != nullptr ? node_->find(key) : nullptr;
  return node != nullptr && node->kind != Node::Kind::Null ? node : nullptr;
}

std::string SectionMap::path_of(std::string_view key) const {
  std::string out;
  for (const std::string& part : path_) out += (out.empty() ? "" : ".") + part;
  if (!key.empty()) out += (out.empty() ? "" : ".") + std::string(key);
  return out;
}

Origin SectionMap::place_of(std::string_view key) const {
  if (node_ == nullptr) return {};
  const Node* node = node_->find(key);
  return node != nullptr ? node->origin : node_->origin;
}

Origin SectionMap::origin_of(std::string_view key) const {
  const Node* node = given(key);
  return node != nullptr ? node->origin : Origin{};
}

void SectionMap::know(std::string_view key) {
  if (!knows(key)) known_.emplace_back(key);
}

bool SectionMap::knows(std::string_view key) const {
  return std::ranges::find(known_, key) != known_.end();
}

const Node* SectionMap::structure(std::string_view key, Shown shown) {
  know(key);
  const Node* node = given(key);
  const bool closed = node != nullptr && is_in_one_value(*node);
  return closed ? opened(path_of(key), *node, shown) : node;
}

const Node* SectionMap::opened(const std::string& path, const Node& flow, Shown shown) {
  auto read = read_flow(flow.scalar, flow.origin);
  if (!read) {
    const std::string value = shown == Shown::Value ? findings_.excerpt(flow.scalar) + " " : "";
    findings_.unread_keys.insert(path);
    findings_.error(flow.origin, path, SettingProblem::Kind::Unreadable,
                    value + "can't be read as a list or map: " + read.error().message +
                        "; write it as YAML does on one line: [a, \"b, c\"] or {name: value}");
    return nullptr;
  }
  refuse_what_is_no_text(*read, path, findings_);
  return &opened_.emplace_back(std::move(*read));
}

void SectionMap::refuse(std::string_view key, SettingProblem problem) {
  if (node_ == nullptr && is_unread()) return;  // its values are defaults
  problem.key = path_of(key);
  findings_.add(place_of(key), std::move(problem));
}

void SectionMap::refuse_shape(const Origin& place, const std::string& path,
                              const std::string& allowed) {
  findings_.unread_keys.insert(path);
  findings_.add(place, {.kind = SettingProblem::Kind::WrongShape, .key = path, .allowed = allowed});
}

}  // namespace ba::settings

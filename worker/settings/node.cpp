// SPDX-License-Identifier: Apache-2.0
#include "worker/settings/node.hpp"

#include <algorithm>
#include <span>

#include "worker/settings/key_path.hpp"
#include "worker/settings/yaml_reader.hpp"

namespace ba::settings {

std::string Origin::text() const {
  switch (kind) {
    case Kind::Default:
      return "default";
    case Kind::File:
      return line > 0 ? name + ":" + std::to_string(line) : name;
    case Kind::Environment:
      return "environment " + name;
    case Kind::Flag:
      return "flag " + name;
  }
  return "default";
}

const Node* Node::find(std::string_view key) const {
  for (const Entry& entry : entries)
    if (entry.key == key) return &entry.value;
  return nullptr;
}

Node* Node::find(std::string_view key) {
  return const_cast<Node*>(static_cast<const Node*>(this)->find(key));
}

namespace {

/// A setting can be given itself or as KEY_file: what a variable or flag says stands in the place
/// of either in the file.
void drop_other_form(Node& map, const std::string& key) {
  constexpr std::string_view kInFile = "_file";
  const std::string other = key.ends_with(kInFile) ? key.substr(0, key.size() - kInFile.size())
                                                   : key + std::string(kInFile);
  std::erase_if(map.entries, [&](const Entry& entry) {
    return entry.key == other && entry.origin.kind == Origin::Kind::File;
  });
}

/// What a file had there is no map, which is still to be told.
void become_map(Node& node, const Origin& origin) {
  std::optional<Origin> displaced;
  if (node.kind != Node::Kind::Null && node.origin.kind == Origin::Kind::File)
    displaced = node.origin;
  node = Node{};
  node.kind = Node::Kind::Map;
  node.origin = origin;
  node.displaced = displaced;
}

}  // namespace

void open_flow_map(Node& node) {
  if (node.kind != Node::Kind::Scalar || node.origin.kind < Origin::Kind::Environment) return;
  if (!looks_like_flow(node.scalar)) return;
  auto map = read_flow(node.scalar, node.origin);
  if (map && map->kind == Node::Kind::Map) node = std::move(*map);
}

void set_scalar(Node& root, const std::vector<std::string>& path, std::string value,
                const Origin& origin) {
  Node* node = &root;
  const std::size_t parts = std::min(path.size(), kPathPartsMax);
  for (const std::string& key : std::span(path).first(parts)) {
    open_flow_map(*node);
    if (node->kind != Node::Kind::Map) become_map(*node, origin);
    if (&key == &path[parts - 1] && origin.kind != Origin::Kind::File) drop_other_form(*node, key);
    if (node->find(key) == nullptr) node->entries.push_back(Entry{key, origin, Node{}});
    node = node->find(key);
  }
  *node = Node{};
  node->kind = Node::Kind::Scalar;
  node->scalar = std::move(value);
  node->origin = origin;
}

void set_scalar(Node& root, std::string_view path, std::string value, const Origin& origin) {
  set_scalar(root, keys_of(path), std::move(value), origin);
}

}  // namespace ba::settings

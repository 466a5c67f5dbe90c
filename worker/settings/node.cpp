// SPDX-License-Identifier: Apache-2.0
#include "worker/settings/node.hpp"

#include <algorithm>
#include <span>

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

const std::vector<std::string> kPropertyMap{"kafka", "properties"};

/// Where a key that begins with a quote ends; `from` for any other.
std::size_t end_of_quotes(std::string_view path, std::size_t from) {
  if (from >= path.size() || path[from] != '"') return from;
  const std::size_t end = path.find('"', from + 1);
  return end == std::string_view::npos ? from : end + 1;
}

std::string unquoted(std::string_view key) {
  const bool quoted = key.size() >= 2 && key.front() == '"' && key.back() == '"';
  return std::string(quoted ? key.substr(1, key.size() - 2) : key);
}

}  // namespace

std::vector<std::string> keys_of(std::string_view path) {
  std::vector<std::string> keys;
  for (std::size_t from = 0; from <= path.size();) {
    if (keys == kPropertyMap) {  // librdkafka's names have dots
      keys.push_back(unquoted(path.substr(from)));
      break;
    }
    const std::size_t dot = std::min(path.find('.', end_of_quotes(path, from)), path.size());
    keys.push_back(unquoted(path.substr(from, dot - from)));
    from = dot + 1;
  }
  return keys;
}

std::optional<std::string> key_path_problem(std::string_view path) {
  const std::vector<std::string> keys = keys_of(path);
  if (std::ranges::find(keys, "") != keys.end()) return "one of its keys is empty";
  for (const std::string& key : keys)
    if (key.starts_with('"'))
      return "of a key in quotes the second quote is missing, or something stands behind it; "
             "write a.\"b.c\".d";
  return std::nullopt;
}

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
    if (node->kind != Node::Kind::Map) {
      if (node->kind != Node::Kind::Null && node->origin.kind == Origin::Kind::File) return;
      *node = Node{};
      node->kind = Node::Kind::Map;
      node->origin = origin;
    }
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

// SPDX-License-Identifier: Apache-2.0
#include "worker/settings/section_reader.hpp"

#include <algorithm>

#include "pipeline/base/joined.hpp"
#include "pipeline/base/nearest_word.hpp"

namespace ba::settings {
namespace {

/// A URL without quotes between { and } is cut at its commas: what follows may be of a password.
bool could_be_a_key(const Entry& entry) {
  constexpr std::string_view kLetters =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.";
  return entry.value.kind != Node::Kind::Null &&
         entry.key.find_first_not_of(kLetters) == std::string::npos;
}

}  // namespace

void SectionReader::read_inner(std::vector<std::string> names, const Node* node, const Read& read) {
  std::vector<std::string> path = map_.path();
  for (std::string& name : names) path.push_back(std::move(name));
  SectionReader reader(node, std::move(path), map_.findings(),
                       map_.lists_everything() ? Reading::Everything : Reading::Given);
  read(reader);
  reader.finish();
}

void SectionReader::section(const char* key, const Read& read) {
  read_inner({key}, map_.structure(key, Shown::Nothing), read);
}

void SectionReader::entries(
    const char* key, const std::function<void(const std::string& name, SectionReader&)>& read) {
  const Node* node = map_.structure(key, Shown::Nothing);
  const auto read_one = [&](const std::string& name, const Node* value) {
    read_inner({key, name}, value, [&](SectionReader& inner) { read(name, inner); });
  };
  if (map_.lists_everything()) return read_one(kAnyName, nullptr);
  if (node != nullptr && node->kind != Node::Kind::Map) {
    map_.refuse_shape(node->origin, map_.path_of(key), "a map from names to their settings");
    node = nullptr;
  }
  if (node == nullptr || node->entries.empty()) return GivenValue(map_, key).show("{}");
  for (const Entry& entry : node->entries) {
    if (entry.key.empty()) {
      map_.findings().error(entry.origin, map_.path_of(key), Kind::NotAllowed,
                            "one of its names is empty: give it a name");
      continue;
    }
    const std::string path = map_.path_of(key) + "." + entry.key;
    map_.findings().places.emplace(path, entry.origin);
    read_one(entry.key, is_in_one_value(entry.value)
                            ? map_.opened(path, entry.value, Shown::Nothing)
                            : &entry.value);
  }
}

void SectionReader::list(const char* key, const Read& read) {
  const Node* node = map_.structure(key, Shown::Nothing);
  const auto read_one = [&](const std::string& index, const Node* item) {
    read_inner({std::string(key) + "[" + index + "]"}, item, read);
  };
  if (map_.lists_everything()) return read_one(kAnyName, nullptr);
  if (node != nullptr && node->kind != Node::Kind::List) {
    map_.refuse_shape(node->origin, map_.path_of(key), "a list (\"- …\")");
    node = nullptr;
  }
  if (node == nullptr || node->items.empty()) return GivenValue(map_, key).show("[]");
  for (std::size_t index = 0; index < node->items.size(); ++index)
    read_one(std::to_string(index), &node->items[index]);
}

bool SectionReader::wants(std::string_view key) {
  map_.know(key);
  return map_.lists_everything() || has(key);
}

bool SectionReader::lacks(std::string_view key) const {
  if (has(key) || map_.is_unread()) return false;
  if (map_.node() == nullptr) return true;
  return std::ranges::none_of(map_.node()->entries, [&](const Entry& entry) {
    return !map_.knows(entry.key) && nearest_word(entry.key, map_.known()) == key;
  });
}

void SectionReader::conflict(std::string_view key, std::string_view other,
                             const std::string& what) {
  const Origin first = map_.origin_of(key);
  const Origin second = map_.origin_of(other);
  const auto rank = [](const Origin& origin) { return std::pair(origin.kind, origin.line); };
  map_.findings().error(rank(first) < rank(second) ? second : first, map_.path_of(key),
                        Kind::Conflict,
                        what + " (" + std::string(key) + ": " + first.text() + ", " +
                            std::string(other) + ": " + second.text() + ")");
}

void SectionReader::warning(std::string_view key, const std::string& what) {
  map_.findings().warning(map_.place_of(key), map_.path_of(key), what);
}

void SectionReader::finish() {
  if (map_.node() == nullptr) return;
  for (const Entry& entry : map_.node()->entries) {
    if (map_.knows(entry.key)) continue;
    const auto nearest = nearest_word(entry.key, map_.known());
    if (nearest && !has(*nearest)) map_.findings().unread_keys.insert(map_.path_of(*nearest));
    const bool shows = nearest || could_be_a_key(entry);
    map_.findings().add(entry.origin,
                        {.kind = SettingProblem::Kind::UnknownKey,
                         .key = map_.path_of(shows ? entry.key : "(a name that isn't shown)"),
                         .allowed = joined(map_.known()),
                         .nearest = nearest ? quoted(*nearest) : ""});
  }
}

}  // namespace ba::settings

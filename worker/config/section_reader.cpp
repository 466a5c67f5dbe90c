// SPDX-License-Identifier: Apache-2.0
// The part of SectionReader that knows structure; values are read in section_values.cpp, lists
// and maps of texts in section_lists.cpp.
#include "worker/config/section_reader.hpp"

#include <algorithm>
#include <utility>

#include "pipeline/base/assert.hpp"
#include "pipeline/base/joined.hpp"
#include "worker/config/nearest_word.hpp"
#include "worker/config/text_check.hpp"
#include "worker/config/yaml_reader.hpp"

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

/// What a flag or variable gave for a list or map.
bool is_in_one_value(const Node& node) {
  return node.kind == Node::Kind::Scalar && node.origin.kind >= Origin::Kind::Environment &&
         looks_like_flow(node.scalar);
}

/// Also where a variable or flag made one of it by what it set within.
bool is_map(const Node& node) { return node.kind == Node::Kind::Map && !node.displaced; }

/// A URL without quotes between { and } is cut at its commas: what follows may be of a password.
bool could_be_a_key(const Entry& entry) {
  constexpr std::string_view kLetters =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.";
  return entry.value.kind != Node::Kind::Null &&
         entry.key.find_first_not_of(kLetters) == std::string::npos;
}

const Origin& origin_of_other(const Node& node) {
  return node.displaced ? *node.displaced : node.origin;
}

}  // namespace

SectionReader::SectionReader(const Node* node, std::vector<std::string> path, Findings& findings)
    : node_(node), path_(std::move(path)), findings_(findings) {
  if (node_ != nullptr && node_->kind == Node::Kind::Null) node_ = nullptr;
  if (node_ == nullptr) return;
  findings_.places.emplace(path_text(""), node_->origin);
  if (is_map(*node_)) return;
  unread(origin_of_other(*node_), path_text(""), "a map of keys and values");
  node_ = nullptr;
}

void SectionReader::section(const char* key, const std::function<void(SectionReader&)>& read) {
  std::vector<std::string> inner = path_;
  inner.emplace_back(key);
  SectionReader reader(take_structure(key, Shown::Nothing), std::move(inner), findings_);
  read(reader);
  reader.finish();
}

void SectionReader::entries(
    const char* key, const std::function<void(const std::string& name, SectionReader&)>& read) {
  const Node* node = take_structure(key, Shown::Nothing);
  const auto read_one = [&](const std::string& name, const Node* value) {
    std::vector<std::string> inner = path_;
    inner.emplace_back(key);
    inner.push_back(name);
    SectionReader reader(value, std::move(inner), findings_);
    read(name, reader);
    reader.finish();
  };
  if (findings_.outlining) return read_one(kAnyName, nullptr);
  if (node != nullptr && !is_map(*node)) {
    unread(origin_of_other(*node), path_text(key), "a map from names to their settings");
    node = nullptr;
  }
  if (node == nullptr || node->entries.empty()) {
    record(key, "{}");
    return;
  }
  for (const Entry& entry : node->entries) {
    if (entry.key.empty()) {
      findings_.error(entry.origin, path_text(key), "one of its names is empty: give it a name");
      continue;
    }
    const bool closed = is_in_one_value(entry.value);
    const std::string path = path_text(key) + "." + entry.key;
    findings_.places.emplace(path, entry.origin);
    read_one(entry.key, closed ? opened(path, entry.value, Shown::Nothing) : &entry.value);
  }
}

void SectionReader::list(const char* key, const std::function<void(SectionReader&)>& read) {
  const Node* node = take_structure(key, Shown::Nothing);
  const auto read_one = [&](const std::string& index, const Node* item) {
    std::vector<std::string> inner = path_;
    inner.push_back(std::string(key) + "[" + index + "]");
    SectionReader reader(item, std::move(inner), findings_);
    read(reader);
    reader.finish();
  };
  if (findings_.outlining) return read_one(kAnyName, nullptr);
  if (node != nullptr && node->kind != Node::Kind::List) {
    unread(node->origin, path_text(key), "a list (\"- …\")");
    node = nullptr;
  }
  if (node == nullptr || node->items.empty()) {
    record(key, "[]");
    return;
  }
  for (std::size_t index = 0; index < node->items.size(); ++index)
    read_one(std::to_string(index), &node->items[index]);
}

bool SectionReader::has(std::string_view key) const {
  return findings_.outlining || given(key) != nullptr;
}

void SectionReader::finish() {
  if (node_ == nullptr) return;
  for (const Entry& entry : node_->entries) {
    if (is_known(entry.key)) continue;
    const auto nearest = nearest_word(entry.key, known_);
    if (nearest && given(*nearest) == nullptr) findings_.unread_keys.insert(path_text(*nearest));
    const bool shows = nearest || could_be_a_key(entry);
    findings_.add(entry.origin, {.kind = SettingProblem::Kind::UnknownKey,
                                 .key = path_text(shows ? entry.key : "(a name that isn't shown)"),
                                 .allowed = joined(known_),
                                 .nearest = nearest ? quoted(*nearest) : ""});
  }
}

bool SectionReader::lacks(std::string_view key) const {
  if (has(key) || is_unread()) return false;
  if (node_ == nullptr) return true;
  return std::ranges::none_of(node_->entries, [&](const Entry& entry) {
    return !is_known(entry.key) && nearest_word(entry.key, known_) == key;
  });
}

bool SectionReader::is_wrong(std::string_view key) const {
  return findings_.is_wrong(path_text(key));
}

// ---- inside ------------------------------------------------------------------------------------

const Node* SectionReader::given(std::string_view key) const {
  const Node* node = node_ != nullptr ? node_->find(key) : nullptr;
  return node != nullptr && node->kind != Node::Kind::Null ? node : nullptr;
}

bool SectionReader::is_known(std::string_view key) const {
  return std::ranges::find(known_, key) != known_.end();
}

bool SectionReader::is_unread() const { return findings_.unread_keys.contains(path_text("")); }

void SectionReader::unread(const Origin& origin, const std::string& path,
                           const std::string& allowed) {
  findings_.unread_keys.insert(path);
  findings_.add(origin,
                {.kind = SettingProblem::Kind::WrongShape, .key = path, .allowed = allowed});
}

const Node* SectionReader::take(std::string_view key) {
  known_.emplace_back(key);
  return given(key);
}

const Node* SectionReader::take_structure(std::string_view key, Shown shown) {
  const Node* node = take(key);
  const bool closed = node != nullptr && is_in_one_value(*node);
  return closed ? opened(path_text(key), *node, shown) : node;
}

const Node* SectionReader::opened(const std::string& path, const Node& flow, Shown shown) {
  auto read = read_flow(flow.scalar, flow.origin);
  if (!read) {
    const std::string value = shown == Shown::Value ? findings_.excerpt(flow.scalar) + " " : "";
    findings_.unread_keys.insert(path);
    findings_.error(flow.origin, path,
                    value + "can't be read as a list or map: " + read.error().message +
                        "; write it as YAML does on one line: [a, \"b, c\"] or {name: value}");
    return nullptr;
  }
  refuse_what_is_no_text(*read, path, findings_);
  return &opened_.emplace_back(std::move(*read));
}

const std::string* SectionReader::take_scalar(std::string_view key, const std::string& allowed) {
  const Node* node = take(key);
  if (node == nullptr) return nullptr;
  if (node->kind == Node::Kind::Scalar) return &node->scalar;
  problem(key, {.kind = SettingProblem::Kind::WrongShape,
                .value = shown(*node, findings_),
                .allowed = "a single value: " + allowed});
  return nullptr;
}

const std::string* SectionReader::take_secret(std::string_view key) {
  const Node* node = take(key);
  if (node == nullptr) return nullptr;
  if (node->kind == Node::Kind::Scalar) return &node->scalar;
  problem(key, {.kind = SettingProblem::Kind::WrongShape,
                .value = node->kind == Node::Kind::List ? "a list" : "a map",
                .allowed = "a single value: a text"});
  return nullptr;
}

void SectionReader::record(std::string_view key, std::string value_json, SettingShape shape) {
  Setting setting;
  setting.path = path_;
  setting.path.emplace_back(key);
  setting.value_json = std::move(value_json);
  setting.shape = std::move(shape);
  if (const Node* node = given(key)) setting.origin = node->origin;
  findings_.settings.push_back(std::move(setting));
}

void SectionReader::put_in_force(const char* key, const std::string& value) {
  std::vector<std::string> path = path_;
  path.emplace_back(key);
  const auto read = std::ranges::find(findings_.settings, path, &Setting::path);
  BA_ASSERT(read != findings_.settings.end());
  read->value_json = quoted(value);
}

Origin SectionReader::origin_of(std::string_view key) const {
  if (node_ == nullptr) return {};
  const Node* node = node_->find(key);
  return node != nullptr ? node->origin : node_->origin;
}

std::string SectionReader::path_text(std::string_view key) const {
  std::string out;
  for (const std::string& part : path_) out += (out.empty() ? "" : ".") + part;
  if (!key.empty()) out += (out.empty() ? "" : ".") + std::string(key);
  return out;
}

Origin SectionReader::value_origin(std::string_view key) const {
  const Node* node = given(key);
  return node != nullptr ? node->origin : Origin{};
}

void SectionReader::problem(std::string_view key, SettingProblem problem) {
  if (node_ == nullptr && is_unread()) return;  // its values are defaults
  problem.key = path_text(key);
  findings_.add(origin_of(key), std::move(problem));
}

void SectionReader::error(std::string_view key, const std::string& what) {
  problem(key, {.allowed = what});
}

void SectionReader::entry_error(std::string_view key, std::string_view entry,
                                const std::string& what) {
  const Node* map = node_ != nullptr ? node_->find(key) : nullptr;
  const Node* value = map != nullptr ? map->find(entry) : nullptr;
  findings_.error(value != nullptr ? value->origin : origin_of(key),
                  path_text(key) + "." + std::string(entry), what);
}

void SectionReader::conflict(std::string_view key, std::string_view other,
                             const std::string& what) {
  const Origin first = value_origin(key);
  const Origin second = value_origin(other);
  const auto rank = [](const Origin& origin) { return std::pair(origin.kind, origin.line); };
  findings_.error(rank(first) < rank(second) ? second : first, path_text(key),
                  what + " (" + std::string(key) + ": " + first.text() + ", " + std::string(other) +
                      ": " + second.text() + ")");
}

void SectionReader::warning(std::string_view key, const std::string& what) {
  findings_.warning(origin_of(key), path_text(key), what);
}

void SectionReader::wrong(std::string_view key, const std::string& value,
                          const std::string& allowed) {
  problem(key, {.kind = SettingProblem::Kind::NotAllowed,
                .value = findings_.excerpt(value),
                .allowed = allowed});
}

}  // namespace ba::settings

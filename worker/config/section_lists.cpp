// SPDX-License-Identifier: Apache-2.0
// The part of SectionReader that reads lists and maps of texts.
#include <algorithm>

#include "worker/config/left_masks.hpp"
#include "worker/config/section_reader.hpp"
#include "worker/config/small_file.hpp"
#include "worker/config/yaml_reader.hpp"
#include "worker/observe/secret_forms.hpp"

namespace ba::settings {
namespace {

using Kind = SettingShape::Kind;

std::string trimmed(std::string_view text) {
  const char* blank = " \t\r\n";
  const std::size_t first = text.find_first_not_of(blank);
  if (first == std::string_view::npos) return {};
  return std::string(text.substr(first, text.find_last_not_of(blank) - first + 1));
}

std::vector<std::string> split_at_commas(std::string_view text) {
  std::vector<std::string> out;
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t comma = std::min(text.find(',', from), text.size());
    if (std::string word = trimmed(text.substr(from, comma - from)); !word.empty())
      out.push_back(std::move(word));
    from = comma + 1;
  }
  return out;
}

/// A list in one text, as a flag, a variable or ${NAME} in the file gives it. In the file a "{" is
/// a text's own: it has maps that are maps.
bool is_list_in_one_text(const Node& node) {
  const bool from_file = node.origin.kind == Origin::Kind::File;
  return from_file ? node.scalar.starts_with('[') : looks_like_flow(node.scalar);
}

/// Whether the text stands behind a bare "--token", which says that it is a secret.
bool is_named_secret(const std::vector<std::string>& texts, std::size_t at) {
  if (at == 0 || texts[at].empty() || texts[at].starts_with('-')) return false;
  const std::string_view option = texts[at - 1];
  const std::size_t name = option.find_first_not_of('-');
  const bool bare = (name == 1 || name == 2) && option.find('=') == option.npos;
  return bare && secret_name(option.substr(name));
}

std::string json_list(const std::vector<std::string>& texts) {
  std::string out = "[";
  for (const std::string& text : texts) out += (out.size() > 1 ? ", " : "") + quoted(text);
  return out + "]";
}

std::string json_map(const std::map<std::string, std::string>& texts) {
  std::string out = "{";
  for (const auto& [name, content] : texts)
    out += (out.size() > 1 ? ", " : "") + quoted(name) + ": " + quoted(content);
  return out + "}";
}

}  // namespace

void SectionReader::texts(const char* key, std::vector<std::string>& value) {
  const Node* node = take(key);
  if (node != nullptr && node->kind == Node::Kind::Scalar && is_list_in_one_text(*node))
    node = opened(path_text(key), *node, Shown::Value);
  if (node != nullptr && node->kind == Node::Kind::Scalar) {
    value = split_at_commas(node->scalar);
  } else if (node != nullptr && node->kind == Node::Kind::List) {
    value.clear();
    for (const Node& item : node->items) {
      if (item.kind == Node::Kind::Scalar)
        value.push_back(item.scalar);
      else
        findings_.error(item.origin, path_text(key), "each item must be a text");
    }
  } else if (node != nullptr) {
    error(key, "is a map; must be a list of texts");
  }
  std::vector<std::string> shown;
  for (std::size_t at = 0; at < value.size(); ++at) {
    const std::string& text = value[at];
    const bool secret = is_named_secret(value, at);
    if (secret ? is_mask(text) : holds_mask(text))
      error(key, mask_left(""));
    else if (secret)
      findings_.secrets.push_back(text);
    else
      note_secrets(text);
    shown.push_back(secret ? kMaskedSecret : mask_secrets(text));
  }
  record(key, json_list(shown), {.kind = Kind::Texts});
}

void SectionReader::text_map(const char* key, std::map<std::string, std::string>& value) {
  take_map(key, value, Shown::Value);
  std::map<std::string, std::string> shown;
  for (const auto& [name, content] : value) {
    if (holds_mask(content)) entry_error(key, name, mask_left(""));
    note_secrets(content);
    shown[name] = mask_secrets(content);
  }
  record(key, json_map(shown), {.kind = Kind::TextMap});
}

void SectionReader::secret_map(const char* key, std::map<std::string, std::string>& value,
                               IsSecret is_secret) {
  take_map(key, value, Shown::Nothing);
  std::map<std::string, std::string> shown;
  for (const auto& [name, content] : value) {
    if (is_mask(content))
      entry_error(key, name, mask_left(""));
    else if (!content.empty() && is_secret(name))
      findings_.secrets.push_back(content);
    shown[name] = kMaskedSecret;
  }
  record(key, json_map(shown), {.kind = Kind::TextMap});
}

void SectionReader::secret_files(const char* key, std::map<std::string, std::string>& value) {
  std::map<std::string, std::string> files;
  text_map(key, files);
  for (const auto& [name, file] : files) {
    auto content = read_small_file(file);
    if (!content) {
      entry_error(key, name, content.error().message);
      continue;
    }
    while (!content->empty() && (content->back() == '\n' || content->back() == '\r'))
      content->pop_back();
    if (content->empty()) entry_error(key, name, "the file is empty: " + file);
    if (!content->empty()) findings_.secrets.push_back(*content);
    value[name] = std::move(*content);
  }
}

void SectionReader::take_map(const char* key, std::map<std::string, std::string>& value,
                             Shown shown) {
  const Node* node = take_structure(key, shown);
  if (node == nullptr) return;
  if (node->kind != Node::Kind::Map) {
    error(key, "must be a map of texts");
    return;
  }
  value.clear();
  for (const Entry& entry : node->entries) {
    if (entry.value.kind == Node::Kind::Scalar)
      value[entry.key] = entry.value.scalar;
    else
      findings_.error(entry.origin, path_text(key) + "." + entry.key, "must be a text");
  }
}

}  // namespace ba::settings

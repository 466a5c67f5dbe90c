// SPDX-License-Identifier: Apache-2.0
// Lists and maps of texts.
#include <algorithm>
#include <optional>

#include "pipeline/text/secret/secret_forms.hpp"
#include "worker/settings/masking.hpp"
#include "worker/settings/setting_values.hpp"
#include "worker/settings/yaml_reader.hpp"

namespace ba::settings {
namespace {

using Kind = SettingShape::Kind;

constexpr std::string_view kOptionLetters = "abcdefghijklmnopqrstuvwxyz-_";

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

/// "token" of "--token" and of "--token=…"; empty: the text is no option.
std::string_view option_name(std::string_view text) {
  const std::size_t name = text.find_first_not_of('-');
  if (name != 1 && name != 2) return {};
  return text.substr(name, text.find('=') - name);
}

/// What can hardly be meant as a value: "-v", "--dry-run".
bool is_plain_option(std::string_view text) {
  return text.starts_with('-') && text.find_first_not_of(kOptionLetters) == text.npos;
}

/// Where the secret of a text begins that an option's name says is one: behind "--token=", or at
/// 0 where a bare "--token" stands before it. None: it is no such text.
std::optional<std::size_t> named_secret(const std::vector<std::string>& texts, std::size_t at) {
  const std::string_view text = texts[at];
  const std::size_t equals = text.find('=');
  const bool named_here = equals != text.npos && secret_name(option_name(text));
  if (named_here) return equals + 1 < text.size() ? std::optional(equals + 1) : std::nullopt;
  if (at == 0 || text.empty() || is_plain_option(text)) return std::nullopt;
  const std::string_view before = texts[at - 1];
  const bool bare = before.find('=') == before.npos && secret_name(option_name(before));
  return bare ? std::optional<std::size_t>(0) : std::nullopt;
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

/// An entry of the wrong kind is left out.
void take_texts(const GivenValue& given, std::map<std::string, std::string>& value, Shown shown) {
  SectionMap& map = given.map();
  const Node* node = map.structure(given.key(), shown);
  if (node == nullptr) return;
  if (node->kind != Node::Kind::Map) {
    map.findings().add(node->origin, {.kind = SettingProblem::Kind::WrongShape,
                                      .key = map.path_of(given.key()),
                                      .allowed = "a map of texts"});
    return;
  }
  value.clear();
  for (const Entry& entry : node->entries) {
    if (entry.value.kind == Node::Kind::Scalar)
      value[entry.key] = entry.value.scalar;
    else
      map.findings().error(entry.origin, map.path_of(given.key()) + "." + entry.key,
                           SettingProblem::Kind::WrongShape, "must be a text");
  }
}

std::vector<std::string> texts_of(const GivenValue& given, const Node& list) {
  std::vector<std::string> texts;
  for (const Node& item : list.items) {
    if (item.kind == Node::Kind::Scalar)
      texts.push_back(item.scalar);
    else
      given.map().findings().error(item.origin, given.map().path_of(given.key()),
                                   SettingProblem::Kind::WrongShape, "each item must be a text");
  }
  return texts;
}

}  // namespace

void read_value(const GivenValue& given, std::vector<std::string>& value) {
  const Node* node = given.node();
  if (node != nullptr && node->kind == Node::Kind::Scalar && is_list_in_one_text(*node))
    node = given.map().opened(given.map().path_of(given.key()), *node, Shown::Value);
  if (node != nullptr && node->kind == Node::Kind::Scalar)
    value = split_at_commas(node->scalar);
  else if (node != nullptr && node->kind == Node::Kind::List)
    value = texts_of(given, *node);
  else if (node != nullptr)
    given.refuse(
        {.kind = SettingProblem::Kind::WrongShape, .value = "a map", .allowed = "a list of texts"});
  std::vector<std::string> shown;
  for (std::size_t at = 0; at < value.size(); ++at) {
    const std::string& text = value[at];
    const auto secret = named_secret(value, at);
    if (secret ? is_mask(text.substr(*secret)) : holds_mask(text))
      given.error(SettingProblem::Kind::Masked, mask_left(""));
    else if (secret)
      given.hide(text.substr(*secret));
    else
      given.hide_secrets_in(text);
    shown.push_back(secret ? text.substr(0, *secret) + kMaskedSecret : safe_text(text));
  }
  given.show(json_list(shown), {.kind = Kind::Texts});
}

void read_value(const GivenValue& given, std::map<std::string, std::string>& value) {
  take_texts(given, value, Shown::Value);
  std::map<std::string, std::string> shown;
  for (const auto& [name, content] : value) {
    if (holds_mask(content))
      refuse_entry(given.map(), given.key(), name, SettingProblem::Kind::Masked, mask_left(""));
    given.hide_secrets_in(content);
    shown[name] = safe_text(content);
  }
  given.show(json_map(shown), {.kind = Kind::TextMap});
}

void read_value(const GivenValue& given, const MaskedTexts& value) {
  take_texts(given, value.texts, Shown::Nothing);
  std::map<std::string, std::string> shown;
  for (const auto& [name, content] : value.texts) {
    if (is_mask(content))
      refuse_entry(given.map(), given.key(), name, SettingProblem::Kind::Masked, mask_left(""));
    else if (value.is_secret(name))
      given.hide(content);
    shown[name] = kMaskedSecret;
  }
  given.show(json_map(shown), {.kind = Kind::TextMap});
}

void read_value(const GivenValue& given, std::map<std::string, Secret>& value) {
  std::map<std::string, std::string> texts;
  read_value(given, MaskedTexts{texts, [](std::string_view) { return true; }});
  for (auto& [name, text] : texts) value[name] = Secret(std::move(text));
}

}  // namespace ba::settings

// SPDX-License-Identifier: Apache-2.0
// The part of SectionReader that reads values; structure is in section_reader.cpp.
#include <algorithm>
#include <array>
#include <charconv>

#include "pipeline/base/joined.hpp"
#include "worker/config/left_masks.hpp"
#include "worker/config/lower_case.hpp"
#include "worker/config/micro_usd.hpp"
#include "worker/config/nearest_word.hpp"
#include "worker/config/section_reader.hpp"
#include "worker/config/small_file.hpp"
#include "worker/config/text_check.hpp"
#include "worker/config/yaml_reader.hpp"

namespace ba::settings {
namespace {

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

std::string real_text(double number) {
  std::array<char, 32> digits{};
  const auto [end, failure] = std::to_chars(digits.begin(), digits.end(), number);
  return {digits.begin(), failure == std::errc() ? end : digits.begin()};
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

using Kind = SettingShape::Kind;

SettingShape whole_shape(Bounds bounds) { return {.kind = Kind::Whole, .bounds = bounds}; }

SettingShape real_shape(double least, double most) {
  return {.kind = Kind::Real, .least = least, .most = most};
}

}  // namespace

void SectionReader::text(const char* key, std::string& value) {
  if (const std::string* scalar = take_scalar(key, "a text")) {
    if (holds_mask(*scalar))
      error(key, mask_left(""));
    else
      value = *scalar;
  }
  record_text(key, value);
}

void SectionReader::number(const char* key, std::int64_t& value, Bounds bounds) {
  if (auto number = whole_number(key, bounds)) value = *number;
  record(key, std::to_string(value), whole_shape(bounds));
}

void SectionReader::number(const char* key, int& value, Bounds bounds) {
  if (auto number = whole_number(key, bounds)) value = static_cast<int>(*number);
  record(key, std::to_string(value), whole_shape(bounds));
}

void SectionReader::milliseconds(const char* key, Milliseconds& value, Bounds bounds) {
  if (auto number = whole_number(key, bounds)) value = Milliseconds(*number);
  record(key, std::to_string(value.count()), whole_shape(bounds));
}

void SectionReader::real(const char* key, double& value, double min, double max) {
  value = real_number(key, min, max).value_or(value);
  record(key, real_text(value), real_shape(min, max));
}

void SectionReader::optional_real(const char* key, std::optional<double>& value, double min,
                                  double max) {
  if (auto number = real_number(key, min, max)) value = number;
  record(key, value ? real_text(*value) : "null", real_shape(min, max));
}

void SectionReader::boolean(const char* key, bool& value) {
  if (const std::string* scalar = take_scalar(key, "true or false")) {
    const std::string word = in_lower_case(*scalar);
    const bool yes = word == "true" || word == "yes" || word == "on" || word == "1";
    const bool no = word == "false" || word == "no" || word == "off" || word == "0";
    if (yes || no)
      value = yes;
    else
      wrong(key, *scalar, "true or false");
  }
  record(key, value ? "true" : "false", {.kind = Kind::Boolean});
}

void SectionReader::dollars(const char* key, std::int64_t& micro_usd, Bounds bounds) {
  const std::string allowed = "an amount of dollars with at most 6 decimal places, like 0.25";
  if (const std::string* scalar = take_scalar(key, allowed)) {
    const auto amount = parse_micro_usd(*scalar);
    if (!amount)
      wrong(key, *scalar, allowed);
    else if (*amount < bounds.least && bounds.least == 0)
      error(key, std::string(key) + " must be non-negative: " + findings_.shortened(*scalar));
    else if (*amount < bounds.least || *amount > bounds.most)
      wrong(key, *scalar,
            micro_usd_text(bounds.least) + " to " + micro_usd_text(bounds.most) + " dollars");
    else
      micro_usd = *amount;
  }
  record(key, micro_usd_text(micro_usd), {.kind = Kind::Dollars, .bounds = bounds});
}

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
  for (const std::string& text : value) {
    if (holds_mask(text)) error(key, mask_left(""));
    note_secrets(text);
    shown.push_back(mask_secrets(text));
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

void SectionReader::secret(const char* key, std::string& value) {
  const bool in_file = from_file(key, value, false);
  if (const std::string* scalar = take_secret(key)) {
    if (is_mask(*scalar))
      error(key, mask_left(std::string(key) + "_file"));
    else
      value = *scalar;
  }
  if (!value.empty()) findings_.secrets.push_back(value);
  if (!in_file) record(key, value.empty() ? "\"\"" : quoted(kMaskedSecret));
}

void SectionReader::text_or_file(const char* key, std::string& value) {
  const bool in_file = from_file(key, value, true);
  if (const std::string* scalar = take_scalar(key, "a text")) value = *scalar;
  if (!in_file) record(key, quoted(value));
}

void SectionReader::connection(const char* key, std::string& value) {
  const bool in_file = from_file(key, value, false);
  if (const std::string* scalar = take_secret(key)) {
    if (is_mask(*scalar) || holds_mask(*scalar))
      error(key, mask_left(std::string(key) + "_file"));
    else
      value = *scalar;
  }
  note_secrets(value);
  if (in_file) return;
  // By its form nobody can tell where a password with a space ends.
  const bool broken =
      value.find("://") != std::string::npos && value.find_first_of(" \t\n") != std::string::npos;
  record(key, quoted(broken ? std::string(kMaskedSecret) : mask_secrets(value)));
}

void SectionReader::note_secrets(const std::string& value) {
  for (std::string& secret : secrets_in(value))
    if (!is_mask(secret)) findings_.secrets.push_back(std::move(secret));
}

void SectionReader::record_text(const char* key, const std::string& value) {
  note_secrets(value);
  // Any part of a URL's query may be a key.
  const std::size_t query = value.find("://") != std::string::npos ? value.find('?') : value.npos;
  const std::string hidden = query < value.size() ? std::string("?") + kMaskedSecret : "";
  record(key, quoted(mask_secrets(value.substr(0, query)) + hidden));
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

std::optional<std::int64_t> SectionReader::whole_number(const char* key, Bounds bounds) {
  const std::string span =
      "a whole number from " + std::to_string(bounds.least) + " to " + std::to_string(bounds.most);
  const std::string* scalar = take_scalar(key, span);
  if (scalar == nullptr) return std::nullopt;
  std::string digits;
  for (const char letter : *scalar)
    if (letter != '_') digits += letter;
  std::int64_t number = 0;
  const auto [end, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (failure != std::errc() || end != digits.data() + digits.size()) {
    wrong(key, *scalar, span);
  } else if (number < bounds.least && bounds.least == 1) {
    error(key, std::string(key) + " must be positive: " + std::to_string(number));
  } else if (number < bounds.least && bounds.least == 0) {
    error(key, std::string(key) + " must be non-negative: " + std::to_string(number));
  } else if (number < bounds.least || number > bounds.most) {
    wrong(key, *scalar, span);
  } else {
    return number;
  }
  return std::nullopt;
}

std::optional<double> SectionReader::real_number(const char* key, double min, double max) {
  const std::string allowed = "a number from " + real_text(min) + " to " + real_text(max);
  const std::string* scalar = take_scalar(key, allowed);
  if (scalar == nullptr) return std::nullopt;
  double number = 0;
  const char* last = scalar->data() + scalar->size();
  const auto [end, failure] = std::from_chars(scalar->data(), last, number);
  const bool valid = failure == std::errc() && end == last && number >= min && number <= max;
  if (valid) return number;
  wrong(key, *scalar, allowed);
  return std::nullopt;
}

std::optional<std::size_t> SectionReader::choose(const char* key, const std::string& current,
                                                 const std::vector<std::string>& allowed) {
  std::optional<std::size_t> chosen;
  std::string shown = current;
  if (const std::string* scalar = take_scalar(key, "one of " + joined(allowed))) {
    const auto found = std::find(allowed.begin(), allowed.end(), in_lower_case(*scalar));
    if (found != allowed.end()) {
      chosen = static_cast<std::size_t>(found - allowed.begin());
      shown = *found;
    } else {
      const auto nearest = nearest_word(*scalar, allowed);
      error(key, "Invalid " + std::string(key) + ": " + findings_.shortened(*scalar) +
                     " (allowed: " + joined(allowed) + ")" +
                     (nearest ? "; did you mean \"" + *nearest + "\"?" : ""));
    }
  }
  record(key, quoted(shown), {.kind = Kind::Choice, .choices = allowed});
  return chosen;
}

bool SectionReader::from_file(const char* key, std::string& value, bool keep_newlines) {
  const std::string file_key = std::string(key) + "_file";
  const std::string* name = take_scalar(file_key, "the name of a file");
  if (findings_.outlining) record(file_key, "\"\"");
  if (name == nullptr) return false;
  if (has(key)) error(key, std::string(key) + " and " + file_key + " are both set: keep one");
  auto content = read_small_file(*name);
  if (!content) {
    error(file_key, content.error().message);
    findings_.wrong_keys.insert(path_text(key));  // nobody is to miss the value as well
    return false;
  }
  value = std::move(*content);
  while (!keep_newlines && !value.empty() && (value.back() == '\n' || value.back() == '\r'))
    value.pop_back();
  if (value.empty()) {
    error(file_key, "the file is empty: " + *name);
    findings_.wrong_keys.insert(path_text(key));
  }
  if (const std::string problem = text_problem(value); !problem.empty())
    error(file_key, "what stands in " + *name + " " + problem);
  record(file_key, quoted(*name));
  return true;
}

}  // namespace ba::settings

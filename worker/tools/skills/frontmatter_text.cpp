// SPDX-License-Identifier: Apache-2.0
// with_quoted_texts() and texts_cut_by_comments() of skill_document.hpp.

#include <algorithm>
#include <optional>

#include "worker/settings/yaml_reader.hpp"
#include "worker/tools/skills/skill_document.hpp"

namespace ba::skills {
namespace {

constexpr std::string_view kBlanks = " \t\r";

bool is_blank(char c) { return kBlanks.find(c) != std::string_view::npos; }

std::string_view stripped(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return "";
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

/// "key" of "key: value"; empty where the line is no such.
std::string_view key_of(std::string_view line) {
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos) return "";
  const bool ends = colon + 1 == line.size() || is_blank(line[colon + 1]);
  const std::string_view key = stripped(line.substr(0, colon));
  return ends && key.find_first_of(" \t\"'#") == std::string_view::npos ? key : "";
}

/// A field at the top, with the lines that belong to it.
struct Field {
  int line = 0;
  std::string_view key;
  std::vector<std::string_view> lines;

  std::string_view value() const { return stripped(lines[0].substr(lines[0].find(':') + 1)); }
};

struct Fields {
  std::vector<std::string_view> before;  ///< the first one
  std::vector<Field> fields;
};

Fields fields_of(std::string_view yaml) {
  Fields out;
  for (int line = 1; !yaml.empty(); ++line) {
    const std::string_view text = yaml.substr(0, yaml.find('\n'));
    yaml.remove_prefix(std::min(text.size() + 1, yaml.size()));
    const bool indented = text.empty() || is_blank(text.front());
    const std::string_view key = indented ? "" : key_of(text);
    if (!key.empty())
      out.fields.push_back({line, key, {text}});
    else if (out.fields.empty())
      out.before.push_back(text);
    else
      out.fields.back().lines.push_back(text);
  }
  return out;
}

std::string joined(const Field& field) {
  std::string text;
  for (const std::string_view line : field.lines) text += std::string(line) + "\n";
  return text;
}

bool readable(const Field& field) { return bool(settings::read_yaml(joined(field) + "...\n", "")); }

/// Whether a line within a value may be meant as a field of its own.
bool may_be_a_field(std::string_view line) {
  const std::size_t first = line.find_first_not_of(" \t-?\"'{");
  if (first == std::string_view::npos) return false;
  line = line.substr(first);
  const std::size_t end = line.find_first_of(":\"'");
  return end != std::string_view::npos && is_field(stripped(line.substr(0, end)));
}

/// Whether a restriction stands anywhere in a line. The word "tools" alone is a word.
bool names_a_restriction(std::string_view line) {
  for (std::size_t at = line.find(':'); at != std::string_view::npos; at = line.find(':', at + 1)) {
    std::string_view before = stripped(line.substr(0, at));
    while (before.ends_with('"') || before.ends_with('\'')) before.remove_suffix(1);
    const std::string_view word = before.substr(before.find_last_of(" \t\"'{,.;") + 1);
    if (may_restrict(word) && word != "tools" && word != "Tools") return true;
  }
  return false;
}

bool is_comment(std::string_view line) { return stripped(line).starts_with('#'); }

/// Whether the value is meant as one text. Metadata are a map, in which restrictions may stand.
bool is_text(const Field& field) {
  const std::string_view value = field.value();
  if (value.empty() || value.front() == '|' || value.front() == '>') return false;
  if (may_restrict(field.key) || field.key == "metadata") return false;
  if (std::ranges::any_of(field.lines, names_a_restriction)) return false;
  const bool quote = value.front() == '"' || value.front() == '\'';
  // One that nothing closes may be meant to go on anywhere.
  if (quote && value.find(value.front(), 1) == std::string_view::npos) return false;
  return std::all_of(field.lines.begin() + 1, field.lines.end(), [](std::string_view line) {
    const bool inside = line.empty() || is_blank(line.front());
    return is_comment(line) || (inside && !may_be_a_field(line));
  });
}

/// Whether the quotes at both ends are one pair: "Use "this" well" is, "A" and "B" isn't.
bool in_one_pair(std::string_view text) {
  const char quote = text.front();
  if ((quote != '"' && quote != '\'') || text.size() < 2 || text.back() != quote) return false;
  const std::size_t inner = text.find(quote, 1);
  return inner + 1 == text.size() || is_blank(text[inner - 1]) || !is_blank(text[inner + 1]);
}

std::string text_of(const Field& field) {
  std::string text(field.value());
  for (std::size_t i = 1; i < field.lines.size(); ++i)
    if (const auto more = stripped(field.lines[i]); !more.empty() && more.front() != '#')
      text += " " + std::string(more);
  return in_one_pair(text) ? text.substr(1, text.size() - 2) : text;
}

/// In single quotes, on as many lines.
std::string quoted(const Field& field) {
  std::string out = std::string(field.key) + ": '";
  for (const char c : text_of(field)) out += c == '\'' ? "''" : std::string(1, c);
  return out + "'" + std::string(field.lines.size(), '\n');
}

std::size_t indent_of(std::string_view line) {
  return std::min(line.find_first_not_of(" \t"), line.size());
}

/// The lines below the key without the indent that they share; none: they share none.
std::optional<std::string> dedented(const Field& map) {
  std::string_view indent;
  std::string text;
  for (std::size_t i = 1; i < map.lines.size(); ++i) {
    const std::string_view line = map.lines[i];
    const bool blank = stripped(line).empty();
    if (indent.empty() && !blank && !is_comment(line)) indent = line.substr(0, indent_of(line));
    const bool inside = !indent.empty() && line.starts_with(indent);
    if (!inside && !blank && !is_comment(line)) return std::nullopt;
    if (inside) text += line.substr(indent.size());
    if (!inside && is_comment(line)) text += '#';
    text += '\n';
  }
  return text;
}

std::string indented(const std::string& lines) {
  std::string out;
  for (const char c : lines) {
    if (c != '\n' && (out.empty() || out.back() == '\n')) out += ' ';
    out += c;
  }
  return out;
}

/// Metadata whose values would need quotes, each on as many lines as before; none: it isn't plainly
/// a map of them.
std::optional<std::string> with_quoted_entries(const Field& map, std::vector<TextInPlace>& texts) {
  if (map.key != "metadata" || !map.value().empty()) return std::nullopt;
  const auto inner = dedented(map);
  if (!inner) return std::nullopt;
  const Fields entries = fields_of(*inner);
  if (!std::ranges::all_of(entries.before,
                           [](auto line) { return stripped(line).empty() || is_comment(line); }))
    return std::nullopt;
  std::vector<TextInPlace> found;
  std::string out = std::string(map.lines[0]) + "\n";
  for (const std::string_view line : entries.before) out += std::string(line) + "\n";
  for (const Field& entry : entries.fields) {
    const bool text = !readable(entry) && is_text(entry);
    if (text) found.push_back({map.line + entry.line, "metadata." + std::string(entry.key)});
    out += indented(text ? quoted(entry) : joined(entry));
  }
  if (found.empty() || !settings::read_yaml(out + "...\n", "")) return std::nullopt;
  texts.insert(texts.end(), found.begin(), found.end());
  return out;
}

bool cut_by_comment(const Field& field) {
  if (field.key != "description" && field.key != "compatibility") return false;
  const std::string_view value = field.value();
  if (value.empty() || std::string_view("|>\"'#").find(value.front()) != std::string_view::npos)
    return false;
  return std::ranges::any_of(field.lines, [](std::string_view line) {
    const std::string_view text = stripped(line);
    return !is_comment(text) && (text.find(" #") != std::string_view::npos ||
                                 text.find("\t#") != std::string_view::npos);
  });
}

}  // namespace

QuotedFrontmatter with_quoted_texts(std::string_view yaml) {
  const Fields all = fields_of(yaml);
  QuotedFrontmatter out;
  for (const std::string_view line : all.before) out.yaml += std::string(line) + "\n";
  for (const Field& field : all.fields) {
    const bool readable_as_it_is = readable(field);
    if (!readable_as_it_is) {
      if (const auto map = with_quoted_entries(field, out.texts)) {
        out.yaml += *map;
        continue;
      }
    }
    const bool text = !readable_as_it_is && is_text(field);
    if (text) out.texts.push_back({field.line, std::string(field.key)});
    out.yaml += text ? quoted(field) : joined(field);
  }
  return out;
}

std::vector<TextInPlace> texts_cut_by_comments(std::string_view yaml) {
  std::vector<TextInPlace> cut;
  for (const Field& field : fields_of(yaml).fields)
    if (cut_by_comment(field)) cut.push_back({field.line, std::string(field.key)});
  return cut;
}

}  // namespace ba::skills

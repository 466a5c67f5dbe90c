// SPDX-License-Identifier: Apache-2.0
// read_frontmatter() and its words, of skill_document.hpp.

#include <algorithm>
#include <array>
#include <cctype>

#include "pipeline/base/joined.hpp"
#include "pipeline/text/message/utf8.hpp"
#include "pipeline/text/semantic/normal_text.hpp"
#include "worker/tools/skills/skill_document.hpp"

namespace ba::skills {
namespace {

using settings::Node;
using Severity = SkillFinding::Severity;

constexpr std::size_t kNameMax = 64;
constexpr std::size_t kDescriptionMax = 1024;
constexpr std::size_t kCompatibilityMax = 500;
constexpr std::size_t kDescriptionRead = 8192;  // beyond that nobody wants it in a system prompt
constexpr std::size_t kListMax = 100;
constexpr std::size_t kShown = 60;

constexpr std::array<std::string_view, 6> kFields{"allowed-tools", "compatibility", "description",
                                                  "license",       "metadata",      "name"};
constexpr std::array<std::string_view, 3> kOwnFields{"capabilities", "disable-model-invocation",
                                                     "model"};

constexpr std::string_view kAllowedTools = "allowed-tools";
/// Names of lists of tools that other programs have, without case, '-' and '_'.
constexpr std::array<std::string_view, 7> kRestrictions{
    "allowedtool", "allowedtools",    "allowtools", "deniedtools",
    "denytools",   "disallowedtools", "tools"};

/// disable-model-invocation, likewise.
constexpr std::string_view kModelInvocation = "disablemodelinvocation";

std::string plain(std::string_view key) {
  std::string plain;
  for (const char c : key)
    if (c != '-' && c != '_' && c != ' ')
      plain += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return plain;
}

bool is_restriction(std::string_view key) {
  return std::ranges::find(kRestrictions, plain(key)) != kRestrictions.end();
}

bool blank(std::string_view text) {
  return text.find_first_not_of(" \t\r\n") == std::string_view::npos;
}

std::string stripped(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string::npos) return "";
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

std::string shown(std::string_view text) {
  std::string cut(utf8_prefix(text, kShown));
  if (cut.size() < text.size()) cut += "…";
  return "\"" + cut + "\"";
}

class Frontmatter {
 public:
  Frontmatter(const Node& root, const SkillPlace& place, SkillDocument& document)
      : root_(root), place_(place), skill_(document.skill), findings_(document.findings) {}

  void read() {
    find_what_is_no_strict_yaml(root_);
    find_unknown_fields();
    read_name();
    read_description();
    if (const auto text = optional_text("compatibility")) {
      skill_.compatibility = *text;
      limit("compatibility", *text, kCompatibilityMax);
    }
    if (const auto text = optional_text("license")) skill_.license = *text;
    read_metadata();
    read_allowed_tools();
    find_misplaced_restrictions(root_, true);
    if (const Node* metadata = root_.find("metadata"))
      find_misplaced_restrictions(*metadata, false);
    read_own_fields();
  }

 private:
  void find(Severity severity, std::string_view key, const std::string& what) {
    const auto entry = std::ranges::find(root_.entries, key, &settings::Entry::key);
    const bool there = entry != root_.entries.end();
    // What is empty is said to stand where the next thing does.
    const bool empty = there && entry->value.kind == Node::Kind::Null;
    const settings::Origin& value = there ? entry->value.origin : root_.origin;
    find_at(severity, empty ? entry->origin : value, key, what);
  }

  void find_at(Severity severity, const settings::Origin& at, std::string_view key,
               const std::string& what) {
    const std::string line = at.line > 0 ? ":" + std::to_string(at.line) : "";
    findings_.push_back({severity, place_.file + line + ": " +
                                       (key.empty() ? "" : std::string(key) + ": ") + what});
  }

  void find_what_is_no_strict_yaml(const Node& node) {
    if (node.beyond_strict)
      find_at(Severity::Error, node.origin, "",
              "the format allows neither {…} nor […], and no anchors, aliases and tags");
    for (const Node& item : node.items) find_what_is_no_strict_yaml(item);
    for (const settings::Entry& entry : node.entries) find_what_is_no_strict_yaml(entry.value);
  }

  void find_unknown_fields() {
    for (const settings::Entry& entry : root_.entries) {
      if (std::ranges::find(kFields, entry.key) != kFields.end()) continue;
      const bool own = std::ranges::find(kOwnFields, entry.key) != kOwnFields.end();
      find_at(Severity::Error, entry.origin, std::string(utf8_prefix(entry.key, kShown)),
              own ? "is no field of the format; write it below metadata"
                  : "is no field of the format (there are: " + joined(kFields) + ")");
    }
  }

  /// A field that must be there, and not blank; none: a finding says why.
  std::optional<std::string> required_text(std::string_view key) {
    const Node* node = root_.find(key);
    if (node == nullptr) {
      find(Severity::Fatal, key, "is missing");
      return std::nullopt;
    }
    if (node->kind == Node::Kind::Scalar && !blank(node->scalar)) return stripped(node->scalar);
    find(Severity::Fatal, key, "must be a text that isn't empty");
    return std::nullopt;
  }

  std::optional<std::string> optional_text(std::string_view key) {
    const Node* node = root_.find(key);
    if (node == nullptr || node->kind == Node::Kind::Null) return std::nullopt;
    if (node->kind == Node::Kind::Scalar) return node->scalar;
    // The reference asks it of this field alone.
    const auto severity = key == "compatibility" ? Severity::Error : Severity::Warning;
    find(severity, key, "must be a text; it is left out");
    return std::nullopt;
  }

  void limit(std::string_view key, const std::string& text, std::size_t most) {
    if (code_points(text) > most)
      find(Severity::Error, key,
           std::to_string(code_points(text)) + " characters, more than " + std::to_string(most));
  }

  void read_name() {
    const auto text = required_text("name");
    if (!text) return;
    const std::string name = normal_form(*text, NormalForm::Nfkc);
    skill_.name = name;
    if (code_points(name) > kNameMax)
      find(Severity::Fatal, "name",
           shown(name) + " has " + std::to_string(code_points(name)) + " characters, more than " +
               std::to_string(kNameMax));
    if (!only_letters_digits_hyphens(name))
      find(Severity::Fatal, "name",
           shown(name) + ": only lower-case letters, digits and hyphens are allowed");
    else if (!is_lower_case(name))
      find(Severity::Fatal, "name", shown(name) + " must be in lower case");
    if (name.starts_with('-') || name.ends_with('-') || name.find("--") != std::string::npos)
      find(Severity::Error, "name",
           shown(name) + ": a hyphen must stand between letters or digits");
    const std::string directory = normal_form(place_.directory, NormalForm::Nfkc);
    if (!directory.empty() && directory != name)
      find(Severity::Error, "name",
           shown(name) + " must be the name of its directory, " + shown(place_.directory));
  }

  void read_description() {
    const auto text = required_text("description");
    if (!text) return;
    skill_.description = *text;
    if (text->size() > kDescriptionRead)
      find(Severity::Fatal, "description",
           std::to_string(text->size()) + " bytes, more than " + std::to_string(kDescriptionRead));
    // The reference counts the field as it stands, with what surrounds it.
    limit("description", root_.find("description")->scalar, kDescriptionMax);
  }

  void read_metadata() {
    const Node* node = root_.find("metadata");
    if (node == nullptr || node->kind == Node::Kind::Null) return;
    if (node->kind != Node::Kind::Map) {
      find(Severity::Warning, "metadata", "must be a map of texts; it is left out");
      return;
    }
    for (const settings::Entry& entry : node->entries) {
      if (entry.value.kind == Node::Kind::Scalar)
        skill_.metadata[entry.key] = entry.value.scalar;
      else
        find_at(Severity::Warning, entry.origin, "metadata." + entry.key,
                "must be a text; it is left out");
    }
  }

  /// A text, or a list of texts as other clients have it. What it restricts must be clear.
  void read_allowed_tools() {
    const Node* node = root_.find(kAllowedTools);
    if (node == nullptr) return;
    const bool list = node->kind == Node::Kind::List;
    const bool texts = std::ranges::all_of(
        node->items, [](const Node& item) { return item.kind == Node::Kind::Scalar; });
    if ((node->kind != Node::Kind::Scalar && !list) || !texts)
      return find(
          Severity::Fatal, kAllowedTools,
          "must be a text, or a list of texts; '' allows no tool, and without the field all "
          "are allowed");
    if (list)
      find(Severity::Warning, kAllowedTools,
           "is a list; other clients may read only a text: names separated by spaces");
    std::string text = node->scalar;
    for (const Node& item : node->items) text += " " + item.scalar;
    skill_.allowed_tools = bounded(tool_names_in(text), kAllowedTools);
  }

  /// A restriction that is written in another way, or elsewhere, is meant as one. In metadata,
  /// which is free, `tools` may be anything.
  void find_misplaced_restrictions(const Node& map, bool top) {
    for (const settings::Entry& entry : map.entries)
      if (is_restriction(entry.key) && entry.key != (top ? kAllowedTools : "tools"))
        find_at(
            Severity::Fatal, entry.origin, std::string(utf8_prefix(entry.key, kShown)),
            "restricts nothing as it stands; write the tools that are allowed as allowed-tools, "
            "at the top");
  }

  /// At the top, or in the metadata; none: in neither.
  std::optional<std::string> own_field(std::string_view key) {
    if (root_.find(key)) return optional_text(key);
    const auto found = skill_.metadata.find(std::string(key));
    if (found == skill_.metadata.end()) return std::nullopt;
    return found->second;
  }

  void read_own_fields() {
    if (const auto text = own_field("model")) skill_.model = stripped(*text);
    if (const auto text = own_field("capabilities"))
      skill_.capabilities = bounded(parts_of(*text), "capabilities");
    if (const Node* list = root_.find("capabilities"); list && list->kind == Node::Kind::List) {
      skill_.capabilities.clear();
      for (const Node& item : list->items) skill_.capabilities.push_back(item.scalar);
      skill_.capabilities = bounded(std::move(skill_.capabilities), "capabilities");
    }
    read_model_invocation();
  }

  /// Whatever stands there that isn't "false", whoever wrote it, in whatever spelling and place,
  /// meant to keep models from it.
  void read_model_invocation() {
    const Node* metadata = root_.find("metadata");
    for (const Node* map : {&root_, metadata}) {
      if (map == nullptr) continue;
      for (const settings::Entry& entry : map->entries)
        if (plain(entry.key) == kModelInvocation) read_model_invocation(entry);
    }
  }

  void read_model_invocation(const settings::Entry& entry) {
    const std::string text = entry.value.kind == Node::Kind::Scalar ? entry.value.scalar : "";
    if (text != "false") skill_.disable_model_invocation = true;
    if (text != "true" && text != "false")
      find_at(Severity::Error, entry.origin, std::string(utf8_prefix(entry.key, kShown)),
              shown(text) + " must be true or false; it counts as true");
  }

  void find_own(Severity severity, std::string_view key, const std::string& what) {
    const Node* node = root_.find(key);
    const Node* metadata = root_.find("metadata");
    if (node == nullptr && metadata) node = metadata->find(key);
    find_at(severity, node ? node->origin : root_.origin, key, what);
  }

  static std::vector<std::string> parts_of(const std::string& text) {
    std::vector<std::string> parts;
    for (std::size_t at = 0; at <= text.size();) {
      const std::size_t end = std::min(text.find(',', at), text.size());
      if (const std::string part = stripped(text.substr(at, end - at)); !part.empty())
        parts.push_back(part);
      at = end + 1;
    }
    return parts;
  }

  std::vector<std::string> bounded(std::vector<std::string> names, std::string_view key) {
    if (names.size() <= kListMax) return names;
    find_own(Severity::Warning, key,
             std::to_string(names.size()) + " entries; only the first " + std::to_string(kListMax) +
                 " count");
    names.resize(kListMax);
    return names;
  }

  const Node& root_;
  const SkillPlace& place_;
  Skill& skill_;
  std::vector<SkillFinding>& findings_;
};

}  // namespace

bool may_restrict(std::string_view key) {
  return is_restriction(key) || plain(key) == kModelInvocation;
}

bool is_field(std::string_view key) {
  return may_restrict(key) || std::ranges::find(kFields, key) != kFields.end() ||
         std::ranges::find(kOwnFields, key) != kOwnFields.end();
}

std::vector<std::string> tool_names_in(std::string_view text) {
  std::vector<std::string> names(1);
  int open = 0;
  for (const char c : text) {
    if (c == '(') ++open;
    if (c == ')' && open > 0) --open;
    const bool separates = c == ' ' || c == ',' || c == '\n' || c == '\t' || c == '\r';
    if (open == 0 && separates) {
      if (!names.back().empty()) names.emplace_back();
    } else {
      names.back() += c;
    }
  }
  if (names.back().empty()) names.pop_back();
  return names;
}

void read_frontmatter(const settings::Node& root, const SkillPlace& place,
                      SkillDocument& document) {
  Frontmatter(root, place, document).read();
}

}  // namespace ba::skills

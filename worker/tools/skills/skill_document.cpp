// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/skills/skill_document.hpp"

#include <algorithm>

#include "pipeline/text/message/token_estimate.hpp"
#include "pipeline/text/message/utf8.hpp"
#include "worker/settings/yaml_reader.hpp"

namespace ba::skills {
namespace {

using Severity = SkillFinding::Severity;

constexpr std::string_view kFence = "---";
constexpr std::string_view kBlank = " \n\r\t";
constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
// The format's recommendations.
constexpr std::int64_t kBodyLinesMax = 500;
constexpr std::int64_t kBodyTokensMax = 5000;

/// The text without what ends its line.
std::string_view line_of(std::string_view text) {
  std::string_view line = text.substr(0, text.find('\n'));
  if (line.ends_with('\r')) line.remove_suffix(1);
  while (line.ends_with(' ') || line.ends_with('\t')) line.remove_suffix(1);
  return line;
}

struct Parts {
  std::string frontmatter;  ///< with a line for each above it, its fence's too
  std::string_view body;
};

/// Between the first fence and the next one; none: there is no such. Lines above it are blank.
std::optional<Parts> parts_of(std::string_view text) {
  const std::size_t begin = std::min(text.find_first_not_of(kBlank), text.size());
  if (line_of(text.substr(begin)) != kFence) return std::nullopt;
  const std::size_t first = text.find('\n', begin);
  for (std::size_t at = first; at != text.npos; at = text.find('\n', at)) {
    ++at;
    if (line_of(text.substr(at)) != kFence) continue;
    const std::size_t end = text.find('\n', at);
    const auto above = std::count(text.begin(), text.begin() + begin, '\n');
    const std::string_view between = text.substr(first, at - first);
    return Parts{std::string(above, '\n') + std::string(between),
                 end == text.npos ? "" : text.substr(end + 1)};
  }
  return std::nullopt;
}

std::string_view trimmed(std::string_view text) {
  const auto blank = [](char c) { return kBlank.find(c) != std::string_view::npos; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

void look_at_body(const std::string& file, SkillDocument& document) {
  const std::string& body = document.skill.body;
  if (body.empty())
    document.findings.push_back(
        {Severity::Warning, file + ": has no instructions below its frontmatter"});
  const auto at_most = [&](std::int64_t there_are, std::int64_t most, const std::string& what) {
    if (there_are <= most) return;
    document.findings.push_back(
        {Severity::Warning, file + ": " + what + ", more than the " + std::to_string(most) +
                                " that the format recommends; move parts into files of their own"});
  };
  const std::int64_t lines = std::ranges::count(body, '\n');
  at_most(lines, kBodyLinesMax, std::to_string(lines) + " lines");
  const std::int64_t tokens = estimated_tokens(body);
  at_most(tokens, kBodyTokensMax, "instructions of about " + std::to_string(tokens) + " tokens");
}

/// A byte order mark, which some editors write, and blank lines.
void take_what_stands_before(std::string_view& text, const std::string& file,
                             SkillDocument& document) {
  const bool marked = text.starts_with(kByteOrderMark);
  if (marked) text.remove_prefix(kByteOrderMark.size());
  const bool fence_first = text.starts_with(kFence);
  if (fence_first && !marked) return;
  document.findings.push_back(
      {Severity::Error,
       file + ":1: begins with " + (marked ? "a byte order mark" : "blanks") +
           ", which other clients don't take; the first characters must be \"---\""});
}

/// The mark of a document's end: without it the library takes a quote that nothing closes.
Result<settings::Node> read_fields(const std::string& frontmatter, const std::string& file) {
  return settings::read_yaml(frontmatter + "...\n", file, "fields (\"name:\", \"description:\")");
}

void find_in(const TextInPlace& text, const std::string& file, Severity severity,
             const std::string& what, SkillDocument& document) {
  document.findings.push_back(
      {severity, file + ":" + std::to_string(text.line) + ": " + text.key + ": " + what});
}

/// What is no YAML for want of quotes around a text is read as meant.
Result<settings::Node> read_yaml_or_texts(const std::string& frontmatter, const std::string& file,
                                          SkillDocument& document) {
  auto root = read_fields(frontmatter, file);
  if (root) {
    for (const TextInPlace& text : texts_cut_by_comments(frontmatter))
      find_in(text, file, Severity::Warning,
              "the text behind \" #\" is a comment to YAML and left out; put the text in quotes to "
              "keep it",
              document);
    return root;
  }
  const QuotedFrontmatter quoted = with_quoted_texts(frontmatter);
  if (quoted.texts.empty()) return root;
  auto as_texts = read_fields(quoted.yaml, file);
  if (!as_texts) return root;
  for (const TextInPlace& text : quoted.texts)
    find_in(text, file, Severity::Error,
            "is no YAML without quotes around it (a colon, or how it begins); it is read as text",
            document);
  return as_texts;
}

SkillDocument fatal(std::string text) { return {{}, {{Severity::Fatal, std::move(text)}}}; }

}  // namespace

bool SkillDocument::usable() const {
  return std::ranges::none_of(findings,
                              [](const auto& f) { return f.severity == Severity::Fatal; });
}

bool SkillDocument::valid() const {
  return std::ranges::all_of(findings,
                             [](const auto& f) { return f.severity == Severity::Warning; });
}

SkillDocument read_skill_document(std::string_view text, const std::string& file,
                                  const std::string& directory) {
  if (const auto defect = utf8_defect(text))
    return fatal(file + ": must be UTF-8: " + describe_utf8_defect(text, *defect));
  SkillDocument document;
  take_what_stands_before(text, file, document);
  const auto parts = parts_of(text);
  if (!parts)
    return fatal(file + (line_of(trimmed(text)) == kFence
                             ? ":1: frontmatter that no line \"---\" ends"
                             : ":1: must begin with frontmatter: a line \"---\", YAML, \"---\""));
  auto root = read_yaml_or_texts(parts->frontmatter, file, document);
  if (!root) return fatal(root.error().message);
  read_frontmatter(*root, {file, directory}, document);
  document.skill.body = trimmed(parts->body);
  look_at_body(file, document);
  return document;
}

}  // namespace ba::skills

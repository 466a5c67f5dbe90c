// SPDX-License-Identifier: Apache-2.0
#include "worker/skills/skill_document.hpp"

#include <algorithm>

#include "pipeline/message/token_estimate.hpp"
#include "pipeline/message/utf8.hpp"
#include "worker/config/yaml_reader.hpp"
#include "worker/skills/frontmatter.hpp"

namespace ba {
namespace {

using Severity = SkillFinding::Severity;

constexpr std::string_view kFence = "---";
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
  std::string_view frontmatter;  ///< from the first line on, whose fence is left out
  std::string_view body;
};

/// Between the fence in the first line and the next one; none: there is no such.
std::optional<Parts> parts_of(std::string_view text) {
  if (line_of(text) != kFence) return std::nullopt;
  for (std::size_t at = text.find('\n'); at != std::string_view::npos; at = text.find('\n', at)) {
    ++at;
    if (line_of(text.substr(at)) != kFence) continue;
    const std::size_t end = text.find('\n', at);
    const std::size_t begin = kFence.size();
    return Parts{text.substr(begin, at - begin),
                 end == std::string_view::npos ? "" : text.substr(end + 1)};
  }
  return std::nullopt;
}

std::string_view trimmed(std::string_view text) {
  const auto blank = [](char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; };
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
  const auto parts = parts_of(text);
  if (!parts)
    return fatal(file + (line_of(text) == kFence
                             ? ":1: frontmatter that no line \"---\" ends"
                             : ":1: must begin with frontmatter: a line \"---\", YAML, \"---\""));
  // The mark of a document's end: without it the library takes a quote that nothing closes.
  auto root = settings::read_yaml(std::string(parts->frontmatter) + "...\n", file,
                                  "fields (\"name:\", \"description:\")");
  if (!root) return fatal(root.error().message);
  SkillDocument document;
  read_frontmatter(*root, {file, directory}, document);
  document.skill.body = trimmed(parts->body);
  look_at_body(file, document);
  return document;
}

}  // namespace ba

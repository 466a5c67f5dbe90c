// SPDX-License-Identifier: Apache-2.0
#include "worker/driver/offered_sources.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

namespace ba {
namespace {

using Json = nlohmann::ordered_json;

/// How the paragraph of a source begins: "\n\nData source sales".
std::string opening(const std::string& parameter, const std::string& source) {
  std::string words = parameter;
  words[0] = static_cast<char>(words[0] - 'a' + 'A');
  std::ranges::replace(words, '_', ' ');
  return "\n\n" + words + " " + source;
}

/// Where it begins; npos where there is none. A longer name that begins alike is another source.
std::size_t paragraph_of(const std::string& text, const std::string& opening) {
  for (std::size_t at = text.find(opening); at != std::string::npos;
       at = text.find(opening, at + 1)) {
    const std::size_t end = at + opening.size();
    if (end == text.size() || text[end] == ' ' || text[end] == ':' || text[end] == '\n') return at;
  }
  return std::string::npos;
}

/// The paragraphs of all sources follow one another to the end of the text.
void drop_paragraphs(std::string& text, const std::string& parameter,
                     const std::vector<std::string>& sources,
                     const std::set<std::string>& dropped) {
  std::vector<std::pair<std::size_t, bool>> begins;
  for (const std::string& source : sources)
    if (const std::size_t at = paragraph_of(text, opening(parameter, source));
        at != std::string::npos)
      begins.emplace_back(at, dropped.contains(source));
  std::ranges::sort(begins);
  std::size_t end = text.size();
  for (auto begin = begins.rbegin(); begin != begins.rend(); ++begin) {
    if (begin->second) text.erase(begin->first, end - begin->first);
    end = begin->first;
  }
}

}  // namespace

std::optional<ToolSpec> with_sources(ToolSpec spec, const std::string& source_parameter,
                                     const std::optional<std::set<std::string>>& allowed) {
  if (!allowed || source_parameter.empty()) return spec;
  Json schema = Json::parse(spec.parameters_schema);
  Json& parameter = schema["properties"][source_parameter];
  if (!parameter.contains("enum")) return spec;
  const auto sources = parameter["enum"].get<std::vector<std::string>>();
  std::vector<std::string> left;
  std::set<std::string> dropped;
  for (const std::string& source : sources) {
    if (allowed->contains(source_parameter + ":" + source))
      left.push_back(source);
    else
      dropped.insert(source);
  }
  if (dropped.empty()) return spec;
  if (left.empty()) return std::nullopt;
  parameter["enum"] = left;
  if (parameter.contains("default") && dropped.contains(parameter["default"].get<std::string>()))
    parameter.erase("default");
  drop_paragraphs(spec.description, source_parameter, sources, dropped);
  spec.parameters_schema = schema.dump(-1, ' ', false, Json::error_handler_t::replace);
  return spec;
}

}  // namespace ba

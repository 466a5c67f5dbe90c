// SPDX-License-Identifier: Apache-2.0
// Whatever a search service answers is an error, or a result that is stored, read and bounded. The
// first byte is the number of results that are wanted.
#include <nlohmann/json.hpp>
#include <string>

#include "tests/fuzz/targets.hpp"
#include "worker/tools/search/search_request.hpp"

namespace ba::fuzz {

void search_answer(std::string_view input) {
  if (input.empty()) return;
  const int wanted = static_cast<unsigned char>(input.front()) % 50 + 1;
  search::WebSearchConfig config = search::search_defaults(search::SearchPreset::Searxng);
  const RawToolResult result =
      ba::search::search_answer(std::string(input.substr(1)), config, wanted);
  BA_ASSERT(result.error.has_value() == result.data.empty());
  if (result.error) return;
  const nlohmann::json data = nlohmann::json::parse(result.data);
  BA_ASSERT(data.size() <= static_cast<std::size_t>(wanted));
  BA_ASSERT(result.note.empty() || data.size() == static_cast<std::size_t>(wanted));
  for (const auto& found : data) {
    BA_ASSERT(!found.at("url").get<std::string>().empty());
    BA_ASSERT(found.at("title").get<std::string>().size() <=
              static_cast<std::size_t>(config.title_chars_max + 1) * 4);
    for (const auto& field : found)
      BA_ASSERT(field.get<std::string>().find('\0') == std::string::npos);
  }
}

}  // namespace ba::fuzz

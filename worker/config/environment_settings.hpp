#pragma once
// SPDX-License-Identifier: Apache-2.0
// Which environment variables stand for which settings, and how they are laid over the file's
// tree. Beside the table's short-cuts, BA__SECTION__KEY=value sets any value, a list or map as YAML
// writes it on one line, and BA_ANALYTICS_URL makes a data source where the file configures none.
// Any thread.

#include <string>
#include <string_view>
#include <vector>

#include "worker/config/environment.hpp"
#include "worker/settings/findings.hpp"
#include "worker/settings/node.hpp"

namespace ba::config {

struct ShortCut {
  const char* variable;
  const char* path;
};

/// The short-cuts that set one value each; for the documents and --help.
const std::vector<ShortCut>& short_cuts();

void apply_environment(settings::Node& root, const Environment& environment);

/// A provider and a model out of the environment alone, so that everything runs without a file:
/// BA_LLM_BASE_URL (with BA_LLM_PROTOCOL, BA_LLM_MODEL, BA_LLM_API_KEY, BA_LLM_QUIRKS), else
/// ANTHROPIC_API_KEY, else OPENAI_API_KEY. Where the file configures providers, only the two usual
/// keys count, each for the provider that has none and talks to the key's owner.
void apply_llm_environment(settings::Node& root, const Environment& environment,
                           settings::Findings& findings);

/// Warns of variables that look like one of ours and are none, unless the file names them.
void warn_of_misspelt_variables(const Environment& environment, std::string_view file_text,
                                settings::Findings& findings);

}  // namespace ba::config

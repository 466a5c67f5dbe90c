#pragma once
// SPDX-License-Identifier: Apache-2.0
// The option that names another program's form of conversations, for `convert`, `export` and
// `import`. Nobody else includes it.

#include "pipeline/text/carrier/carrier.hpp"
#include "worker/cli/program/command_options.hpp"

namespace ba {

enum class FormUse { Read, Written };  ///< the form "debug" is only written

inline CLI::Option* form_option(CLI::App& app, const char* name, CarrierFormat& format, FormUse use,
                                const char* about) {
  std::vector<std::string> forms = {"langchain", "anthropic", "openai", "responses"};
  if (use == FormUse::Written) forms.emplace_back("debug");
  const auto read = [&format](const std::string& text) {
    format = *value_of(kCarrierFormatNames, text);
  };
  return app.add_option_function<std::string>(name, read, about)->check(CLI::IsMember(forms));
}

}  // namespace ba

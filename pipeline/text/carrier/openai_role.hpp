#pragma once
// SPDX-License-Identifier: Apache-2.0
// OpenAI has two roles for what is a SystemMessage here. Which one it was stands where LangChain's
// own integration puts it. Pure functions.

#include <string>
#include <string_view>

#include "pipeline/text/message/message.hpp"

namespace ba {

inline constexpr std::string_view kOpenaiRoleKwarg = "__openai_role__";

inline void keep_openai_role(MessageMeta& meta, std::string_view role) {
  if (role == "developer") meta.additional_kwargs[std::string(kOpenaiRoleKwarg)] = "\"developer\"";
}

inline std::string_view openai_role(const SystemMessage& message) {
  const auto entry = message.meta.additional_kwargs.find(std::string(kOpenaiRoleKwarg));
  const bool developer =
      entry != message.meta.additional_kwargs.end() && entry->second == "\"developer\"";
  return developer ? "developer" : "system";
}

}  // namespace ba

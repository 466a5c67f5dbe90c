// SPDX-License-Identifier: Apache-2.0
// The registry: the one place that knows all protocols.
#include <algorithm>
#include <array>

#include "pipeline/base/lower_case.hpp"
#include "worker/llm/anthropic/anthropic_protocol.hpp"
#include "worker/llm/openai_chat/openai_chat_protocol.hpp"
#include "worker/llm/openai_responses/openai_responses_protocol.hpp"

namespace ba::llm {

std::span<const Protocol* const> protocols() {
  static const std::array all{
      &anthropic_protocol(),  // the first is the default
      &openai_chat_protocol(),
      &openai_responses_protocol(),
  };
  return all;
}

const Protocol* find_protocol(std::string_view name) {
  const std::string wanted = lower_case(name);
  const auto at = std::ranges::find(protocols(), wanted, &Protocol::name);
  return at == protocols().end() ? nullptr : *at;
}

const Protocol& default_protocol() { return *protocols().front(); }

}  // namespace ba::llm

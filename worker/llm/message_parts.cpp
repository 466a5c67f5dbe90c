// SPDX-License-Identifier: Apache-2.0
#include "worker/llm/message_parts.hpp"

#include "worker/llm/protocol.hpp"

namespace ba {

Result<void> check_extras(const std::vector<const Message*>& messages,
                          const ProviderConfig& provider, std::string_view what) {
  const std::string origin = extra_origin(provider);
  for (std::size_t i = 0; i < messages.size(); ++i) {
    const auto* message = std::get_if<AiMessage>(messages[i]);
    if (message == nullptr || !message->extra || message->extra->provider != origin) continue;
    const auto array = JsonView::parse(message->extra->json);
    if (!array || !array->is(JsonKind::Array))
      return invalid_argument("messages[" + std::to_string(i) +
                              "].extra: must be a JSON array of " + std::string(what));
  }
  return {};
}

void add_paragraph(std::string& text, std::string_view more) {
  if (!text.empty() && !more.empty()) text += "\n\n";
  text += more;
}

}  // namespace ba

// SPDX-License-Identifier: Apache-2.0
#include "worker/llm/request_writer.hpp"

#include "pipeline/text/message/json_view.hpp"

namespace ba::llm {

std::size_t leading_system_messages(const ModelRequest& request) {
  std::size_t leading = 0;
  while (!same_leading(request, leading)) ++leading;
  return leading;
}

bool same_leading(const ModelRequest& request, std::size_t leading) {
  return leading == request.messages.size() ||
         !std::holds_alternative<SystemMessage>(*request.messages[leading]);
}

Result<void> check_extra(const AiMessage& message, std::size_t place, std::string_view origin,
                         std::string_view what) {
  if (!message.extra || message.extra->provider != origin) return {};
  const auto array = JsonView::parse(message.extra->json);
  if (array && array->is(JsonKind::Array)) return {};
  return invalid_argument("messages[" + std::to_string(place) +
                          "].extra: must be a JSON array of " + std::string(what));
}

}  // namespace ba::llm

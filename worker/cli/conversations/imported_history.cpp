// SPDX-License-Identifier: Apache-2.0
#include "worker/cli/conversations/imported_history.hpp"

#include <string_view>

#include "pipeline/core/context/history_rounds.hpp"
#include "pipeline/text/carrier/carrier.hpp"
#include "pipeline/text/message/json_text.hpp"

namespace ba {
namespace {

constexpr std::string_view kPrefix = "inherited/";

/// Whether it ends like "<job>/<round>/<step>", or was given here before.
bool may_be_of_a_job(std::string_view id) {
  const std::size_t last = id.rfind('/');
  if (last == std::string_view::npos || last + 1 == id.size()) return false;
  const std::string_view end = id.substr(last + 1);
  return end.find_first_not_of("0123456789.") == std::string_view::npos;
}

void settle_id(MessageMeta& meta, std::size_t number) {
  const std::string& id = meta.message_id.value;
  if (!id.empty() && !may_be_of_a_job(id)) return;
  if (!id.empty()) {
    std::string json;
    append_json_string(json, id);
    meta.additional_kwargs.try_emplace(std::string(kImportedIdKwarg), json);
  }
  meta.message_id = MessageId(std::string(kPrefix) + std::to_string(number));
}

void settle_round(MessageMeta& meta, int round) {
  std::string& id = meta.round_id;
  if (id.starts_with(kPrefix) || (id.empty() && round == 0)) return;
  id = std::string(kPrefix) + (id.empty() ? std::to_string(round) : id);
}

}  // namespace

void settle_in(std::vector<Message>& history, const ConversationId& conversation) {
  int round = 0;
  for (std::size_t i = 0; i < history.size(); ++i) {
    MessageMeta& meta = meta_of(history[i]);
    if (std::holds_alternative<HumanMessage>(history[i]) && !is_hidden(history[i])) ++round;
    settle_round(meta, round);
    settle_id(meta, i + 1);
    meta.conversation_id = conversation;
  }
}

}  // namespace ba

// SPDX-License-Identifier: Apache-2.0
#include "worker/llm/thinking_bonds.hpp"

#include <algorithm>
#include <functional>
#include <string_view>

namespace ba::llm {
namespace {

void mix(std::size_t& hash, std::string_view text) {
  constexpr std::size_t kGolden = 0x9e3779b97f4a7c15U;
  hash ^= std::hash<std::string_view>{}(text) + kGolden + (hash << 6U) + (hash >> 2U);
}

/// What was said stays as it is under its id; what stands for something that was dropped doesn't.
std::size_t hash_of(const Message& message) {
  std::size_t hash = message.index();
  mix(hash, meta_of(message).message_id.value);
  if (const auto* system = std::get_if<SystemMessage>(&message)) mix(hash, system->text);
  return hash;
}

std::size_t hash_of_prompt(const ModelRequest& request) {
  std::size_t hash = 0;
  mix(hash, request.system);
  mix(hash, request.answer_schema);
  for (const ToolSpec& tool : request.tools) {
    mix(hash, tool.name);
    mix(hash, tool.description);
    mix(hash, tool.parameters_schema);
  }
  return hash;
}

/// Behind that of the prompt.
void add_hashes(std::vector<std::size_t>& hashes, const ModelRequest& request) {
  for (std::size_t place = hashes.size() - 1; place < request.messages.size(); ++place)
    hashes.push_back(hash_of(*request.messages[place]));
}

/// Where the last reply stands, counted from 1; 0: there is none.
std::size_t last_reply(const ModelRequest& request) {
  for (std::size_t i = request.messages.size(); i > 0; --i)
    if (std::holds_alternative<AiMessage>(*request.messages[i - 1])) return i;
  return 0;
}

const std::string& id_at(const ModelRequest& request, std::size_t at) {
  static const std::string kNone;
  return at == 0 ? kNone : meta_of(*request.messages[at - 1]).message_id.value;
}

/// Whether what was sent stands at the beginning of what is sent now.
bool goes_on(const std::vector<std::size_t>& sent, const std::vector<std::size_t>& now) {
  return sent.size() <= now.size() && std::equal(sent.begin(), sent.end(), now.begin());
}

const AiMessage* reply_at(const ModelRequest& request, std::size_t at) {
  return at == 0 ? nullptr : std::get_if<AiMessage>(request.messages[at - 1]);
}

/// Of such a reply nothing goes back.
bool says_nothing(const AiMessage& reply) {
  return reply.tool_calls.empty() && reply.text.find_first_not_of(" \t\r\n") == std::string::npos;
}

}  // namespace

std::size_t open_turn(const ModelRequest& request) {
  std::size_t start = 0;
  for (std::size_t at = last_reply(request); at > 0; --at) {
    const AiMessage* reply = reply_at(request, at);
    if (reply == nullptr || says_nothing(*reply)) continue;
    if (reply->tool_calls.empty()) break;
    start = at;
  }
  return start;
}

ThinkingBonds::Place ThinkingBonds::place_of(const ModelRequest& request) {
  return {request.affinity, request.model, id_at(request, last_reply(request))};
}

std::size_t ThinkingBonds::loose(const ModelRequest& request, Rules rules) {
  if (request.aside) return 0;
  std::size_t changed = rules.bound ? std::min(request.moved, last_reply(request)) : 0;
  std::size_t refused = 0;
  if (request.affinity != 0) {
    Known& here = known(request.affinity);
    // All models of a provider are bound, or none is.
    if (rules.bound) send(here, request);
    if (rules.bound) changed = std::max(changed, up_to(request, here.changed));
    const auto by_model = here.refused.find(request.model);
    if (by_model != here.refused.end()) refused = up_to(request, by_model->second);
  }
  if (rules.turn_stays)
    if (const std::size_t start = open_turn(request); start > 0)
      changed = std::min(changed, start - 1);
  return std::max(changed, refused);
}

void ThinkingBonds::send(Known& here, const ModelRequest& request) {
  const auto lineage = request.memory != nullptr ? request.memory->lineage : nullptr;
  const std::size_t prompt = hash_of_prompt(request);
  const bool added_to = lineage != nullptr && lineage == here.lineage && here.sent[0] == prompt &&
                        here.sent.size() <= request.messages.size() + 1;
  if (added_to) return add_hashes(here.sent, request);
  std::vector<std::size_t> now{prompt};
  add_hashes(now, request);
  if (!goes_on(here.sent, now)) here.changed = {id_at(request, last_reply(request)), 0};
  here.sent = std::move(now);
  here.lineage = lineage;
}

/// The first so many messages, up to this one; 0: it isn't there.
std::size_t ThinkingBonds::up_to(const ModelRequest& request, Mark& mark) {
  if (mark.id.empty()) return 0;
  if (mark.at <= request.messages.size() && id_at(request, mark.at) == mark.id) return mark.at;
  for (std::size_t i = request.messages.size(); i > 0; --i)
    if (id_at(request, i) == mark.id) return mark.at = i;
  return 0;
}

void ThinkingBonds::refused(const Place& place) {
  if (place.conversation == 0 || place.last_reply.empty()) return;
  known(place.conversation).refused[place.model] = {place.last_reply, 0};
}

ThinkingBonds::Known& ThinkingBonds::known(std::uint64_t conversation) {
  const auto [found, is_new] = known_.try_emplace(conversation);
  Known& here = found->second;
  if (!is_new) {
    uses_.splice(uses_.begin(), uses_, here.use);
    return here;
  }
  uses_.push_front(conversation);
  here.use = uses_.begin();
  if (uses_.size() > kConversationsMax) {
    known_.erase(uses_.back());
    uses_.pop_back();
  }
  return here;
}

}  // namespace ba::llm

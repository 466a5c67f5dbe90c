// SPDX-License-Identifier: Apache-2.0
#include "worker/llm/thinking_bonds.hpp"

#include <algorithm>
#include <functional>
#include <string_view>

namespace ba {
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

std::vector<std::size_t> hashes_of(const ModelRequest& request) {
  std::vector<std::size_t> hashes{0};
  mix(hashes[0], request.system);
  mix(hashes[0], request.answer_schema);
  for (const ToolSpec& tool : request.tools) {
    mix(hashes[0], tool.name);
    mix(hashes[0], tool.description);
    mix(hashes[0], tool.parameters_schema);
  }
  for (const Message* message : request.messages) hashes.push_back(hash_of(*message));
  return hashes;
}

/// Where the last reply stands, counted from 1; 0: there is none.
std::size_t last_reply(const ModelRequest& request) {
  for (std::size_t i = request.messages.size(); i > 0; --i)
    if (std::holds_alternative<AiMessage>(*request.messages[i - 1])) return i;
  return 0;
}

std::string id_at(const ModelRequest& request, std::size_t at) {
  return at == 0 ? "" : meta_of(*request.messages[at - 1]).message_id.value;
}

/// The first so many messages, up to the one of this id; 0: it isn't there.
std::size_t up_to(const ModelRequest& request, const std::string& id) {
  if (id.empty()) return 0;
  for (std::size_t i = request.messages.size(); i > 0; --i)
    if (id_at(request, i) == id) return i;
  return 0;
}

/// Whether what was sent stands at the beginning of what is sent now.
bool goes_on(const std::vector<std::size_t>& sent, const std::vector<std::size_t>& now) {
  return sent.size() <= now.size() && std::equal(sent.begin(), sent.end(), now.begin());
}

bool has_calls(const ModelRequest& request, std::size_t at) {
  return at > 0 && !std::get<AiMessage>(*request.messages[at - 1]).tool_calls.empty();
}

}  // namespace

ThinkingBonds::Place ThinkingBonds::place_of(const ModelRequest& request) {
  return {request.affinity, request.model, id_at(request, last_reply(request))};
}

std::size_t ThinkingBonds::loose(const ModelRequest& request, Rules rules) {
  const std::size_t last = last_reply(request);
  if (last == 0) return 0;
  std::size_t changed = rules.bound ? std::min(request.moved, last) : 0;
  std::size_t refused = 0;
  if (request.affinity != 0) {
    Known& here = known({request.affinity, request.model});
    std::vector<std::size_t> now = hashes_of(request);
    if (!goes_on(here.sent, now)) here.changed = id_at(request, last);
    here.sent = std::move(now);
    if (rules.bound) changed = std::max(changed, up_to(request, here.changed));
    refused = up_to(request, here.refused);
  }
  if (rules.last_stays && has_calls(request, last)) changed = std::min(changed, last - 1);
  return std::max(changed, refused);
}

void ThinkingBonds::refused(const Place& place) {
  if (place.conversation == 0 || place.last_reply.empty()) return;
  known({place.conversation, place.model}).refused = place.last_reply;
}

ThinkingBonds::Known& ThinkingBonds::known(const Key& key) {
  const auto [found, is_new] = known_.try_emplace(key);
  Known& here = found->second;
  if (!is_new) {
    uses_.splice(uses_.begin(), uses_, here.use);
    return here;
  }
  uses_.push_front(key);
  here.use = uses_.begin();
  if (uses_.size() > kConversationsMax) {
    known_.erase(uses_.back());
    uses_.pop_back();
  }
  return here;
}

}  // namespace ba

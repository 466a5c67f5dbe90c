// SPDX-License-Identifier: Apache-2.0
#include "worker/mcp/input_answers.hpp"

namespace ba::mcp {
namespace {

Json defaults_of(const Json& params) {
  Json content = Json::object();
  const Json* schema = member(params, "requestedSchema");
  const Json* properties = schema != nullptr ? member(*schema, "properties") : nullptr;
  if (properties == nullptr || !properties->is_object()) return content;
  for (auto item = properties->begin(); item != properties->end(); ++item)
    if (const Json* preset = member(*item, "default")) content[item.key()] = *preset;
  return content;
}

Json elicited(const Json& params, Elicitation elicitation) {
  if (elicitation == Elicitation::Decline) return {{"action", "decline"}};
  return {{"action", "accept"}, {"content", defaults_of(params)}};
}

}  // namespace

Json client_capabilities(Elicitation elicitation) {
  if (elicitation == Elicitation::Decline) return Json::object();
  return {{"elicitation", {{"form", Json::object()}}}};
}

std::string answer_to(const RpcMessage& request, Elicitation elicitation) {
  if (request.method == "ping") return rpc_result(request.id, Json::object());
  if (request.method == "elicitation/create" && elicitation != Elicitation::Decline)
    return rpc_result(request.id, elicited(request.params, elicitation));
  return rpc_error(request.id, rpc_code::kMethodNotFound, "this client doesn't offer that");
}

std::optional<Json> input_responses(const Json& input_requests, Elicitation elicitation) {
  if (!input_requests.is_object()) return std::nullopt;
  Json responses = Json::object();
  for (auto item = input_requests.begin(); item != input_requests.end(); ++item) {
    if (text_member(*item, "method") != "elicitation/create") return std::nullopt;
    const Json* params = member(*item, "params");
    responses[item.key()] = elicited(params != nullptr ? *params : Json(), elicitation);
  }
  return responses;
}

}  // namespace ba::mcp

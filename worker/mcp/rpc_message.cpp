// SPDX-License-Identifier: Apache-2.0
#include "worker/mcp/rpc_message.hpp"

#include <algorithm>
#include <utility>

#include "pipeline/text/message/json_text.hpp"
#include "worker/mcp/json.hpp"

namespace ba::mcp {
namespace {

using Kind = RpcMessage::Kind;

RpcError read_error(const Json& error) {
  RpcError out;
  out.code = integer_member(error, "code").value_or(0);
  out.message = text_member(error, "message").value_or("");
  if (const Json* data = member(error, "data")) out.data = *data;
  return out;
}

bool usable_id(const Json& id) { return id.is_string() || id.is_number_integer(); }

Kind kind_of(const Json& json, const Json* id) {
  if (member(json, "method") != nullptr) {
    if (!text_member(json, "method")) return Kind::Garbage;
    if (id == nullptr) return Kind::Notification;
    return usable_id(*id) ? Kind::Request : Kind::Garbage;
  }
  const Json* error = member(json, "error");
  if (error != nullptr) return error->is_object() ? Kind::Error : Kind::Garbage;
  const bool answered = member(json, "result") != nullptr && id != nullptr && usable_id(*id);
  return answered ? Kind::Result : Kind::Garbage;
}

std::string framed(Json message) {
  Json out = Json::object();
  out["jsonrpc"] = "2.0";
  for (auto item = message.begin(); item != message.end(); ++item) out[item.key()] = *item;
  return compact(out);
}

/// The unit of an escape "\uXXXX" at `at`; -1: there is none.
int unit_at(std::string_view text, std::size_t at) {
  if (!text.substr(std::min(at, text.size())).starts_with("\\u")) return -1;
  return utf16_unit_at(text.data() + at + 2, text.data() + text.size());
}

/// Halves of a pair that stand alone, as U+FFFD: some libraries write names of files so, and JSON's
/// grammar has them, but no text can.
std::string with_whole_pairs(std::string_view text) {
  constexpr std::size_t kEscape = 6;
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const int unit = unit_at(text, at);
    const bool high = is_high_surrogate(unit);
    const bool pair = high && is_low_surrogate(unit_at(text, at + kEscape));
    const std::size_t size = pair ? 2 * kEscape : unit >= 0 ? kEscape : text[at] == '\\' ? 2 : 1;
    if (!pair && (high || is_low_surrogate(unit)))
      out += "\\ufffd";
    else
      out += text.substr(at, size);
    at += size;
  }
  return out;
}

/// A server has no word in whether parts of its answer were kept as text.
void forget_our_mark(Json& result) {
  if (!result.is_object() || !result.contains("_meta")) return;
  if (Json& meta = result["_meta"]; meta.is_object()) meta.erase(kKeptAsText);
}

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

bool modern_error(const RpcError& error) {
  return error.code == rpc_code::kHeaderMismatch || error.code == rpc_code::kMissingCapability ||
         error.code == rpc_code::kUnsupportedVersion;
}

RpcMessage read_rpc_message(std::string_view text) {
  RpcMessage message;
  auto json = parse_json(text);
  std::string whole;
  if (!json && text.find("\\u") != text.npos) {
    whole = with_whole_pairs(text);
    text = whole;
    json = parse_json(text);
  }
  const bool within = json.has_value();
  if (!json) json = parse_bounded_message(text);
  if (!json || !json->is_object()) return message;
  const Json* id = member(*json, "id");
  message.kind = kind_of(*json, id);
  if (id != nullptr) message.id = *id;
  message.method = text_member(*json, "method").value_or("");
  if (const Json* params = member(*json, "params")) message.params = *params;
  if (const Json* result = member(*json, "result")) message.result = *result;
  if (within) forget_our_mark(message.result);
  if (const Json* error = member(*json, "error")) message.error = read_error(*error);
  return message;
}

std::string rpc_request(std::int64_t id, std::string_view method, Json params) {
  Json out = {{"id", id}, {"method", method}};
  if (!params.is_null()) out["params"] = std::move(params);
  return framed(std::move(out));
}

std::string rpc_notification(std::string_view method, Json params) {
  Json out = {{"method", method}};
  if (!params.is_null()) out["params"] = std::move(params);
  return framed(std::move(out));
}

std::string rpc_result(const Json& id, Json result) {
  return framed(Json{{"id", id}, {"result", std::move(result)}});
}

std::string rpc_error(const Json& id, std::int64_t code, std::string_view message) {
  return framed(Json{{"id", id}, {"error", {{"code", code}, {"message", message}}}});
}

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

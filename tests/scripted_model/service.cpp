// SPDX-License-Identifier: Apache-2.0
#include "tests/scripted_model/service.hpp"

#include <cstdio>
#include <functional>
#include <utility>

#include "tests/scripted_model/anthropic_writer.hpp"
#include "tests/scripted_model/openai_reply.hpp"
#include "tests/scripted_model/responses_reply.hpp"

namespace ba::scripted {

namespace {

constexpr std::string_view kJson = "application/json";

std::string anthropic_type(int status) {
  switch (status) {
    case 400:
      return "invalid_request_error";
    case 401:
      return "authentication_error";
    case 402:
      return "billing_error";
    case 403:
      return "permission_error";
    case 404:
      return "not_found_error";
    case 413:
      return "request_too_large";
    case 429:
      return "rate_limit_error";
    case 504:
      return "timeout_error";
    case 529:
      return "overloaded_error";
    default:
      return status >= 500 ? "api_error" : "invalid_request_error";
  }
}

std::string openai_type(int status) {
  if (status == 429) return "rate_limit_error";
  return status >= 500 ? "server_error" : "invalid_request_error";
}

std::string error_body(Protocol protocol, const Rejection& rejection, const std::string& code) {
  return protocol == Protocol::Anthropic ? anthropic_error(rejection, code)
                                         : openai_error(rejection, code);
}

ReplyBody reply_body(const Request& request, const Reply& reply) {
  switch (request.protocol) {
    case Protocol::Anthropic:
      return request.stream ? anthropic_stream(reply) : anthropic_message(reply);
    case Protocol::OpenAi:
      return request.stream ? openai_stream(reply, request.include_usage)
                            : openai_completion(reply);
    case Protocol::OpenAiResponses:
      break;
  }
  return request.stream ? responses_stream(reply) : responses_response(reply);
}

std::string error_event(Protocol protocol, const std::string& type) {
  switch (protocol) {
    case Protocol::Anthropic:
      return anthropic_error_event(type);
    case Protocol::OpenAi:
      return openai_error_event(type);
    case Protocol::OpenAiResponses:
      break;
  }
  return responses_error_event(type);
}

std::string request_id_header(Protocol protocol, const Reply& reply) {
  return (protocol == Protocol::Anthropic ? "request-id: req_" : "x-request-id: req_") + reply.id +
         "\r\n";
}

}  // namespace

Service::Service(ServiceOptions options, Script script)
    : options_(std::move(options)),
      player_(std::move(script), options_.bench),
      anthropic_(options_.api_key),
      openai_(options_.api_key),
      responses_(options_.api_key) {}

Answer Service::answer(std::string_view method, std::string_view target,
                       const RequestHeaders& headers, std::string_view body) {
  const bool post = method == "POST";
  if (post && target == "/v1/messages") return answer_model(Protocol::Anthropic, headers, body);
  if (post && target == "/v1/chat/completions") {
    return answer_model(Protocol::OpenAi, headers, body);
  }
  if (post && target == "/v1/responses") {
    return answer_model(Protocol::OpenAiResponses, headers, body);
  }
  if (method == "GET" && target == "/health") return whole_answer(200, kJson, R"({"status":"ok"})");
  if (method == "GET" && target == "/__calls") return whole_answer(200, kJson, counts_.json());
  if (post && target == "/__reset") {
    counts_.reset();
    player_.reset_faults();
    return whole_answer(200, kJson, "{}");
  }
  return whole_answer(404, kJson,
                      R"({"error":{"type":"not_found_error","message":"no such address"}})");
}

Answer Service::answer_model(Protocol protocol, const RequestHeaders& headers,
                             std::string_view body) {
  if (const Refusal refusal = read(protocol, headers, body)) return reject(protocol, *refusal);
  Play play;
  if (const Refusal refusal = player_.play(request_, play)) return reject(protocol, *refusal);
  if (play.fault != nullptr && play.fault->status != 0) {
    return fail_on_purpose(protocol, *play.fault);
  }
  return send(play, body);
}

Refusal Service::read(Protocol protocol, const RequestHeaders& headers, std::string_view body) {
  if (!document_.parse(body)) {
    return refuse(400, "invalid_request_error",
                  "The request body is not valid JSON: " + document_.problem());
  }
  switch (protocol) {
    case Protocol::Anthropic:
      return anthropic_.read(headers, document_, request_);
    case Protocol::OpenAi:
      return openai_.read(headers, document_, request_);
    case Protocol::OpenAiResponses:
      break;
  }
  return responses_.read(headers, document_, request_);
}

Answer Service::reject(Protocol protocol, const Rejection& rejection) {
  counts_.rejected(rejection.status, rejection.message);
  std::fprintf(stderr, "ba-scripted-model: %d %s\n", rejection.status, rejection.message.c_str());
  return whole_answer(rejection.status, kJson, error_body(protocol, rejection, rejection.code));
}

Answer Service::fail_on_purpose(Protocol protocol, const Fault& fault) {
  counts_.failed_on_purpose();
  Rejection rejection;
  rejection.status = fault.status;
  rejection.message = "scripted failure";
  rejection.type = !fault.error_type.empty()         ? fault.error_type
                   : protocol == Protocol::Anthropic ? anthropic_type(fault.status)
                                                     : openai_type(fault.status);
  std::string headers;
  for (const auto& [name, value] : fault.headers) headers += name + ": " + value + "\r\n";
  if (fault.body) return whole_answer(fault.status, "text/html", *fault.body, headers);
  return whole_answer(fault.status, kJson, error_body(protocol, rejection, fault.error_code),
                      headers);
}

Answer Service::send(const Play& play, std::string_view body) {
  const Protocol protocol = request_.protocol;
  counts_.accepted({play.question, play.step, to_string(protocol), request_.model,
                    std::hash<std::string_view>{}(body)});
  ReplyBody reply = reply_body(request_, play.reply);
  const std::string header = request_id_header(protocol, play.reply);
  Answer answer;
  if (play.fault != nullptr) {
    answer = spoilt_answer(std::move(reply), header, *play.fault,
                           error_event(protocol, play.fault->stream_error));
  } else if (request_.stream) {
    answer = streamed_answer(reply, header, std::max(play.event_delay, options_.event_delay));
  } else {
    answer = whole_answer(200, kJson, reply.bytes, header);
  }
  answer.delay = std::max(play.delay, options_.delay);
  return answer;
}

}  // namespace ba::scripted

// SPDX-License-Identifier: Apache-2.0
#include "pipeline/core/tool/call_reading.hpp"

#include <nlohmann/json.hpp>
#include <utility>

#include "pipeline/base/assert.hpp"
#include "pipeline/base/exact_json.hpp"
#include "pipeline/text/semantic/semantic_parameters.hpp"

namespace ba {
namespace {

using Json = nlohmann::ordered_json;

CallMeaning meaning_of(const ToolDescriptor& tool, const ToolRequest& request,
                       std::string parameters) {
  CallMeaning meaning;
  meaning.tool = tool.name;
  meaning.tool_version = tool.version;
  meaning.tenant = request.tenant.value;
  if (tool.cache_scope == CacheScope::Caller) meaning.caller = request.caller_id;
  meaning.permission = std::string(to_string(request.permission));
  meaning.parameters = std::move(parameters);
  meaning.idempotency_key = request.given_key;
  return meaning;
}

std::optional<std::string> reason_of(const ToolDescriptor& tool, CachePolicy policy) {
  if (!tool.may_be_cached) return "results of " + tool.name + " are never cached";
  if (policy == CachePolicy::NoCache) return "the cache policy is no_cache";
  return std::nullopt;
}

}  // namespace

std::string text_argument(const std::string& parameters, const std::string& name) {
  return name.empty() ? "" : text_among(parse_exact<Json>(parameters), name);
}

std::string text_among(const Json& arguments, const std::string& name) {
  if (name.empty() || !arguments.is_object()) return "";
  const auto found = arguments.find(name);
  return found != arguments.end() && found->is_string() ? found->get<std::string>() : "";
}

CallReading read_call(const ToolRegistry::Entry& entry, const ToolRequest& request,
                      const Json& arguments, const SqlReader& sql) {
  const ToolDescriptor& tool = entry.tool->descriptor();
  Result<SemanticParameters> read = semantics_of(arguments, tool.parameters_schema, sql);
  BA_ASSERT(read);  // the schema was compiled and has accepted them
  CallReading reading;
  reading.policy = request.cache_policy.value_or(tool.cache_policy);
  reading.not_cacheable = reason_of(tool, reading.policy);
  if (!reading.not_cacheable) reading.not_cacheable = std::move(read->not_cacheable);
  reading.key = semantic_key(meaning_of(tool, request, std::move(read->canonical)));
  return reading;
}

CacheQuestion cache_question(const ToolRegistry::Entry& entry, const ToolRequest& request,
                             const Json& arguments, const CallReading& reading) {
  const ToolDescriptor& tool = entry.tool->descriptor();
  CacheQuestion question;
  question.key = reading.key.digest;
  question.tenant = request.tenant.value;
  question.tool = tool.name;
  question.tool_version = tool.version;
  if (tool.cache_scope == CacheScope::Caller) question.caller = request.caller_id;
  question.data_source = text_among(arguments, tool.source_parameter);
  question.time_to_live = time_to_live(reading.policy);
  question.wait_max = request.timeout.value_or(tool.timeout);
  question.origin = {request.job, request.position};
  return question;
}

}  // namespace ba

// SPDX-License-Identifier: Apache-2.0
#include "pipeline/tool/call_reading.hpp"

#include <utility>

#include "pipeline/base/assert.hpp"
#include "pipeline/semantic/semantic_parameters.hpp"

namespace ba {
namespace {

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

CallReading read_call(const ToolRegistry::Entry& entry, const ToolRequest& request,
                      const CheckedArguments& arguments, const SqlReader& sql) {
  const ToolDescriptor& tool = entry.tool->descriptor();
  Result<SemanticParameters> parameters =
      semantic_parameters(arguments.parameters, tool.parameters_schema, sql);
  BA_ASSERT(parameters);  // the schema was compiled and has accepted them
  CallReading reading;
  reading.policy = request.cache_policy.value_or(tool.cache_policy);
  reading.not_cacheable = reason_of(tool, reading.policy);
  if (!reading.not_cacheable) reading.not_cacheable = std::move(parameters->not_cacheable);
  reading.key = semantic_key(meaning_of(tool, request, std::move(parameters->canonical)));
  return reading;
}

}  // namespace ba

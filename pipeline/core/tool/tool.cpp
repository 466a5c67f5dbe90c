// SPDX-License-Identifier: Apache-2.0
#include "pipeline/core/tool/tool.hpp"

#include <nlohmann/json.hpp>

#include "pipeline/base/exact_json.hpp"
#include "pipeline/core/tool/tool_names.hpp"

namespace ba {
namespace {

constexpr EnumNames<EffectClass, 4> kEffects{{{EffectClass::Pure, "pure"},
                                              {EffectClass::Keyed, "keyed"},
                                              {EffectClass::Reconcilable, "reconcilable"},
                                              {EffectClass::Once, "once"}}};
constexpr EnumNames<ToolErrorType, 11> kErrors{{
    {ToolErrorType::Timeout, "timeout"},
    {ToolErrorType::RateLimit, "rate_limit"},
    {ToolErrorType::ResourceError, "resource_error"},
    {ToolErrorType::TransientError, "transient_error"},
    {ToolErrorType::PermissionDenied, "permission_denied"},
    {ToolErrorType::InvalidParameters, "invalid_parameters"},
    {ToolErrorType::NotFound, "not_found"},
    {ToolErrorType::ValidationError, "validation_error"},
    {ToolErrorType::ExecutionError, "execution_error"},
    {ToolErrorType::InternalError, "internal_error"},
    {ToolErrorType::DependencyError, "dependency_error"},
}};
constexpr EnumNames<ToolErrorKind, 3> kErrorKinds{{{ToolErrorKind::Retryable, "retryable"},
                                                   {ToolErrorKind::Permanent, "permanent"},
                                                   {ToolErrorKind::NeedsPerson, "needs_person"}}};
constexpr EnumNames<ToolCallState, 5> kStates{{{ToolCallState::Intended, "intended"},
                                               {ToolCallState::Running, "running"},
                                               {ToolCallState::Succeeded, "succeeded"},
                                               {ToolCallState::Failed, "failed"},
                                               {ToolCallState::Unknown, "unknown"}}};

}  // namespace

std::shared_ptr<const nlohmann::ordered_json> arguments_of(const ToolInvocation& invocation) {
  using Json = nlohmann::ordered_json;
  if (invocation.arguments) return invocation.arguments;
  return std::make_shared<const Json>(parse_exact_known<Json>(invocation.parameters));
}

std::string_view to_string(OutputLevel level) { return name_of(kOutputLevelNames, level); }
std::string_view to_string(PermissionLevel level) { return name_of(kPermissionNames, level); }
std::string_view to_string(CachePolicy policy) { return name_of(kCachePolicyNames, policy); }
std::string_view to_string(CacheScope scope) { return name_of(kCacheScopeNames, scope); }
std::string_view to_string(EffectClass effect) { return name_of(kEffects, effect); }
std::string_view to_string(ToolErrorType type) { return name_of(kErrors, type); }
std::string_view to_string(ToolErrorKind kind) { return name_of(kErrorKinds, kind); }
std::string_view to_string(ToolCallState state) { return name_of(kStates, state); }

std::optional<OutputLevel> parse_output_level(std::string_view text) {
  return value_of(kOutputLevelNames, text);
}
std::optional<EffectClass> parse_effect_class(std::string_view text) {
  return value_of(kEffects, text);
}
std::optional<ToolErrorType> parse_tool_error_type(std::string_view text) {
  return value_of(kErrors, text);
}
std::optional<ToolCallState> parse_tool_call_state(std::string_view text) {
  return value_of(kStates, text);
}

ToolErrorKind error_kind(ToolErrorType type) {
  switch (type) {
    case ToolErrorType::Timeout:
    case ToolErrorType::RateLimit:
    case ToolErrorType::ResourceError:
    case ToolErrorType::TransientError:
      return ToolErrorKind::Retryable;
    case ToolErrorType::PermissionDenied:
    case ToolErrorType::InvalidParameters:
    case ToolErrorType::NotFound:
    case ToolErrorType::ValidationError:
      return ToolErrorKind::Permanent;
    case ToolErrorType::ExecutionError:
    case ToolErrorType::InternalError:
    case ToolErrorType::DependencyError:
      break;
  }
  return ToolErrorKind::NeedsPerson;
}

bool retryable(ToolErrorType type) { return error_kind(type) == ToolErrorKind::Retryable; }

Milliseconds time_to_live(CachePolicy policy) {
  switch (policy) {
    case CachePolicy::NoCache:
      break;
    case CachePolicy::TtlShort:
      return std::chrono::minutes(5);
    case CachePolicy::Cacheable:
    case CachePolicy::TtlMedium:
      return std::chrono::hours(1);
    case CachePolicy::TtlLong:
      return std::chrono::hours(24);
  }
  return Milliseconds(0);
}

RawToolResult threw(const std::exception& error) {
  RawToolResult raw;
  raw.error = ToolError{.type = ToolErrorType::InternalError,
                        .code = "TOOL_FAILED",
                        .message = "The tool failed inside; do without it, or ask differently"};
  raw.error_context = error.what();
  raw.outcome_unknown = true;
  return raw;
}

}  // namespace ba

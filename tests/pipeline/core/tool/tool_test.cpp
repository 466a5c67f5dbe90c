// SPDX-License-Identifier: Apache-2.0
// The closed sets of names that models, rows and configurations know, and what each name means.
#include "pipeline/core/tool/tool.hpp"

#include <gtest/gtest.h>

#include "pipeline/core/tool/tool_names.hpp"

namespace ba {
namespace {

struct ErrorTypeRow {
  const char* name;
  ToolErrorType type;
  ToolErrorKind kind;
};

constexpr ErrorTypeRow kErrorTypes[]{
    {"timeout", ToolErrorType::Timeout, ToolErrorKind::Retryable},
    {"rate_limit", ToolErrorType::RateLimit, ToolErrorKind::Retryable},
    {"resource_error", ToolErrorType::ResourceError, ToolErrorKind::Retryable},
    {"transient_error", ToolErrorType::TransientError, ToolErrorKind::Retryable},
    {"permission_denied", ToolErrorType::PermissionDenied, ToolErrorKind::Permanent},
    {"invalid_parameters", ToolErrorType::InvalidParameters, ToolErrorKind::Permanent},
    {"not_found", ToolErrorType::NotFound, ToolErrorKind::Permanent},
    {"validation_error", ToolErrorType::ValidationError, ToolErrorKind::Permanent},
    {"execution_error", ToolErrorType::ExecutionError, ToolErrorKind::NeedsPerson},
    {"internal_error", ToolErrorType::InternalError, ToolErrorKind::NeedsPerson},
    {"dependency_error", ToolErrorType::DependencyError, ToolErrorKind::NeedsPerson}};

TEST(ToolErrorTypes, AreElevenOfWhichFourMayBeTriedAgain) {
  for (const ErrorTypeRow& row : kErrorTypes) {
    EXPECT_EQ(to_string(row.type), row.name);
    EXPECT_EQ(parse_tool_error_type(row.name), row.type);
    EXPECT_EQ(retryable(row.type), row.kind == ToolErrorKind::Retryable) << row.name;
  }
  EXPECT_EQ(parse_tool_error_type("outcome_unknown"), std::nullopt) << "a state, no error";
}

TEST(ToolErrorTypes, FourArePermanentAndThreeNeedAPerson) {
  for (const ErrorTypeRow& row : kErrorTypes) EXPECT_EQ(error_kind(row.type), row.kind) << row.name;
  EXPECT_EQ(to_string(ToolErrorKind::Retryable), "retryable");
  EXPECT_EQ(to_string(ToolErrorKind::Permanent), "permanent");
  EXPECT_EQ(to_string(ToolErrorKind::NeedsPerson), "needs_person");
}

TEST(OutputLevels, AreBriefStandardAndFullAndNoneOfTheOldNames) {
  EXPECT_EQ(parse_output_level("brief"), OutputLevel::Brief);
  EXPECT_EQ(parse_output_level("standard"), OutputLevel::Standard);
  EXPECT_EQ(parse_output_level("full"), OutputLevel::Full);
  for (const char* old : {"concise", "detailed", "raw", "BRIEF", ""})
    EXPECT_EQ(parse_output_level(old), std::nullopt) << old;
}

TEST(CachePolicies, SayHowLongAResultIsKept) {
  struct Row {
    const char* name;
    CachePolicy policy;
    Milliseconds kept;
  };
  const Row rows[]{{"no_cache", CachePolicy::NoCache, Milliseconds(0)},
                   {"cacheable", CachePolicy::Cacheable, std::chrono::hours(1)},
                   {"ttl_short", CachePolicy::TtlShort, std::chrono::minutes(5)},
                   {"ttl_medium", CachePolicy::TtlMedium, std::chrono::hours(1)},
                   {"ttl_long", CachePolicy::TtlLong, std::chrono::hours(24)}};
  for (const Row& row : rows) {
    EXPECT_EQ(value_of(kCachePolicyNames, row.name), row.policy);
    EXPECT_EQ(to_string(row.policy), row.name);
    EXPECT_EQ(time_to_live(row.policy), row.kept) << row.name;
  }
}

TEST(ToolDescriptor, SaysNothingThatWasNotDeclared) {
  const ToolDescriptor tool;
  EXPECT_EQ(tool.version, "1.0.0");
  EXPECT_EQ(tool.timeout, Milliseconds(120'000));
  EXPECT_TRUE(tool.retry_on_timeout);
  EXPECT_EQ(tool.permission, PermissionLevel::Default);
  EXPECT_EQ(tool.cache_policy, CachePolicy::NoCache);
  EXPECT_EQ(tool.cache_scope, CacheScope::Caller);
  EXPECT_EQ(tool.effect, EffectClass::Once);
  EXPECT_EQ(tool.default_level, std::nullopt);
}

}  // namespace
}  // namespace ba

#pragma once
// SPDX-License-Identifier: Apache-2.0
// Names of what a person chooses for a tool: one table for the configuration, messages and rows.

#include "pipeline/base/enum_names.hpp"
#include "pipeline/core/tool/tool.hpp"

namespace ba {

inline constexpr EnumNames<OutputLevel, 3> kOutputLevelNames{{{OutputLevel::Brief, "brief"},
                                                              {OutputLevel::Standard, "standard"},
                                                              {OutputLevel::Full, "full"}}};

inline constexpr EnumNames<CachePolicy, 5> kCachePolicyNames{
    {{CachePolicy::NoCache, "no_cache"},
     {CachePolicy::Cacheable, "cacheable"},
     {CachePolicy::TtlShort, "ttl_short"},
     {CachePolicy::TtlMedium, "ttl_medium"},
     {CachePolicy::TtlLong, "ttl_long"}}};

inline constexpr EnumNames<CacheScope, 2> kCacheScopeNames{
    {{CacheScope::Caller, "caller"}, {CacheScope::Tenant, "tenant"}}};

inline constexpr EnumNames<PermissionLevel, 3> kPermissionNames{
    {{PermissionLevel::Restricted, "restricted"},
     {PermissionLevel::Default, "default"},
     {PermissionLevel::Admin, "admin"}}};

}  // namespace ba

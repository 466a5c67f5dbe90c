// SPDX-License-Identifier: Apache-2.0
#include "worker/mcp/mcp_catalog.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ba::mcp {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

ToolDefinition tool(const std::string& name, const std::string& hash) {
  ToolDefinition out;
  out.name = name;
  out.hash = hash;
  return out;
}

ToolList list(std::vector<ToolDefinition> tools) {
  ToolList out;
  out.tools = std::move(tools);
  return out;
}

const std::string kOld(64, 'a');
const std::string kNew(64, 'b');

TEST(Catalog, OffersEachToolOnce) {
  const McpServerConfig config;
  Catalog catalog(config);
  EXPECT_THAT(catalog.take(list({tool("a", kOld)})).added, SizeIs(1));
  const CatalogChange change = catalog.take(list({tool("a", kOld), tool("b", kOld)}));
  EXPECT_THAT(change.added, SizeIs(1));
  EXPECT_THAT(change.warnings, IsEmpty());
}

TEST(Catalog, WarnsOnceOfAChangeWithoutPinsAndKeepsWhatModelsSaw) {
  const McpServerConfig config;
  Catalog catalog(config);
  static_cast<void>(catalog.take(list({tool("a", kOld)})));
  EXPECT_THAT(catalog.take(list({tool("a", kNew)})).warnings,
              ElementsAre(HasSubstr("has changed")));
  EXPECT_THAT(catalog.take(list({tool("a", kNew)})).warnings, IsEmpty());
  EXPECT_EQ(catalog.tools().at("a")->definition.hash, kOld);
  EXPECT_FALSE(catalog.tools().at("a")->refused);
}

TEST(Catalog, RefusesAPinnedToolThatChangedUntilItIsAsItWas) {
  McpServerConfig config;
  config.pins["a"] = kOld;
  Catalog catalog(config);
  ASSERT_THAT(catalog.take(list({tool("a", kOld)})).added, SizeIs(1));
  EXPECT_THAT(catalog.take(list({tool("a", kNew)})).warnings, ElementsAre(HasSubstr("refused")));
  EXPECT_TRUE(catalog.tools().at("a")->refused);
  static_cast<void>(catalog.take(list({tool("a", kOld)})));
  EXPECT_FALSE(catalog.tools().at("a")->refused);
}

TEST(Catalog, OffersNothingThatIsNotAsPinned) {
  McpServerConfig config;
  config.pins["a"] = kOld;
  config.pins["gone"] = kOld;
  Catalog catalog(config);
  const CatalogChange change = catalog.take(list({tool("a", kNew), tool("b", kOld)}));
  EXPECT_THAT(change.added, IsEmpty());
  EXPECT_THAT(change.warnings, ElementsAre(HasSubstr(kNew), HasSubstr("'b' is not pinned"),
                                           HasSubstr("'gone' is pinned")));
}

TEST(Catalog, NotesWhatIsGoneAndComesBack) {
  const McpServerConfig config;
  Catalog catalog(config);
  static_cast<void>(catalog.take(list({tool("a", kOld)})));
  EXPECT_THAT(catalog.take(list({})).warnings, SizeIs(1));
  EXPECT_FALSE(catalog.tools().at("a")->listed);
  EXPECT_THAT(catalog.take(list({tool("a", kOld)})).added, IsEmpty());
  EXPECT_TRUE(catalog.tools().at("a")->listed);
}

TEST(Catalog, TheOperatorsWordCountsBeforeTheServers) {
  McpServerConfig config;
  config.permission = PermissionLevel::Admin;
  config.tools["a"].effect = EffectClass::Pure;
  config.tools["a"].permission = PermissionLevel::Restricted;
  config.tools["a"].cache_policy = CachePolicy::TtlShort;
  config.tools["off"].enabled = false;
  Catalog catalog(config);
  const auto added =
      catalog.take(list({tool("a", kOld), tool("off", kOld), tool("b", kOld)})).added;
  ASSERT_THAT(added, SizeIs(2));
  EXPECT_EQ(added[0]->effect, EffectClass::Pure);
  EXPECT_EQ(added[0]->permission, PermissionLevel::Restricted);
  EXPECT_EQ(added[0]->cache_policy, CachePolicy::TtlShort);
  EXPECT_EQ(added[1]->effect, EffectClass::Once);
  EXPECT_EQ(added[1]->permission, PermissionLevel::Admin);
}

TEST(Catalog, WhatMayOnlyBeRepeatedIsNotAnsweredFromWhatWasKept) {
  McpServerConfig config;
  config.trusted = true;
  config.tools["said"].effect = EffectClass::Pure;
  ToolDefinition reads = tool("reads", kOld);
  reads.annotations.read_only = true;
  ToolDefinition repeats = tool("repeats", kOld);
  repeats.annotations.idempotent = true;
  ToolDefinition said = tool("said", kOld);
  said.annotations.idempotent = true;
  Catalog catalog(config);
  static_cast<void>(catalog.take(list({reads, repeats, said})));
  const auto& known = catalog.tools();
  EXPECT_TRUE(known.at("reads")->may_be_cached);
  EXPECT_EQ(known.at("repeats")->effect, EffectClass::Pure);
  EXPECT_FALSE(known.at("repeats")->may_be_cached);
  EXPECT_TRUE(known.at("said")->may_be_cached);
}

}  // namespace
}  // namespace ba::mcp

// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/sql/connection/session_settings.hpp"

#include <gtest/gtest.h>

namespace ba::sql {
namespace {

TEST(SessionSettings, KeepTheStricterLimitOfTheRole) {
  EXPECT_EQ(stricter(30'000, 0), 30'000);
  EXPECT_EQ(stricter(30'000, 5'000), 5'000);
  EXPECT_EQ(stricter(1'000, 5'000), 1'000);
  SessionFacts facts;
  facts.statement_timeout_ms = 2'000;
  const std::string script =
      common_settings(facts, Milliseconds(30'000), Milliseconds(5'000), Milliseconds(60'000))
          .script();
  EXPECT_NE(script.find("SET statement_timeout = 2000; SET lock_timeout = 5000"), std::string::npos)
      << script;
}

TEST(SessionSettings, MakeATransactionTheTenants) {
  SourceTenancy tenancy;
  tenancy.tenant_setting = "app.tenant";
  tenancy.tenants["a'b"] = {"role \"x\"", {{"app.region", "e'u"}}};
  std::vector<std::string> texts;
  for (const auto& message : tenant_messages(tenancy, "a'b")) texts.push_back(message.text);
  EXPECT_EQ(texts, (std::vector<std::string>{"SET LOCAL \"app\".\"tenant\" = 'a''b'",
                                             "SET LOCAL \"app\".\"region\" = 'e''u'",
                                             "SET LOCAL ROLE \"role \"\"x\"\"\""}));
  EXPECT_TRUE(tenancy.allows("a'b"));
  EXPECT_FALSE(tenancy.allows("c"));
  EXPECT_NE(tenancy.scope_of("a'b"), tenancy.scope_of("c"));
  EXPECT_EQ(SourceTenancy().scope_of("a"), SourceTenancy().scope_of("b"));
}

}  // namespace
}  // namespace ba::sql

// SPDX-License-Identifier: Apache-2.0
#include "worker/cli/doctor/check.hpp"

#include <gtest/gtest.h>

#include <sstream>

namespace ba::cli {
namespace {

Check with_findings() {
  Check check = warned("data source sales", "PostgreSQL 17, read only, not encrypted", "run them");
  check.findings = {"the login role may create schemas: REVOKE …", "second\x1b[31m"};
  return check;
}

TEST(CheckView, HasEachFindingOnALineOfItsOwn) {
  std::ostringstream out, err;
  Terminal terminal(out, err, {});
  show_check(with_findings(), terminal);
  const std::string text = out.str();
  EXPECT_TRUE(
      text.starts_with("WARN  data source sales         PostgreSQL 17, read only, not encrypted\n"
                       "      - the login role may create schemas: REVOKE …\n"
                       "      - second"))
      << text;
  EXPECT_TRUE(text.ends_with("\n      → run them\n")) << text;
  EXPECT_EQ(text.find('\x1b'), std::string::npos) << text;
}

TEST(CheckView, HasFindingsAsAListInJson) {
  const auto json = check_json(with_findings());
  EXPECT_EQ(json["status"], "WARN");
  ASSERT_EQ(json["findings"].size(), 2u);
  EXPECT_EQ(json["findings"][0], "the login role may create schemas: REVOKE …");
  EXPECT_EQ(check_json(passed("a", "b"))["findings"], nlohmann::json::array());
}

}  // namespace
}  // namespace ba::cli

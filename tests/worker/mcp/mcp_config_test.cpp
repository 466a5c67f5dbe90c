// SPDX-License-Identifier: Apache-2.0
#include "worker/mcp/mcp_config.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/problem_texts.hpp"

namespace ba::mcp {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::StartsWith;

McpServerConfig good() {
  McpServerConfig server;
  server.name = "files";
  server.command = {"server", "/data"};
  return server;
}

std::vector<std::string> problems(const McpServerConfig& server) {
  return texts_of(validate({{server}}));
}

TEST(McpConfig, TakesWhatIsWhole) {
  EXPECT_THAT(problems(good()), IsEmpty());
  McpServerConfig web;
  web.name = "web-1";
  web.url = "https://h:1/mcp";
  web.headers["Authorization"] = Secret("Bearer x");
  EXPECT_THAT(problems(web), IsEmpty());
}

TEST(McpConfig, NamesWhatIsWrong) {
  const auto expect = [](const auto& change, const char* key) {
    McpServerConfig server = good();
    change(server);
    EXPECT_THAT(problems(server), ElementsAre(StartsWith(key)));
  };
  expect([](auto& s) { s.name = "a_b"; }, "mcp.servers.a_b: 'a_b' is not a letter");
  expect([](auto& s) { s.name = std::string(33, 'a'); }, "mcp.servers.aaa");
  expect([](auto& s) { s.command.clear(); }, "mcp.servers.files: neither");
  expect([](auto& s) { s.url = "http://h"; }, "mcp.servers.files: command and url");
  expect([](auto& s) { s.command.clear(), s.url = "http://h/mcp?key=hunter2"; },
         "mcp.servers.files.url: 'http://***'");
  expect([](auto& s) { s.command = {""}; }, "mcp.servers.files.command");
  expect([](auto& s) { s.headers["A"] = Secret("b"); }, "mcp.servers.files.headers");
  expect([](auto& s) { s.env["A=B"] = Secret("b"); }, "mcp.servers.files.env");
  expect([](auto& s) { s.timeout_max = Milliseconds(1); }, "mcp.servers.files.timeout_ms: 60000");
  expect([](auto& s) { s.tools["t"].effect = EffectClass::Keyed; },
         "mcp.servers.files.tools.t.effect");
  expect([](auto& s) { s.pins["t"] = "abc"; }, "mcp.servers.files.pins.t: 'abc'");
}

McpServerConfig with_status() {
  McpServerConfig server = good();
  server.tools["find"].effect = EffectClass::Pure;
  McpToolSettings& pay = server.tools["pay"];
  pay.effect = EffectClass::Reconcilable;
  pay.key_argument = "reference";
  pay.status.tool = "find";
  pay.status.arguments = {
      {"reference", "{{key}}"}, {"of", "{{arguments.account}}"}, {"all", "yes"}};
  pay.status.path = "/state";
  pay.status.happened = {"booked"};
  pay.status.did_not_happen = {"absent"};
  return server;
}

TEST(McpConfig, AReconcilableToolNamesItsStatusToolAndHowItIsAskedAndRead) {
  EXPECT_THAT(problems(with_status()), IsEmpty());
  const auto expect = [](const auto& change, const std::string& says) {
    McpServerConfig server = with_status();
    change(server.tools["pay"], server);
    EXPECT_THAT(problems(server), ElementsAre(StartsWith("mcp.servers.files.tools.pay." + says)));
  };
  expect(
      [](auto& pay, auto&) {
        pay.status.tool = "pay";
        pay.status.arguments.erase("of");
      },
      "status_tool: 'pay' is not another tool");
  expect([](auto& pay, auto&) { pay.status.happened.clear(); }, "status_happened is missing");
  expect([](auto& pay, auto&) { pay.status.arguments.clear(); }, "status_arguments is missing");
  expect([](auto& pay, auto&) { pay.status.did_not_happen = {"booked"}; },
         "status_did_not_happen: 'booked'");
  expect([](auto& pay, auto&) { pay.status.happened.assign(33, "x"); },
         "status_happened: 33 words");
  expect([](auto& pay, auto&) { pay.status.did_not_happen = {std::string(513, 'x')}; },
         "status_did_not_happen: 1 words");
  expect([](auto& pay, auto&) { pay.status.arguments["long"] = std::string(513, 'x'); },
         "status_arguments.long: a text of 513 bytes");
  expect([](auto& pay, auto&) { pay.status.path = "state"; }, "status_path: 'state'");
  expect([](auto& pay, auto&) { pay.status.result_path = "/a~2"; }, "status_result_path: '/a~2'");
  expect([](auto& pay, auto&) { pay.status.arguments["of"] = "n-{{key}}"; },
         "status_arguments.of: 'n-{{key}}'");
  expect([](auto& pay, auto&) { pay.key_argument.clear(); },
         "status_arguments.reference: '{{key}}' is not of use without key_argument");
  expect([](auto& pay, auto&) { pay.cache_policy = CachePolicy::TtlShort; }, "cache_policy");
  expect([](auto&, auto& server) { server.tools["find"].effect = EffectClass::Once; },
         "status_tool: 'find' is not known to be read-only: set tools.find.effect: pure");
  expect([](auto&, auto& server) { server.tools.erase("find"); }, "status_tool: 'find'");
  McpServerConfig trusted = with_status();
  trusted.trusted = true;
  trusted.tools.erase("find");
  EXPECT_THAT(problems(trusted), IsEmpty()) << "its server may say that it is read-only";
}

TEST(McpConfig, WhatIsForReconcilableToolsIsNothingForOthers) {
  McpServerConfig server = with_status();
  server.tools["pay"].effect = EffectClass::Once;
  EXPECT_THAT(problems(server),
              ElementsAre(StartsWith("mcp.servers.files.tools.pay.key_argument: 'reference'"),
                          StartsWith("mcp.servers.files.tools.pay.status_tool: 'find'")));
}

TEST(McpConfig, AHeaderThatCouldHoldAnotherIsRefusedWithoutItsValue) {
  McpServerConfig server;
  server.name = "web";
  server.url = "http://h/mcp";
  server.headers["A"] = Secret("secret\r\nB: c");
  ASSERT_EQ(problems(server).size(), 1u);
  EXPECT_EQ(problems(server)[0].find("secret"), std::string::npos);
}

}  // namespace
}  // namespace ba::mcp

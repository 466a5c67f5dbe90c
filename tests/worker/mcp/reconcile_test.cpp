// SPDX-License-Identifier: Apache-2.0
// Calls with effects of a server that can say what became of them: its status tool is asked after a
// crash and after a lost answer.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pipeline/core/tool/tool_runtime.hpp"
#include "tests/support/fixed_random.hpp"
#include "tests/worker/mcp/fake_transport.hpp"
#include "worker/mcp/mcp_servers.hpp"

namespace ba::mcp {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

class QuietLog final : public Log {
 public:
  bool enabled(LogLevel) const override { return false; }
  void write(LogLevel, std::string_view, Fields) override {}
};

Json object_with(const Json& properties, const Json& required) {
  return {{"type", "object"}, {"properties", properties}, {"required", required}};
}

/// A server of payments that remembers each by its reference.
class ReconcilableTools : public ::testing::Test {
 protected:
  ReconcilableTools() {
    fake_.time = &time_;
    server().name = "bank";
    server().command = {"x"};
    server().timeout = Milliseconds(2000);
    server().timeout_max = Milliseconds(5000);
    server().tools["find"].effect = EffectClass::Pure;
    McpToolSettings& pay = server().tools["pay"];
    pay.effect = EffectClass::Reconcilable;
    pay.key_argument = "reference";
    pay.status.tool = "find";
    pay.status.arguments = {{"reference", "{{key}}"}, {"account", "{{arguments.account}}"}};
    pay.status.path = "/state";
    pay.status.happened = {"booked", "declined"};
    pay.status.did_not_happen = {"absent"};
    pay.status.result_path = "/payment";
    const Json text = {{"type", "string"}};
    tools_ = {{"pay", tool_json("pay")}, {"find", tool_json("find")}};
    tools_["pay"]["inputSchema"] =
        object_with({{"account", text}, {"cents", {{"type", "integer"}}}, {"reference", text}},
                    {"account", "reference"});
    tools_["find"]["inputSchema"] =
        object_with({{"account", text}, {"reference", text}}, {"reference"});
    fake_.methods["tools/call"] = [this](std::int64_t id, const Json& params) {
      serve(id, params);
    };
  }

  McpServerConfig& server() { return config_.servers[0]; }
  McpToolSettings& pay_settings() { return server().tools["pay"]; }

  virtual void serve(std::int64_t id, const Json& params) {
    const Json& arguments = params.at("arguments");
    if (params.at("name") == "find") return find(id, arguments);
    arguments_ = arguments;
    const std::string reference = arguments.value("reference", "");
    ++paid_;
    payments_[reference] = {{"id", paid_}, {"account", arguments.at("account")}};
    if (loses_answers_) return fake_.die();
    fake_.answer(id, {{"structuredContent", payments_[reference]}});
  }

  void find(std::int64_t id, const Json& arguments) {
    asked_.push_back(arguments);
    if (says_) return fake_.answer(id, *says_);
    const auto found = payments_.find(arguments.value("reference", ""));
    Json answer = {{"state", "absent"}};
    if (found != payments_.end()) answer = {{"state", "booked"}, {"payment", found->second}};
    fake_.answer(id, {{"structuredContent", answer}});
  }

  void start() {
    fake_.be_modern({tools_["pay"], tools_["find"]});
    servers_ = std::make_unique<McpServers>(
        config_,
        McpPorts{time_, log_,
                 [this](const McpServerConfig&) -> Result<std::unique_ptr<Transport>> {
                   return std::unique_ptr<Transport>(std::make_unique<FakeTransport>(fake_));
                 },
                 "1",
                 [this](tools::MadeTool tool) {
                   return tools::add_as_set(std::move(tool), {}, registry_);
                 }});
    servers_->start();
    time_.run_until([this] { return servers_->settled(); }, Milliseconds(30'000));
  }

  void list_again() {
    fake_.list(Json::array({tools_["pay"], tools_["find"]}));
    fake_.die();
    time_.run_for(kReconnectFirst + Milliseconds(200));
  }
  /// `crashed`: a worker died after it had sent the call.
  ToolResult call(bool crashed = false,
                  const std::string& args = R"({"account":"a-1","cents":5})") {
    ToolRequest request;
    request.call.id = ToolCallId("c");
    request.call.name = "bank_pay";
    request.call.args_json = args;
    request.idempotency_key = "key-1";
    request.maybe_done = crashed;
    request.begun_version = begun_version_;
    std::optional<ToolResult> result;
    const auto run = runtime_.run(request, [&](ToolResult value) { result = std::move(value); });
    time_.run_until([&result] { return result.has_value(); }, Milliseconds(1'000'000));
    return result.value_or(ToolResult{});
  }

  const ToolDescriptor& pay() { return registry_.find("bank_pay")->tool->descriptor(); }

  /// Another start, with the settings as they are now.
  void start_again() {
    registry_.remove("bank_pay");
    registry_.remove("bank_find");
    start();
  }

  std::string warning() const {
    const std::vector<std::string> warnings = servers_->report()[0].warnings;
    return warnings.empty() ? "" : warnings.front();
  }

  VirtualExecutor time_;
  QuietLog log_;
  FakeServer fake_;
  McpConfig config_{{McpServerConfig{}}};
  std::map<std::string, Json> tools_;
  ToolRegistry registry_;
  FixedRandom random_;
  ToolRuntime runtime_{registry_, ToolRuntimeConfig{}, time_, time_, random_};
  std::map<std::string, Json> payments_;
  Json arguments_;  ///< of the last payment
  std::string begun_version_;
  std::vector<Json> asked_;   ///< what the status tool was asked
  std::optional<Json> says_;  ///< what it answers, whatever is the case
  int paid_ = 0;
  bool loses_answers_ = false;
  std::unique_ptr<McpServers> servers_;
};

TEST_F(ReconcilableTools, TheKeyGoesIntoTheCallAndNoModelSeesItsParameter) {
  start();
  EXPECT_EQ(registry_.find("bank_pay")->tool->descriptor().effect, EffectClass::Reconcilable);
  EXPECT_THAT(registry_.find("bank_pay")->spec.parameters_schema, Not(HasSubstr("reference")));
  EXPECT_EQ(call().observation, R"({"id":1,"account":"a-1"})");
  EXPECT_TRUE(payments_.contains("key-1"));
  EXPECT_THAT(asked_, IsEmpty());
}

TEST_F(ReconcilableTools, WhatAModelSaysOfTheKeyDoesNotStand) {
  start();
  call(false, R"({"account":"a-1","reference":"mine"})");
  EXPECT_FALSE(payments_.contains("mine"));
}

TEST_F(ReconcilableTools, AfterACrashBehindTheEffectItsResultIsTakenAndNothingIsPaidTwice) {
  start();
  payments_["key-1"] = {{"id", 7}};
  const ToolResult result = call(true);
  EXPECT_EQ(result.state, ToolCallState::Succeeded);
  EXPECT_EQ(result.observation, R"({"id":7})");
  EXPECT_EQ(paid_, 0);
  EXPECT_THAT(asked_, ElementsAre(Json{{"account", "a-1"}, {"reference", "key-1"}}));
}

TEST_F(ReconcilableTools, AfterACrashBeforeTheEffectTheCallRuns) {
  start();
  const ToolResult result = call(true);
  EXPECT_EQ(result.state, ToolCallState::Succeeded);
  EXPECT_EQ(paid_, 1);
  EXPECT_THAT(asked_, SizeIs(1));
}

TEST_F(ReconcilableTools, AfterALostAnswerTheServerIsAskedOnceItIsBack) {
  start();
  loses_answers_ = true;
  const ToolResult result = call();
  EXPECT_EQ(result.state, ToolCallState::Succeeded);
  EXPECT_EQ(result.observation, R"({"id":1,"account":"a-1"})");
  EXPECT_EQ(paid_, 1);
}

TEST_F(ReconcilableTools, AnAnswerWithoutTheCallsOwnResultIsGivenWholeAndSaysWhatItIs) {
  start();
  says_ = Json{{"structuredContent", {{"state", "declined"}, {"why", "no cover"}}}};
  const ToolResult result = call(true);
  EXPECT_EQ(result.state, ToolCallState::Succeeded);
  EXPECT_THAT(result.observation, HasSubstr(R"("why":"no cover")"));
  EXPECT_EQ(result.note,
            "The call took effect; its own answer was lost, and this is what find says of it.");
}

TEST_F(ReconcilableTools, AWordThatIsInNeitherListIsAskedForAgainAndThenNobodyKnows) {
  start();
  says_ = Json{{"structuredContent", {{"state", "pending"}}}};
  const ToolResult result = call(true);
  EXPECT_EQ(result.state, ToolCallState::Unknown);
  EXPECT_EQ(result.error.value().code, "MCP_STATUS_UNKNOWN");
  EXPECT_THAT(result.error.value().message, HasSubstr("'find' says 'pending'"));
  EXPECT_THAT(asked_, SizeIs(4)) << "once, and three retries";
  EXPECT_EQ(paid_, 0);
}

TEST_F(ReconcilableTools, AnAnswerThatCannotBeReadLeavesTheOutcomeUnknown) {
  start();
  const std::vector<Json> answers = {
      {{"structuredContent", Json::object()}},
      {{"structuredContent", {{"state", {{"deep", 1}}}}}},
      {{"structuredContent", {{"state", nullptr}}}},
      {{"structuredContent", Json::array({1})}},
      {{"content", Json::array({{{"type", "text"}, {"text", "{\"state\":"}}})}},
      {{"content", Json::array()}},
      Json::object(),
  };
  for (const Json& answer : answers) {
    says_ = answer;
    asked_.clear();
    const ToolResult result = call(true);
    EXPECT_EQ(result.state, ToolCallState::Unknown) << answer;
    EXPECT_TRUE(result.error && result.error->code.starts_with("MCP_STATUS_")) << answer;
    EXPECT_EQ(paid_, 0) << answer;
  }
}

TEST_F(ReconcilableTools, APathThatLeadsIntoAListLeadsNowhere) {
  start();
  says_ = Json{{"structuredContent", Json::array({"booked"})}};
  for (const char* path : {"/", "/state/", "/99999999999999999999", "/-"}) {
    pay_settings().status.path = path;
    EXPECT_EQ(call(true).state, ToolCallState::Unknown) << path;
    EXPECT_EQ(paid_, 0) << path;
  }
}

TEST_F(ReconcilableTools, WithoutAnArgumentThatNamesTheCallNobodyIsAsked) {
  tools_["pay"]["inputSchema"]["required"] = {"reference"};
  start();
  const ToolResult result = call(true, R"({"cents":5})");
  EXPECT_EQ(result.state, ToolCallState::Unknown);
  EXPECT_EQ(result.error.value().code, "MCP_STATUS_UNAVAILABLE");
  EXPECT_THAT(asked_, IsEmpty());
  EXPECT_EQ(paid_, 0);
}

TEST_F(ReconcilableTools, TheAnswersDataIsReadBesideItsText) {
  start();
  says_ = Json{{"content", Json::array({{{"type", "text"}, {"text", "All is well."}}})},
               {"structuredContent", {{"state", "booked"}, {"payment", "p"}}}};
  EXPECT_EQ(call(true).observation, "p");
  EXPECT_EQ(paid_, 0);
}

TEST_F(ReconcilableTools, AStatusToolThatFailsLeavesTheOutcomeUnknown) {
  start();
  says_ = Json{{"isError", true},
               {"content", Json::array({{{"type", "text"}, {"text", "the books are closed"}}})}};
  const ToolResult result = call(true);
  EXPECT_EQ(result.state, ToolCallState::Unknown);
  EXPECT_THAT(result.error.value().message, HasSubstr("the books are closed"));
  EXPECT_EQ(paid_, 0);
}

TEST_F(ReconcilableTools, AnAnswerThatIsJsonInATextOrAWordAloneIsRead) {
  pay_settings().status.happened = {"booked", "true"};
  start();
  const auto text = [](const std::string& said) {
    return Json{{"content", Json::array({{{"type", "text"}, {"text", said}}})}};
  };
  says_ = text(R"({"state":"booked","payment":{"id":9}})");
  EXPECT_EQ(call(true).observation, R"({"id":9})");
  says_ = text(R"({"state":true,"payment":"p"})");
  EXPECT_EQ(call(true).observation, "p");
  pay_settings().status.path = "";
  says_ = text("booked");
  EXPECT_EQ(call(true).state, ToolCallState::Succeeded);
  EXPECT_EQ(paid_, 0);
}

// ---- what only the server's list can tell ------------------------------------------------------

TEST_F(ReconcilableTools, WithoutItsStatusToolACallRunsOnceAndThatIsSaid) {
  tools_["find"]["name"] = "other";
  start();
  EXPECT_EQ(registry_.find("bank_pay")->tool->descriptor().effect, EffectClass::Once);
  EXPECT_THAT(warning(), HasSubstr("status_tool 'find' is not listed by the server; it runs once"));
  EXPECT_EQ(call(true).state, ToolCallState::Unknown) << "it was begun as a reconcilable one";
  EXPECT_EQ(paid_, 0);
}

TEST_F(ReconcilableTools, AStatusToolThatMayChangeSomethingIsNone) {
  server().tools["find"].effect.reset();
  server().trusted = true;
  start();
  EXPECT_THAT(warning(), HasSubstr("'find' is not read-only"));
  EXPECT_EQ(registry_.find("bank_pay")->tool->descriptor().effect, EffectClass::Once);
}

TEST_F(ReconcilableTools, ATrustedServersWordThatItIsReadOnlyCounts) {
  server().tools["find"].effect.reset();
  server().trusted = true;
  tools_["find"]["annotations"] = {{"readOnlyHint", true}};
  start();
  EXPECT_EQ(warning(), "");
  EXPECT_EQ(registry_.find("bank_pay")->tool->descriptor().effect, EffectClass::Reconcilable);
}

TEST_F(ReconcilableTools, WhatDoesNotFitTheSchemasIsNamed) {
  const McpToolSettings good = pay_settings();
  const auto expect = [&](const auto& change, const char* words) {
    pay_settings() = good;
    change(pay_settings());
    registry_.remove("bank_pay");
    registry_.remove("bank_find");
    start();
    EXPECT_THAT(warning(), HasSubstr(words));
    EXPECT_EQ(registry_.find("bank_pay")->tool->descriptor().effect, EffectClass::Once);
  };
  expect([](auto& pay) { pay.key_argument = "token"; }, "key_argument 'token' is no parameter");
  expect([](auto& pay) { pay.key_argument = "cents"; }, "key_argument 'cents' takes no text");
  expect([](auto& pay) { pay.status.arguments["account"] = "{{arguments.iban}}"; },
         "status_arguments.account: it has no parameter 'iban'");
  expect([](auto& pay) { pay.status.arguments["token"] = "x"; },
         "'token' is no parameter of 'find'");
  expect([](auto& pay) { pay.status.arguments.erase("reference"); }, "'find' needs 'reference'");
}

TEST_F(ReconcilableTools, WithoutAParameterForItTheKeyIsNotSentAndModelsSeeTheWholeSchema) {
  for (const char* argument : {"token", "cents"}) {
    pay_settings().key_argument = argument;
    start_again();
    EXPECT_EQ(pay().effect, EffectClass::Once) << argument;
    EXPECT_THAT(registry_.find("bank_pay")->spec.parameters_schema, HasSubstr("cents"));
    call(false, R"({"account":"a-1","cents":5,"reference":"r"})");
    EXPECT_EQ(arguments_, (Json{{"account", "a-1"}, {"cents", 5}, {"reference", "r"}})) << argument;
  }
}

TEST_F(ReconcilableTools, OneThatRunsOnceForAnotherReasonHasItsKeyAllTheSame) {
  tools_["find"]["name"] = "other";
  start();
  EXPECT_EQ(pay().effect, EffectClass::Once);
  EXPECT_THAT(registry_.find("bank_pay")->spec.parameters_schema, Not(HasSubstr("reference")));
  call();
  EXPECT_EQ(arguments_.value("reference", ""), "key-1");
}

TEST_F(ReconcilableTools, OneThatDoesNotTakeItsKeyAnyMoreIsNotCalledUntilItDoes) {
  start();
  const Json before = tools_["pay"];
  tools_["pay"]["inputSchema"]["properties"].erase("reference");
  tools_["pay"]["inputSchema"]["required"] = {"account"};
  list_again();
  const ToolResult refused = call();
  EXPECT_EQ(refused.state, ToolCallState::Failed);
  EXPECT_EQ(refused.error.value().code, "MCP_KEY_UNKNOWN");
  EXPECT_EQ(call(true).state, ToolCallState::Unknown) << "one that is under way";
  EXPECT_EQ(paid_, 0);
  EXPECT_THAT(asked_, IsEmpty());
  tools_["pay"] = before;
  list_again();
  time_.run_for(4 * kReconnectFirst);  // the second wait is longer
  const ToolResult again = call();
  EXPECT_EQ(again.state, ToolCallState::Succeeded) << again.observation;
  EXPECT_TRUE(payments_.contains("key-1"));
}

/// Under other settings the server is asked about another call, which it may not have.
TEST_F(ReconcilableTools, ACallThatWasBegunUnderOtherSettingsIsNotAskedAbout) {
  const Json text = {{"type", "string"}};
  tools_["pay"]["inputSchema"]["properties"]["note"] = text;
  tools_["pay"]["inputSchema"]["required"] = {"account"};
  tools_["find"]["inputSchema"]["properties"]["note"] = text;
  start();
  begun_version_ = pay().version;
  const McpServerConfig good = server();
  const auto expect = [&](const auto& change, const char* named) {
    server() = good;
    change();
    start_again();
    ASSERT_EQ(pay().effect, EffectClass::Reconcilable) << warning();
    const ToolResult result = call(true);
    EXPECT_EQ(result.state, ToolCallState::Unknown) << named;
    EXPECT_EQ(result.error.value_or(ToolError{}).code, "MCP_STATUS_CHANGED") << named;
    EXPECT_THAT(result.observation, HasSubstr(named));
  };
  const char* const rule =
      "mcp.servers.bank.tools.pay: key_argument, status_tool or status_arguments";
  expect([&] { pay_settings().key_argument = "note"; }, rule);
  expect([&] { pay_settings().status.arguments["reference"] = "{{arguments.note}}"; }, rule);
  expect([&] { pay_settings().status.arguments["note"] = "x"; }, rule);
  expect([&] { server().command = {"y"}; }, "mcp.servers.bank: command, args or url");
  EXPECT_EQ(paid_, 0);
  EXPECT_THAT(asked_, IsEmpty());
}

/// Its version says nothing of the question, but of the server.
TEST_F(ReconcilableTools, OneThatAnOlderWorkerBeganIsAskedAboutAtTheSameServer) {
  start();
  const std::string version = pay().version;
  const std::string older = version.substr(0, version.rfind('.'));
  ASSERT_LT(older.size(), version.size());
  begun_version_ = older;
  EXPECT_NE(call(true).error.value_or(ToolError{}).code, "MCP_STATUS_CHANGED");
  EXPECT_THAT(asked_, Not(IsEmpty()));
  asked_.clear();
  begun_version_ = older.substr(0, older.find('+') + 1) + "00000000";
  EXPECT_EQ(call(true).error.value_or(ToolError{}).code, "MCP_STATUS_CHANGED");
  EXPECT_THAT(asked_, IsEmpty());
}

TEST_F(ReconcilableTools, HowAnAnswerIsReadAndWhatTheToolSaysOfItselfMayChangeMeanwhile) {
  start();
  begun_version_ = pay().version;
  pay_settings().status.happened.push_back("settled");
  pay_settings().status.path = "/says";
  tools_["pay"]["description"] = "Pays.";
  says_ = Json{{"structuredContent", {{"says", "settled"}, {"payment", "p"}}}};
  start_again();
  EXPECT_EQ(call(true).observation, "p");
  EXPECT_EQ(paid_, 0);
}

TEST_F(ReconcilableTools, AStatusToolThatGoesLaterIsNotAskedAndNothingIsPaidTwice) {
  start();
  tools_["find"]["name"] = "other";
  list_again();
  const ToolResult result = call(true);
  EXPECT_EQ(result.state, ToolCallState::Unknown);
  EXPECT_EQ(result.error.value().code, "MCP_STATUS_UNAVAILABLE");
  EXPECT_THAT(asked_, IsEmpty());
  EXPECT_EQ(paid_, 0);
  EXPECT_EQ(registry_.find("bank_pay")->tool->descriptor().effect, EffectClass::Reconcilable);
}

TEST_F(ReconcilableTools, AStatusToolThatIsNotAsItWasPinnedIsNotAsked) {
  start();
  const McpServerReport report = servers_->report()[0];
  for (const McpToolReport& tool : report.tools) server().pins[tool.name] = tool.hash;
  tools_["find"]["description"] = "something else";
  list_again();
  EXPECT_EQ(call(true).error.value().code, "MCP_STATUS_UNAVAILABLE");
  EXPECT_THAT(asked_, IsEmpty());
}

TEST_F(ReconcilableTools, AStatusToolNeedNotBeOfferedToModels) {
  server().tools["find"].enabled = false;
  start();
  EXPECT_THAT(registry_.names(std::nullopt), ElementsAre("bank_pay"));
  payments_["key-1"] = {{"id", 7}};
  EXPECT_EQ(call(true).observation, R"({"id":7})");
}

}  // namespace
}  // namespace ba::mcp

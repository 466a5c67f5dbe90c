// SPDX-License-Identifier: Apache-2.0
// Handshake, lists and calls, against servers that a test makes up.
#include "worker/mcp/mcp_session.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/worker/mcp/fake_transport.hpp"
#include "worker/mcp/call.hpp"

namespace ba::mcp {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Not;
using ::testing::Pair;
using ::testing::SizeIs;

class SessionTest : public ::testing::Test {
 protected:
  SessionTest() { server_.time = &time_; }

  void connect(std::optional<Era> known = std::nullopt) {
    transport_ = std::make_unique<FakeTransport>(server_);
    SessionOptions options;
    options.known_era = known;
    session_ = std::make_shared<Session>(
        *transport_, time_, ClientIdentity{}, options,
        Session::Events{[this](Result<ToolList> list) { connected_ = std::move(list); },
                        [this](ToolList list) { lists_.push_back(std::move(list)); },
                        [this](Error) { closed_ = true; }});
    session_->connect();
    time_.run_until([this] { return connected_.has_value(); }, Milliseconds(60'000));
    ASSERT_TRUE(connected_.has_value());
  }
  void expect_connected(Era era, const std::string& revision) {
    connect();
    ASSERT_TRUE(*connected_) << connected_->error().message;
    EXPECT_EQ(session_->facts().era, era);
    EXPECT_EQ(session_->facts().revision, revision);
  }
  std::unique_ptr<Call> call(const std::string& tool = "a",
                             const Json& arguments = Json::object()) {
    CallRequest request;
    request.tool = tool;
    request.arguments = arguments;
    return std::make_unique<Call>(session_, std::move(request), [this](RawToolResult got) {
      results_.push_back(std::move(got));
    });
  }
  RawToolResult result_of(const std::string& tool = "a", const Json& arguments = Json::object()) {
    results_.clear();
    const auto running = call(tool, arguments);
    EXPECT_THAT(results_, SizeIs(0));
    time_.run_until([this] { return !results_.empty(); }, std::chrono::hours(1));
    EXPECT_THAT(results_, SizeIs(1));
    return results_.empty() ? RawToolResult{} : results_.front();
  }
  int count(const std::string& method) const {
    const auto names = server_.methods_sent();
    return static_cast<int>(std::count(names.begin(), names.end(), method));
  }

  VirtualExecutor time_;
  FakeServer server_;
  std::unique_ptr<FakeTransport> transport_;
  std::shared_ptr<Session> session_;
  std::optional<Result<ToolList>> connected_;
  std::vector<ToolList> lists_;
  std::vector<RawToolResult> results_;
  bool closed_ = false;
};

// ---- the era -----------------------------------------------------------------------------------

TEST_F(SessionTest, FindsAModernServerByItsAnswer) {
  server_.be_modern({tool_json("a")});
  expect_connected(Era::Modern, "2026-07-28");
  EXPECT_THAT(server_.methods_sent(), ElementsAre("server/discover", "tools/list"));
  const Json& meta = server_.sent[1].message["params"]["_meta"];
  EXPECT_EQ(meta["io.modelcontextprotocol/protocolVersion"], "2026-07-28");
  EXPECT_EQ(meta["io.modelcontextprotocol/clientCapabilities"], Json::object());
  EXPECT_EQ(meta["io.modelcontextprotocol/clientInfo"]["name"], "ba-agent");
}

TEST_F(SessionTest, TakesAnyOtherErrorForALegacyServer) {
  for (const std::int64_t code : {-32601, -32602, -32000, 7}) {
    server_.be_legacy({tool_json("a")});
    server_.methods["server/discover"] = [&](std::int64_t id, const Json&) {
      server_.refuse(id, code);
    };
    server_.sent.clear();
    connected_.reset();
    expect_connected(Era::Legacy, "2025-11-25");
    EXPECT_THAT(server_.methods_sent(), ElementsAre("server/discover", "initialize",
                                                    "notifications/initialized", "tools/list"));
    EXPECT_EQ(member(server_.sent[3].message["params"], "_meta"), nullptr);
  }
}

TEST_F(SessionTest, AnAnswerThatIsNoDiscoveryMeansALegacyServer) {
  server_.be_legacy({tool_json("a")});
  server_.methods["server/discover"] = [&](std::int64_t id, const Json&) {
    server_.answer(id, Json::object());
  };
  expect_connected(Era::Legacy, "2025-11-25");
}

TEST_F(SessionTest, SilenceOnAPipeMeansALegacyServer) {
  server_.be_legacy({tool_json("a")});
  server_.methods["server/discover"] = nullptr;
  expect_connected(Era::Legacy, "2025-11-25");
}

TEST_F(SessionTest, SilenceOfAUrlIsAFailure) {
  server_.http = true;
  server_.be_legacy({tool_json("a")});
  server_.methods["server/discover"] = nullptr;
  connect();
  ASSERT_FALSE(*connected_);
  EXPECT_EQ(connected_->error().code, ErrorCode::Timeout);
}

TEST_F(SessionTest, AStatusDecidesOverTheEraOnlyWhereItRefusesTheUnknown) {
  server_.http = true;
  struct Row {
    int status;
    bool legacy;
  };
  for (const Row row :
       {Row{400, true}, Row{404, true}, Row{405, true}, Row{406, true}, Row{401, false},
        Row{403, false}, Row{408, false}, Row{429, false}, Row{500, false}, Row{503, false}}) {
    server_.be_legacy({tool_json("a")});
    server_.methods["server/discover"] = [&](std::int64_t id, const Json&) {
      server_.lose(id, ErrorCode::InvalidArgument, row.status);
    };
    connected_.reset();
    connect();
    EXPECT_EQ(bool(*connected_), row.legacy) << row.status;
  }
}

TEST_F(SessionTest, AsksOnceMoreWhenTheServerNamesOurRevision) {
  server_.be_modern({tool_json("a")});
  const Serve discover = server_.methods["server/discover"];
  server_.methods["server/discover"] = [&, first = true](std::int64_t id,
                                                         const Json& params) mutable {
    if (std::exchange(first, false))
      return server_.refuse(id, -32022, {{"supported", {"2026-07-28"}}});
    discover(id, params);
  };
  expect_connected(Era::Modern, "2026-07-28");
  EXPECT_EQ(count("server/discover"), 2);
}

TEST_F(SessionTest, AModernServerOfOtherRevisionsIsNotInitialised) {
  server_.be_legacy({tool_json("a")});
  server_.methods["server/discover"] = [&](std::int64_t id, const Json&) {
    server_.refuse(id, -32022, {{"supported", {"2030-01-01"}}});
  };
  connect();
  EXPECT_FALSE(*connected_);
  EXPECT_EQ(count("initialize"), 0);
}

TEST_F(SessionTest, TakesAnOlderLegacyRevisionAndNoUnknownOne) {
  server_.be_legacy({tool_json("a")}, "2024-11-05");
  expect_connected(Era::Legacy, "2024-11-05");
  server_.be_legacy({tool_json("a")}, "2023-01-01");
  connected_.reset();
  connect();
  EXPECT_FALSE(*connected_);
}

TEST_F(SessionTest, AKnownLegacyServerIsNotProbedAgain) {
  server_.be_legacy({tool_json("a")});
  connect(Era::Legacy);
  EXPECT_EQ(count("server/discover"), 0);
}

// ---- lists -------------------------------------------------------------------------------------

TEST_F(SessionTest, ReadsEveryPageAlsoWithAnEmptyCursor) {
  server_.be_modern(Json::array());
  server_.methods["tools/list"] = [&](std::int64_t id, const Json& params) {
    const auto cursor = text_member(params, "cursor");
    if (!cursor) return server_.answer(id, {{"tools", {tool_json("a")}}, {"nextCursor", ""}});
    if (cursor->empty())
      return server_.answer(id, {{"tools", {tool_json("b")}}, {"nextCursor", "x"}});
    server_.answer(id, {{"tools", {tool_json("c")}}});
  };
  connect();
  ASSERT_TRUE(*connected_);
  ASSERT_THAT((*connected_)->tools, SizeIs(3));
  EXPECT_EQ((*connected_)->tools[2].name, "c");
}

TEST_F(SessionTest, AListWithoutEndIsCutWithAWarning) {
  server_.be_modern(Json::array());
  int page = 0;
  server_.methods["tools/list"] = [&](std::int64_t id, const Json&) {
    server_.answer(id, {{"tools", {tool_json("t" + std::to_string(page++))}}, {"nextCursor", "x"}});
  };
  connect();
  ASSERT_TRUE(*connected_);
  EXPECT_EQ(page, kListPagesMax);
  EXPECT_THAT((*connected_)->warnings, SizeIs(1));
}

TEST_F(SessionTest, LeavesOutWhatCannotBeUsedAndASecondToolOfAName) {
  server_.be_modern({tool_json("a"), tool_json("a"), {{"name", "b"}}, 7, tool_json("c")});
  connect();
  ASSERT_TRUE(*connected_);
  EXPECT_THAT((*connected_)->tools, SizeIs(2));
  EXPECT_THAT((*connected_)->warnings, SizeIs(3));
}

TEST_F(SessionTest, AsksAgainWhenTheListHasChangedOrIsTooOld) {
  server_.be_legacy({tool_json("a")});
  expect_connected(Era::Legacy, "2025-11-25");
  EXPECT_TRUE(server_.listening);
  server_.list({tool_json("a"), tool_json("b")});
  const Json changed = {{"jsonrpc", "2.0"}, {"method", "notifications/tools/list_changed"}};
  for (int i = 0; i < 50; ++i) server_.say(kSharedStream, changed);
  ASSERT_TRUE(time_.run_until([this] { return !lists_.empty(); }, Milliseconds(5000)));
  time_.run_for(Milliseconds(5000));
  EXPECT_THAT(lists_, SizeIs(1));
  EXPECT_NE(session_->find("b"), nullptr);
}

TEST_F(SessionTest, AsksAgainWhenTheTimeToLiveIsOverButNotAllTheTime) {
  server_.be_modern(Json::array());
  server_.methods["tools/list"] = [&](std::int64_t id, const Json&) {
    server_.answer(id, {{"tools", Json::array()}, {"ttlMs", 1}});
  };
  connect();
  time_.run_for(kFreshForLeast * 3 + Milliseconds(100));
  EXPECT_THAT(lists_, SizeIs(3));
}

TEST_F(SessionTest, SubscribesToChangesOfAModernServer) {
  server_.be_modern({tool_json("a")}, {{"tools", {{"listChanged", true}}}});
  expect_connected(Era::Modern, "2026-07-28");
  EXPECT_EQ(server_.last("subscriptions/listen").message["params"]["notifications"],
            (Json{{"toolsListChanged", true}}));
  EXPECT_FALSE(server_.listening);
}

// ---- calls -------------------------------------------------------------------------------------

class CallTest : public SessionTest {
 protected:
  void serve_call(Serve serve) { server_.methods["tools/call"] = std::move(serve); }
  void answer_calls(const Json& result) {
    serve_call([this, result](std::int64_t id, const Json&) { server_.answer(id, result); });
  }
};

TEST_F(CallTest, PassesTheArgumentsAndReadsTheResult) {
  server_.be_modern({tool_json("a")});
  connect();
  answer_calls({{"content", {{{"type", "text"}, {"text", "hi"}}}}});
  const RawToolResult result = result_of("a", {{"x", 1}});
  EXPECT_FALSE(result.error);
  EXPECT_EQ(result.data, "\"hi\"");
  EXPECT_EQ(server_.last("tools/call").message["params"]["arguments"], (Json{{"x", 1}}));
  EXPECT_EQ(server_.last("tools/call").message["params"]["_meta"]["progressToken"],
            server_.last("tools/call").message["id"]);
}

TEST_F(CallTest, ProgressMovesTheIdleTimeoutButNotTheAbsoluteOne) {
  server_.be_modern({tool_json("a")});
  connect();
  int told = 0;
  std::unique_ptr<Timer> tick;
  std::function<void(std::int64_t)> progress = [&](std::int64_t id) {
    tick = time_.after(Milliseconds(30'000), [&, id] {
      server_.say(kSharedStream, {{"jsonrpc", "2.0"},
                                  {"method", "notifications/progress"},
                                  {"params", {{"progressToken", id}, {"progress", ++told}}}});
      progress(id);
    });
  };
  serve_call([&](std::int64_t id, const Json&) { progress(id); });
  const SteadyTime began = time_.now();
  const RawToolResult result = result_of();
  ASSERT_TRUE(result.error);
  EXPECT_EQ(result.error->type, ToolErrorType::Timeout);
  EXPECT_TRUE(result.outcome_unknown);
  EXPECT_EQ(time_.now() - began, Milliseconds(600'000));
  EXPECT_EQ(count("notifications/cancelled"), 1);
}

TEST_F(CallTest, ProgressThatDoesNotIncreaseMovesNothing) {
  server_.be_modern({tool_json("a")});
  connect();
  std::vector<std::unique_ptr<Timer>> ticks;
  serve_call([&](std::int64_t id, const Json&) {
    for (int i = 1; i < 10; ++i)
      ticks.push_back(time_.after(Milliseconds(30'000 * i), [&, id] {
        server_.say(kSharedStream, {{"jsonrpc", "2.0"},
                                    {"method", "notifications/progress"},
                                    {"params", {{"progressToken", id}, {"progress", 1}}}});
      }));
  });
  const SteadyTime began = time_.now();
  EXPECT_EQ(result_of().error->code, "TIMEOUT");
  EXPECT_EQ(time_.now() - began, Milliseconds(90'000));
}

TEST_F(CallTest, ACallThatIsDestroyedIsCancelled) {
  server_.be_modern({tool_json("a")});
  connect();
  serve_call(nullptr);
  call().reset();
  EXPECT_EQ(server_.last("notifications/cancelled").message["params"]["requestId"],
            server_.last("tools/call").message["id"]);
  server_.http = true;
  call().reset();
  EXPECT_EQ(count("notifications/cancelled"), 1);  // HTTP: the end of the stream says it
  EXPECT_THAT(server_.dropped, SizeIs(2));
}

TEST_F(CallTest, AnswersThatNobodyWaitsForAreCounted) {
  server_.be_modern({tool_json("a")});
  connect();
  serve_call([&](std::int64_t id, const Json&) {
    server_.answer(id + 1000, {{"content", Json::array()}});
    server_.say(kSharedStream, {{"jsonrpc", "2.0"}, {"id", "x"}, {"result", Json::object()}});
    server_.answer(id, {{"structuredContent", 1}});
    server_.answer(id, {{"structuredContent", 2}});
  });
  EXPECT_EQ(result_of().data, "1");
  time_.run_for(Milliseconds(1));
  EXPECT_EQ(session_->rpc().counts().unexpected_answers, 3);
}

TEST_F(CallTest, AnAnswerInAnotherRequestsStreamCountsForNothing) {
  server_.http = true;
  server_.be_modern({tool_json("a")});
  connect();
  serve_call([&](std::int64_t id, const Json&) {
    server_.say(id + 1, {{"jsonrpc", "2.0"}, {"id", id}, {"result", {{"structuredContent", 666}}}});
    server_.answer(id, {{"structuredContent", 1}});
  });
  EXPECT_EQ(result_of().data, "1");
}

TEST_F(CallTest, GivesNumbersToTheServerAndBackAsTheyWereWritten) {
  constexpr const char* kNumbers =
      R"({"wei":123456789012345678901234567890,"rate":1.10,"neg":-0,"huge":1e400})";
  server_.be_modern({tool_json("a")});
  connect();
  serve_call([&](std::int64_t id, const Json& params) {
    server_.answer(id, {{"structuredContent", params["arguments"]}});
  });
  EXPECT_EQ(result_of("a", *parse_json(kNumbers)).data, kNumbers);
}

TEST_F(CallTest, RefreshesTheListAndTriesOnceMoreWhenHeadersDisagree) {
  server_.http = true;
  Json tool = tool_json("a");
  server_.be_modern({tool});
  connect();
  tool["inputSchema"]["properties"]["r"] = {{"type", "string"}, {"x-mcp-header", "Region"}};
  server_.list({tool});
  serve_call([&](std::int64_t id, const Json&) { server_.refuse(id, -32020); });
  const RawToolResult result = result_of("a", *parse_json(R"({"r":"eu"})"));
  ASSERT_NE(session_->find("a"), nullptr);
  EXPECT_THAT(session_->find("a")->headers, SizeIs(1)) << session_->find("a")->input_schema;
  EXPECT_EQ(result.error->code, "MCP_HEADER_MISMATCH");
  EXPECT_EQ(count("tools/call"), 2);
  EXPECT_THAT(server_.last("tools/call").headers, Contains(Pair("Mcp-Param-Region", "eu")));
  EXPECT_THAT(server_.last("tools/call").headers, Contains(Pair("Mcp-Name", "a")));
}

TEST_F(CallTest, GetsANewSessionOnceWhenTheServerForgotOurs) {
  server_.http = true;
  server_.be_legacy({tool_json("a")});
  connect();
  serve_call([&](std::int64_t id, const Json&) {
    server_.lose(id, ErrorCode::InvalidArgument, 404, true);
  });
  const RawToolResult result = result_of();
  ASSERT_TRUE(result.error);
  EXPECT_EQ(result.error->code, "MCP_SERVER_UNAVAILABLE");
  EXPECT_TRUE(result.never_happened);
  EXPECT_EQ(count("tools/call"), 2);
  EXPECT_EQ(count("initialize"), 2);
}

TEST_F(CallTest, WaitsWhileTheSessionIsRenewed) {
  server_.http = true;
  server_.be_legacy({tool_json("a")});
  connect();
  const Serve initialize = server_.methods["initialize"];
  std::int64_t asked = 0;
  server_.methods["initialize"] = [&](std::int64_t id, const Json&) { asked = id; };
  serve_call([&](std::int64_t id, const Json&) {
    server_.lose(id, ErrorCode::InvalidArgument, 404, true);
  });
  const auto first = call();
  time_.run_for(Milliseconds(10));
  ASSERT_NE(asked, 0);
  answer_calls({{"structuredContent", 1}});
  const auto second = call();
  time_.run_for(Milliseconds(10));
  EXPECT_EQ(count("tools/call"), 1);
  initialize(asked, Json());
  time_.run_for(Milliseconds(10));
  ASSERT_THAT(results_, SizeIs(2));
  for (const RawToolResult& result : results_) EXPECT_EQ(result.data, "1");
  EXPECT_EQ(count("initialize"), 2);
}

TEST_F(CallTest, ThatIsNotSentInItsTimeHadNoEffect) {
  server_.http = true;
  server_.be_legacy({tool_json("a")});
  connect();
  server_.methods["initialize"] = [](std::int64_t, const Json&) {};
  serve_call([&](std::int64_t id, const Json&) {
    server_.lose(id, ErrorCode::InvalidArgument, 404, true);
  });
  CallRequest request;
  request.tool = "a";
  request.total_timeout = Milliseconds(100);
  const Call waiting(session_, std::move(request),
                     [this](RawToolResult got) { results_.push_back(std::move(got)); });
  time_.run_for(Milliseconds(200));
  ASSERT_THAT(results_, SizeIs(1));
  EXPECT_TRUE(results_[0].never_happened);
  EXPECT_FALSE(results_[0].outcome_unknown);
}

TEST_F(CallTest, TheConnectionIsOverWhenThereIsNoNewSession) {
  server_.http = true;
  server_.be_legacy({tool_json("a")});
  connect();
  serve_call([&](std::int64_t id, const Json&) {
    server_.lose(id, ErrorCode::InvalidArgument, 404, true);
  });
  server_.methods["initialize"] = nullptr;
  const RawToolResult result = result_of();
  ASSERT_TRUE(result.error);
  EXPECT_EQ(result.error->type, ToolErrorType::TransientError);
  EXPECT_TRUE(result.never_happened);
  EXPECT_TRUE(closed_);
}

TEST_F(CallTest, DeclinesWhatTheServerWantsToKnowAndGivesItsStateBack) {
  server_.be_modern({tool_json("a")});
  connect();
  serve_call([&](std::int64_t id, const Json& params) {
    if (member(params, "inputResponses") != nullptr)
      return server_.answer(id, {{"structuredContent", params}});
    server_.answer(id, {{"resultType", "input_required"},
                        {"requestState", "opaque"},
                        {"inputRequests", {{"q", {{"method", "elicitation/create"}}}}}});
  });
  const auto params = parse_json(result_of().data);
  EXPECT_EQ((*params)["requestState"], "opaque");
  EXPECT_EQ((*params)["inputResponses"]["q"]["action"], "decline");
}

TEST_F(CallTest, EndsWhenTheServerWantsWhatAWorkerHasNot) {
  server_.be_modern({tool_json("a")});
  connect();
  answer_calls({{"resultType", "input_required"},
                {"inputRequests", {{"q", {{"method", "sampling/createMessage"}}}}}});
  EXPECT_EQ(result_of().error->code, "MCP_INPUT_NEEDED");
  answer_calls({{"resultType", "input_required"}, {"requestState", "again"}});
  server_.sent.clear();
  EXPECT_EQ(result_of().error->code, "MCP_INPUT_NEEDED");
  EXPECT_EQ(count("tools/call"), kInputRoundsMax + 1);
}

TEST_F(CallTest, AServerThatDiesLeavesTheOutcomeUnknown) {
  server_.be_modern({tool_json("a")});
  connect();
  serve_call([&](std::int64_t, const Json&) { server_.die(); });
  const RawToolResult result = result_of();
  EXPECT_EQ(result.error->code, "MCP_SERVER_UNAVAILABLE");
  EXPECT_TRUE(result.outcome_unknown);
  EXPECT_TRUE(closed_);
}

TEST_F(CallTest, EndsWhenTheServerDiesBeforeTheSecondTry) {
  server_.http = true;
  server_.be_modern({tool_json("a")});
  connect();
  server_.methods["tools/list"] = [&](std::int64_t, const Json&) { server_.die(); };
  serve_call([&](std::int64_t id, const Json&) { server_.refuse(id, -32020); });
  const SteadyTime began = time_.now();
  EXPECT_TRUE(result_of().never_happened);
  EXPECT_LT(time_.now() - began, Milliseconds(1000));
}

TEST_F(CallTest, DeclinesRequestsOfALegacyServerAndAnswersItsPing) {
  server_.be_legacy({tool_json("a")});
  connect();
  server_.say(kSharedStream, {{"jsonrpc", "2.0"}, {"id", 1}, {"method", "sampling/createMessage"}});
  server_.say(kSharedStream, {{"jsonrpc", "2.0"}, {"id", "p"}, {"method", "ping"}});
  time_.run_for(Milliseconds(1));
  const std::size_t count = server_.sent.size();
  EXPECT_EQ(server_.sent[count - 2].message["error"]["code"], -32601);
  EXPECT_EQ(server_.sent[count - 1].message["result"], Json::object());
  EXPECT_EQ(server_.sent[count - 1].message["id"], "p");
}

}  // namespace
}  // namespace ba::mcp

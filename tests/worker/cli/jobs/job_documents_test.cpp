// SPDX-License-Identifier: Apache-2.0
#include "worker/cli/jobs/job_documents.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "worker/cli/program/terminal.hpp"

namespace ba::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string next_id() { return "made-1"; }

Result<std::vector<Job>> from_file(const std::string& text, SubmitArguments arguments = {}) {
  if (arguments.file.empty()) arguments.file = "-";
  return jobs_of(arguments, text, {}, next_id);
}

std::string error_of(const std::string& text, SubmitArguments arguments = {}) {
  const auto jobs = from_file(text, std::move(arguments));
  return jobs ? "no error" : jobs.error().message;
}

TEST(JobDocuments, AQuestionIsAJobWithDefaults) {
  SubmitArguments arguments;
  arguments.questions = {"one", "two"};
  const auto jobs = jobs_of(arguments, "", {}, next_id);
  ASSERT_TRUE(jobs);
  ASSERT_EQ(jobs->size(), 1U);
  EXPECT_EQ(jobs->front().tenant.value, "default");
  EXPECT_EQ(jobs->front().job_id.value, "made-1");
  EXPECT_EQ(jobs->front().conversation_id.value, "job:made-1");
  EXPECT_THAT(jobs->front().messages, ElementsAre("one", "two"));
}

TEST(JobDocuments, ReadsOneObjectAListAndLines) {
  const std::string one = R"({"job_id":"a","messages":["x"]})";
  const std::string two = R"({"jobId":"b","tenant":"t","messages":["y"],"lane":"high"})";
  for (const std::string& text :
       {"[" + one + "," + two + "]", one + "\n\n" + two + "\n", one + "\r\n" + two}) {
    const auto jobs = from_file(text);
    ASSERT_TRUE(jobs) << text;
    ASSERT_EQ(jobs->size(), 2U);
    EXPECT_EQ(jobs->at(0).job_id.value, "a");
    EXPECT_EQ(jobs->at(0).tenant.value, "default");
    EXPECT_EQ(jobs->at(1).job_id.value, "b");
    EXPECT_EQ(jobs->at(1).tenant.value, "t");
    EXPECT_EQ(jobs->at(1).lane, Lane::High);
  }
  EXPECT_EQ(from_file("{\n \"messages\": [\"x\"]\n}")->size(), 1U);
}

TEST(JobDocuments, TheCommandLineWins) {
  SubmitArguments arguments;
  arguments.tenant = "mine";
  arguments.conversation = "talk";
  arguments.metadata = {{"k", "v"}};
  const auto jobs = from_file(
      R"({"tenant":"t","conversationId":"c","messages":["x"],"metadata":{"a":"b"}})", arguments);
  ASSERT_TRUE(jobs);
  EXPECT_EQ(jobs->front().tenant.value, "mine");
  EXPECT_EQ(jobs->front().conversation_id.value, "talk");
  EXPECT_EQ(jobs->front().metadata.at("a"), "b");
  EXPECT_EQ(jobs->front().metadata.at("k"), "v");
}

TEST(JobDocuments, NumbersOfASchemaStayAsTheyAreWritten) {
  const std::string schema = R"({"maximum":18446744073709551617,"const":1.10,"minimum":-0})";
  const std::string document = R"({"messages":["x"],"answer_schema":)" + schema + "}";
  for (const std::string& text : {document, "[" + document + "]", document + "\n" + document})
    EXPECT_EQ(from_file(text)->front().answer_schema, schema) << text;
}

TEST(JobDocuments, AnswersMayHaveASchema) {
  const std::string in_file = R"({"messages":["x"],"answerSchema":{"type":"object"}})";
  EXPECT_EQ(from_file(in_file)->front().answer_schema, R"({"type":"object"})");
  SubmitArguments arguments;
  arguments.answer_schema = R"({"type":"array"})";
  EXPECT_EQ(from_file(in_file, arguments)->front().answer_schema, R"({"type":"array"})");
  EXPECT_THAT(error_of(R"({"messages":["x"],"answer_schema":{"type":"text"}})"),
              HasSubstr("answer_schema: type: "));
}

TEST(JobDocuments, TheConfiguredLimitsHold) {
  SubmitArguments arguments;
  arguments.questions = {"one", "two"};
  JobContractLimits limits;
  limits.messages_max = 1;
  const auto refused = jobs_of(arguments, "", limits, next_id);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("messages"));
}

TEST(JobDocuments, MetadataThatIsNoObjectTakesNoMore) {
  SubmitArguments arguments;
  arguments.file = "-";
  arguments.metadata = {{"k", "v"}};
  for (const char* metadata : {"[]", "\"x\"", "1"}) {
    const std::string text = R"({"messages":["x"],"metadata":)" + std::string(metadata) + "}";
    const auto refused = jobs_of(arguments, text, {}, next_id);
    ASSERT_FALSE(refused) << metadata;
    EXPECT_EQ(exit_code_of(refused.error()), kExitUsage) << metadata;
    EXPECT_THAT(refused.error().message, HasSubstr("metadata is ")) << metadata;
  }
  EXPECT_EQ(from_file(R"({"messages":["x"],"metadata":null})", arguments)->size(), 1U);
}

TEST(JobDocuments, ErrorsNameTheDocumentAndTheField) {
  EXPECT_THAT(error_of(R"({"job_id":"a"})"), HasSubstr("messages"));
  EXPECT_THAT(error_of("{\"messages\":[\"x\"]}\n{\"messages\":[1]}"),
              HasSubstr("jobs[1]: messages[0]"));
  EXPECT_THAT(error_of("{\"messages\":[\"x\"]}\n{broken"), HasSubstr("line 2 is not valid JSON"));
  EXPECT_THAT(error_of("{\n  \"messages\": [\"x\"\n}"), HasSubstr("not valid JSON: ',' or ']'"));
  EXPECT_THAT(error_of(R"({"message":["x"]})"),
              HasSubstr("; there is \"message\": did you mean \"messages\"?"));
  SubmitArguments file;
  file.file = "jobs.json";
  EXPECT_THAT(error_of("{broken", file), StartsWith("jobs.json: not valid JSON: "));
  EXPECT_THAT(error_of("{}", file), StartsWith("jobs.json: messages: "));
  EXPECT_THAT(error_of("  \n"), HasSubstr("the input is empty"));
  EXPECT_THAT(error_of("[]"), HasSubstr("the list is empty"));
  EXPECT_THAT(error_of("[1]"), HasSubstr("must be a JSON object"));
  EXPECT_THAT(error_of("\"text\""), HasSubstr("must be a JSON object"));
  SubmitArguments named;
  named.job_id = "a";
  EXPECT_THAT(error_of("[{\"messages\":[\"x\"]},{\"messages\":[\"y\"]}]", named),
              HasSubstr("--job-id can't name 2 jobs"));
}

TEST(JobDocuments, AnIdThatReadsAsTenantAndJobIsRefusedUnlessTheTenantIsSaid) {
  SubmitArguments arguments;
  arguments.questions = {"one"};
  arguments.job_id = "acme/77";
  const auto refused = jobs_of(arguments, "", {}, next_id);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().detail, kUsageDetail);
  EXPECT_EQ(refused.error().message,
            "--job-id \"acme/77\" reads as TENANT/JOB: give --tenant acme --job-id 77, or --tenant "
            "default if all of it is the id");
  const auto of_tenant = from_file(R"({"tenant":"acme","messages":["x"]})", arguments);
  ASSERT_TRUE(of_tenant) << of_tenant.error().message;
  EXPECT_EQ(of_tenant->front().job_id.value, "acme/77");
  arguments.tenant = "default";
  ASSERT_TRUE(jobs_of(arguments, "", {}, next_id));
  arguments.tenant.clear();
  for (const char* id : {"/77", "77/", "77"}) {
    arguments.job_id = id;
    EXPECT_TRUE(jobs_of(arguments, "", {}, next_id)) << id;
  }
}

TEST(JobDocuments, HostileInputIsAnError) {
  EXPECT_NE(error_of(std::string(100'000, '[')), "no error");
  const std::string nested = std::string(100'000, '[') + std::string(100'000, ']');
  EXPECT_THAT(error_of(nested), testing::HasSubstr("nested 100000 levels"));
  EXPECT_THAT(error_of("{\"messages\":[\"q\"],\"x\":" + nested + "}"),
              testing::HasSubstr("the limit is 64"));
  EXPECT_NE(error_of("{\"messages\":[\"\xff\"]}"), "no error");
  EXPECT_NE(error_of(R"({"messages":["x"],"metadata":[1]})"), "no error");
  EXPECT_NE(error_of(R"({"messages":"x"})"), "no error");
}

}  // namespace
}  // namespace ba::cli

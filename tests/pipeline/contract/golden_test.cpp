// SPDX-License-Identifier: Apache-2.0
// The samples of schemas/golden stay readable: JSON, protobuf bytes and framed bytes are the same
// value, and the JSON that is written is read back by the protobuf library's own parser.
#include <google/protobuf/util/json_util.h>
#include <google/protobuf/util/message_differencer.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>

#include "ba/v1/analysis_job.pb.h"
#include "ba/v1/analysis_result.pb.h"
#include "ba/v1/dead_letter.pb.h"
#include "ba/v1/metrics_report.pb.h"
#include "ba/v1/progress_event.pb.h"
#include "pipeline/contract/encode_job.hpp"
#include "pipeline/contract/proto_value.hpp"
#include "tests/pipeline/contract/record_builder.hpp"

namespace ba {
namespace {

using google::protobuf::util::MessageDifferencer;

std::string read_all(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file) << path;
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string golden(const std::string& name) { return read_all("schemas/golden/" + name); }

template <typename M>
class Golden : public testing::Test {
 public:
  static M read(const std::string& bytes) {
    M message;
    const auto defect = read_proto_value(bytes, "", message);
    EXPECT_FALSE(defect) << defect->reason << " " << defect->field << " " << defect->message;
    return message;
  }

  static std::string stem() {
    std::string name;
    for (const char c : M::descriptor()->name()) {
      const bool upper = c >= 'A' && c <= 'Z';
      if (upper && !name.empty()) name += '_';
      name += upper ? static_cast<char>(c + 32) : c;
    }
    return name;
  }
};

using Messages = testing::Types<v1::AnalysisJob, v1::AnalysisResult, v1::MetricsReport,
                                v1::DeadLetter, v1::ProgressEvent>;
TYPED_TEST_SUITE(Golden, Messages);

TYPED_TEST(Golden, AllFormsAreTheSameValue) {
  const auto json = TestFixture::read(golden(TestFixture::stem() + ".json"));
  const auto bytes = TestFixture::read(golden(TestFixture::stem() + ".pb"));
  const auto framed = TestFixture::read(golden(TestFixture::stem() + ".framed"));
  EXPECT_TRUE(MessageDifferencer::Equals(json, bytes)) << json.DebugString();
  EXPECT_TRUE(MessageDifferencer::Equals(framed, bytes));
  EXPECT_EQ(proto_value(json, Encoding::Protobuf), golden(TestFixture::stem() + ".pb"));
}

TYPED_TEST(Golden, EveryFieldIsInTheSample) {
  const auto message = TestFixture::read(golden(TestFixture::stem() + ".pb"));
  const auto* type = TypeParam::descriptor();
  for (int i = 0; i < type->field_count(); ++i) {
    const auto* field = type->field(i);
    const auto* reflection = message.GetReflection();
    EXPECT_TRUE(field->is_repeated() ? reflection->FieldSize(message, field) > 0
                                     : reflection->HasField(message, field))
        << field->name();
  }
}

TYPED_TEST(Golden, TheLibrarysOwnParserReadsTheSame) {
  const auto message = TestFixture::read(golden(TestFixture::stem() + ".pb"));
  TypeParam back;
  const auto status =
      google::protobuf::util::JsonStringToMessage(proto_value(message, Encoding::Json), &back);
  ASSERT_TRUE(status.ok()) << status.ToString();
  EXPECT_TRUE(MessageDifferencer::Equals(back, message));
  EXPECT_TRUE(
      MessageDifferencer::Equals(TestFixture::read(proto_value(message, Encoding::Json)), message));
}

std::set<std::string> names_of(const google::protobuf::Descriptor& type) {
  std::set<std::string> names;
  for (int i = 0; i < type.field_count(); ++i) names.insert(type.field(i)->name());
  return names;
}

std::set<std::string> properties_of(const nlohmann::json& schema) {
  std::set<std::string> names;
  for (const auto& [name, property] : schema.at("properties").items()) names.insert(name);
  return names;
}

TEST(JobSchema, HasTheFieldsOfTheMessage) {
  std::ifstream file("schemas/analysis_job.schema.json");
  const auto schema = nlohmann::json::parse(file);
  EXPECT_EQ(properties_of(schema), names_of(*v1::AnalysisJob::descriptor()));
  EXPECT_EQ(properties_of(schema.at("properties").at("limits")),
            names_of(*v1::JobLimits::descriptor()));
  EXPECT_EQ(properties_of(schema.at("properties").at("context")),
            names_of(*v1::EventContext::descriptor()));
}

/// A name or an id in a job's JSON, and what the JSON Schema says of it.
struct PlainText {
  const char* place;
  const char* rule;
};
constexpr PlainText kPlainTexts[] = {
    {"/tenant", "/properties/tenant"},
    {"/job_id", "/properties/job_id"},
    {"/conversation_id", "/properties/conversation_id"},
    {"/user_id", "/properties/user_id"},
    {"/agent", "/properties/agent"},
    {"/model", "/properties/model"},
    {"/skills/0", "/definitions/name"},
    {"/allowed_tools/0", "/definitions/name"},
    {"/metadata/a\tb", "/properties/metadata/propertyNames"},
    {"/context/event_id", "/properties/context/properties/event_id"},
    {"/context/correlation_id", "/properties/context/properties/correlation_id"}};

TEST(JobSchema, RefusesControlCharactersWhereTheWorkerDoes) {
  using Pointer = nlohmann::json::json_pointer;
  const auto schema = nlohmann::json::parse(read_all("schemas/analysis_job.schema.json"));
  const auto sample = nlohmann::json::parse(golden("analysis_job.json"));
  const auto reason_with = [&](const char* place) {
    auto job = sample;
    job[Pointer(place)] = "a\tb";
    test::TestRecord record;
    record.value = job.dump();
    return record.reason();
  };
  for (const PlainText& text : kPlainTexts) {
    EXPECT_NE(reason_with(text.place), "") << text.place;
    const std::string pattern = schema.at(Pointer(text.rule)).at("pattern");
    EXPECT_NE(pattern.find("\\u0000-\\u001f\\u007f-\\u009f"), pattern.npos) << text.rule;
  }
  for (const char* place : {"/messages/0", "/metadata/a"}) EXPECT_EQ(reason_with(place), "");
}

TEST(GoldenJob, EveryFormIsTheSameJob) {
  test::TestRecord record;
  record.value = golden("analysis_job.json");
  const Job job = record.job();
  record.value = golden("analysis_job.pb");
  EXPECT_EQ(record.job(), job);
  record.value = golden("analysis_job.framed");
  EXPECT_EQ(record.job(), job);
  EXPECT_EQ(encode_job(job), golden("analysis_job.pb"));
}

}  // namespace
}  // namespace ba

// SPDX-License-Identifier: Apache-2.0
// The samples of schemas/golden are whole and stay readable: JSON, protobuf bytes and framed bytes
// are the same value, and the JSON that is written is read back by the protobuf library's own
// parser.
#include <gmock/gmock.h>
#include <google/protobuf/util/json_util.h>
#include <google/protobuf/util/message_differencer.h>
#include <gtest/gtest.h>

#include <set>

#include "ba/v1/analysis_job.pb.h"
#include "ba/v1/analysis_job_event.pb.h"
#include "ba/v1/analysis_result.pb.h"
#include "ba/v1/dead_letter.pb.h"
#include "ba/v1/metrics_report.pb.h"
#include "ba/v1/progress_event.pb.h"
#include "pipeline/text/contract/proto_value.hpp"
#include "tests/pipeline/text/contract/golden_files.hpp"
#include "tests/pipeline/text/contract/record_builder.hpp"

namespace ba {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::util::MessageDifferencer;
using test::golden;
using test::samples_of;
using testing::IsEmpty;

template <typename M>
M read(const std::string& bytes) {
  M message;
  const auto defect = read_proto_value(bytes, "", message);
  EXPECT_FALSE(defect) << defect->reason.text() << " " << defect->field << " " << defect->message;
  return message;
}

/// "analysis_job" of AnalysisJob.
std::string stem_of(const Descriptor& type) {
  std::string name;
  for (const char c : type.name()) {
    const bool upper = c >= 'A' && c <= 'Z';
    if (upper && !name.empty()) name += '_';
    name += upper ? static_cast<char>(c + 32) : c;
  }
  return name;
}

using Fields = std::set<const FieldDescriptor*>;

/// Every field of a type and of the types of its fields.
void add_fields_of(const Descriptor& type, Fields& fields) {
  for (int i = 0; i < type.field_count(); ++i) {
    const FieldDescriptor* field = type.field(i);
    if (fields.insert(field).second && field->message_type() != nullptr)
      add_fields_of(*field->message_type(), fields);
  }
}

/// The fields that are set somewhere in a message.
void add_fields_set_in(const Message& message, Fields& fields) {
  const auto& reflection = *message.GetReflection();
  std::vector<const FieldDescriptor*> set;
  reflection.ListFields(message, &set);
  for (const FieldDescriptor* field : set) {
    fields.insert(field);
    if (field->message_type() == nullptr) continue;
    if (!field->is_repeated()) add_fields_set_in(reflection.GetMessage(message, field), fields);
    for (int i = 0; field->is_repeated() && i < reflection.FieldSize(message, field); ++i)
      add_fields_set_in(reflection.GetRepeatedMessage(message, field, i), fields);
  }
}

/// What is set in none of the messages, which are of one type.
std::vector<std::string> fields_missing_in(const std::vector<const Message*>& messages) {
  Fields wanted;
  Fields found;
  add_fields_of(*messages.at(0)->GetDescriptor(), wanted);
  for (const Message* message : messages) add_fields_set_in(*message, found);
  std::vector<std::string> missing;
  for (const FieldDescriptor* field : wanted)
    if (!found.contains(field)) missing.push_back(field->full_name());
  return missing;
}

template <typename M>
class Golden : public testing::Test {
 public:
  static std::string stem() { return stem_of(*M::descriptor()); }
};

using Messages = testing::Types<v1::AnalysisJob, v1::AnalysisResult, v1::MetricsReport,
                                v1::DeadLetter, v1::ProgressEvent>;
TYPED_TEST_SUITE(Golden, Messages);

TYPED_TEST(Golden, AllFormsAreTheSameValue) {
  for (const std::string& sample : samples_of(TestFixture::stem())) {
    SCOPED_TRACE(sample);
    const auto json = read<TypeParam>(golden(sample + ".json"));
    const auto bytes = read<TypeParam>(golden(sample + ".pb"));
    const auto framed = read<TypeParam>(golden(sample + ".framed"));
    EXPECT_TRUE(MessageDifferencer::Equals(json, bytes)) << json.DebugString();
    EXPECT_TRUE(MessageDifferencer::Equals(framed, bytes));
    EXPECT_EQ(proto_value(json, Encoding::Protobuf), golden(sample + ".pb"));
  }
}

TYPED_TEST(Golden, EveryFieldIsInTheSampleAndInThatOfTheEncoder) {
  for (const std::string& sample : samples_of(TestFixture::stem())) {
    if (sample != TestFixture::stem() && !sample.ends_with(".written")) continue;
    const auto message = read<TypeParam>(golden(sample + ".pb"));
    EXPECT_THAT(fields_missing_in({&message}), IsEmpty()) << sample;
  }
}

TYPED_TEST(Golden, TheLibrarysOwnParserReadsTheSame) {
  for (const std::string& sample : samples_of(TestFixture::stem())) {
    SCOPED_TRACE(sample);
    const auto message = read<TypeParam>(golden(sample + ".pb"));
    const std::string json = proto_value(message, Encoding::Json);
    TypeParam back;
    const auto status = google::protobuf::util::JsonStringToMessage(json, &back);
    ASSERT_TRUE(status.ok()) << status.ToString();
    EXPECT_TRUE(MessageDifferencer::Equals(back, message));
    EXPECT_TRUE(MessageDifferencer::Equals(read<TypeParam>(json), message));
  }
}

TEST(GoldenJob, EveryFormIsTheSameJob) {
  test::TestRecord record;
  record.value = golden("analysis_job.json");
  const Job job = record.job();
  record.value = golden("analysis_job.pb");
  EXPECT_EQ(record.job(), job);
  record.value = golden("analysis_job.framed");
  EXPECT_EQ(record.job(), job);
  record.headers = {{"content-type", "application/cloudevents+json; charset=utf-8"}};
  for (const std::string& sample : samples_of("analysis_job_event")) {
    record.value = golden(sample + ".json");
    EXPECT_EQ(record.job(), job) << sample;
  }
}

TEST(GoldenJob, EveryFieldOfAnEventIsInItsSamples) {
  const auto plain = read<v1::AnalysisJobEvent>(golden("analysis_job_event.json"));
  const auto base64 = read<v1::AnalysisJobEvent>(golden("analysis_job_event.base64.json"));
  EXPECT_THAT(fields_missing_in({&plain, &base64}), IsEmpty());
}

}  // namespace
}  // namespace ba

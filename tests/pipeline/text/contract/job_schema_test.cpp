// SPDX-License-Identifier: Apache-2.0
// The JSON Schema of a job says what the worker does: its fields, its limits, its plain texts.
#include <google/protobuf/descriptor.h>
#include <gtest/gtest.h>

#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "pipeline/text/contract/job_mapping.hpp"
#include "pipeline/text/contract/text_check.hpp"
#include "tests/pipeline/text/contract/golden_files.hpp"
#include "tests/pipeline/text/contract/record_builder.hpp"

namespace ba {
namespace {

nlohmann::json job_schema() {
  return nlohmann::json::parse(test::read_file("schemas/analysis_job.schema.json"));
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
  const auto schema = job_schema();
  EXPECT_EQ(properties_of(schema), names_of(*v1::AnalysisJob::descriptor()));
  EXPECT_EQ(properties_of(schema.at("properties").at("limits")),
            names_of(*v1::JobLimits::descriptor()));
  EXPECT_EQ(properties_of(schema.at("properties").at("context")),
            names_of(*v1::EventContext::descriptor()));
}

using Limits = std::map<std::string, std::uint64_t>;

/// Where the schema limits something from above.
Limits limits_of(const nlohmann::json& schema) {
  Limits limits;
  const auto flat = schema.flatten();
  for (const auto& [place, value] : flat.items())
    for (const char* key : {"/maximum", "/maxLength", "/maxItems", "/maxProperties"})
      if (place.ends_with(key)) limits[place] = value.get<std::uint64_t>();
  return limits;
}

TEST(JobSchema, HasTheLimitsOfTheWorker) {
  const JobContractLimits limits;
  const Limits worker = {
      {"/properties/schema_version/maximum", kJobSchemaVersion},
      {"/properties/tenant/maxLength", limits.id_chars_max},
      {"/properties/job_id/maxLength", limits.id_chars_max},
      {"/properties/conversation_id/maxLength",
       limits.id_chars_max + kOwnConversationPrefix.size()},
      {"/properties/user_id/maxLength", limits.id_chars_max},
      {"/properties/messages/maxItems", limits.messages_max},
      {"/properties/messages/items/maxLength", limits.message_chars_max},
      {"/properties/skills/maxItems", limits.skills_max},
      {"/properties/agent/maxLength", limits.name_chars_max},
      {"/properties/model/maxLength", limits.name_chars_max},
      {"/properties/allowed_tools/maxItems", limits.allowed_tools_max},
      {"/properties/limits/properties/steps_per_round_max/maximum",
       std::numeric_limits<std::int32_t>::max()},
      {"/properties/limits/properties/deadline_ms/oneOf/0/maximum", limits.deadline_ms_max},
      {"/properties/answer_schema/anyOf/1/maxLength", limits.answer_schema_bytes_max},
      {"/properties/metadata/maxProperties", limits.metadata_entries_max},
      {"/properties/metadata/propertyNames/maxLength", limits.metadata_key_chars_max},
      {"/properties/metadata/additionalProperties/maxLength", limits.metadata_value_chars_max},
      {"/properties/context/properties/tracestate/maxLength", limits.tracestate_chars_max},
      {"/properties/context/properties/event_id/maxLength", limits.id_chars_max},
      {"/properties/context/properties/correlation_id/maxLength", limits.id_chars_max},
      {"/definitions/name/maxLength", limits.name_chars_max},
      {"/definitions/int64/oneOf/0/maximum", std::numeric_limits<std::int64_t>::max()}};
  EXPECT_EQ(limits_of(job_schema()), worker);
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
  const auto schema = job_schema();
  const auto sample = nlohmann::json::parse(test::golden("analysis_job.json"));
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

}  // namespace
}  // namespace ba

// SPDX-License-Identifier: Apache-2.0
// schemas/asyncapi.yaml says what the program does: topics, headers, content types, codes.
#include <gtest/gtest.h>
#include <yaml-cpp/yaml.h>

#include <map>
#include <regex>
#include <set>

#include "pipeline/text/contract/dead_letter.hpp"
#include "pipeline/text/contract/event_headers.hpp"
#include "pipeline/text/contract/publication.hpp"
#include "pipeline/text/contract/replacement.hpp"
#include "tests/pipeline/text/contract/sample_values.hpp"
#include "worker/kafka/kafka_options.hpp"

namespace ba {
namespace {

using Names = std::set<std::string>;

/// What a message's headers may be, and those that are always there.
struct HeaderNames {
  Names all;
  Names required;

  friend bool operator==(const HeaderNames&, const HeaderNames&) = default;
};

Names names_in(const YAML::Node& list) {
  Names names;
  for (const auto& item : list) names.insert(item.as<std::string>());
  return names;
}

Names names_of(const Headers& headers) {
  Names names;
  for (const auto& [name, value] : headers) names.insert(name);
  return names;
}

template <typename List>
Names set_of(const List& list) {
  return {list.begin(), list.end()};
}

class AsyncApi : public testing::Test {
 protected:
  const YAML::Node channels_ = YAML::LoadFile("schemas/asyncapi.yaml")["channels"];
  const YAML::Node messages_ = YAML::LoadFile("schemas/asyncapi.yaml")["components"]["messages"];
  const YAML::Node event_headers_ =
      YAML::LoadFile("schemas/asyncapi.yaml")["components"]["schemas"]["eventHeaders"];

  /// Of one schema, or of all that it is made of.
  HeaderNames header_names(const YAML::Node& schema) const {
    if (const auto reference = schema["$ref"]) {
      EXPECT_EQ(reference.as<std::string>(), "#/components/schemas/eventHeaders");
      return header_names(event_headers_);
    }
    HeaderNames names;
    for (const auto& property : schema["properties"])
      names.all.insert(property.first.as<std::string>());
    names.required = names_in(schema["required"]);
    for (const auto& part : schema["allOf"]) {
      names.all.merge(header_names(part).all);
      names.required.merge(header_names(part).required);
    }
    return names;
  }

  HeaderNames headers_of(const char* message) const {
    return header_names(messages_[message]["headers"]);
  }
};

Job job_of(const char* trace_state) {
  Job job = test::sample_job();
  job.tracestate = trace_state;
  return job;
}

OutboxRecord dead_letter_of(const Job& job) {
  const ConversationExcerpt excerpt = test::sample_excerpt();
  const JobError error{"internal", "ATTEMPTS_EXHAUSTED", "crashed"};
  return make_job_dead_letter({job, "the job", excerpt, error, 4, {}}, {});
}

/// The headers of an undecodable record that has none of its own that are published.
Names headers_of_letter(const std::optional<std::string>& key, const std::string& value,
                        const Headers& headers) {
  const bool no_value = value.empty();
  return names_of(make_dead_letter({key, value, headers, {}, no_value}, {"TOO_LARGE", "", ""}, {})
                      .record.headers);
}

TEST_F(AsyncApi, TopicsAreTheDefaultsOfTheConfiguration) {
  std::map<std::string, std::string> addresses;
  for (const auto& channel : channels_)
    addresses[channel.first.as<std::string>()] = channel.second["address"].as<std::string>();
  const kafka::KafkaTopics topics;
  const std::map<std::string, std::string> wanted = {
      {"jobsHigh", topics.jobs[0]},  {"jobs", topics.jobs[1]},
      {"jobsBatch", topics.jobs[2]}, {"results", topics.results},
      {"metrics", topics.metrics},   {"deadLetters", topics.dead_letters},
      {"progress", topics.progress}};
  EXPECT_EQ(addresses, wanted);
}

TEST_F(AsyncApi, AJobHasTheHeadersThatAreRead) {
  Names read = {std::string(job_headers::kContentType), std::string(job_headers::kSpecVersion),
                std::string(job_headers::kEventId)};
  read.merge(set_of(job_headers::kCorrelationId));
  read.merge(set_of(job_headers::kTraceparent));
  read.merge(set_of(job_headers::kTracestate));
  EXPECT_EQ(headers_of("analysisJob"), (HeaderNames{read, {}}));
}

TEST_F(AsyncApi, AJobHasTheContentTypesThatAreRead) {
  const auto either = messages_["analysisJob"]["headers"]["properties"]["content-type"]["anyOf"];
  Names known;
  for (const MediaType& type : kMediaTypes) known.insert(std::string(type.name));
  EXPECT_EQ(names_in(either[0]["enum"]), known);
  const std::regex others(either[1]["pattern"].as<std::string>());
  for (const char* type : {"application/vnd.acme.job+json", "application/cloudevents-batch+json",
                           "application/json", "text/vnd.acme+json", "application/vnd.acme+xml"})
    EXPECT_EQ(std::regex_search(type, others) || known.contains(type),
              parse_content_type(type).has_value())
        << type;
}

TEST_F(AsyncApi, EventsHaveTheHeadersThatAreWritten) {
  const EventAttributes event{"id", kResultEventType, {}};
  const HeaderNames written{names_of(event_headers(event, job_of("vendor=1"), {})),
                            names_of(event_headers(event, Job{}, {}))};
  EXPECT_EQ(headers_of("analysisResult"), written);
  EXPECT_EQ(headers_of("metricsReport"), written);
  EXPECT_EQ(names_in(event_headers_["properties"]["ce_type"]["enum"]),
            (Names{kResultEventType, kMetricsEventType, kDeadLetterEventType}));
}

TEST_F(AsyncApi, AnUndecodableRecordHasTheHeadersThatAreWritten) {
  HeaderNames written;
  written.required = headers_of_letter("key", "value", {});
  written.all = headers_of_letter(std::nullopt, "", {});
  written.all.merge(headers_of_letter(std::string(100'000, 'k'), std::string(5'000'000, 'v'),
                                      {{"big", std::string(300'000, 'h')}}));
  const Headers none;
  const DeadLetter refused =
      make_dead_letter({"key", std::string(1000, 'v'), none, {}}, {"TOO_LARGE", "", ""}, {});
  written.all.merge(names_of(replacement_for(refused.record, "too large")->record.headers));
  EXPECT_EQ(headers_of("undecodableRecord"), written);
}

TEST_F(AsyncApi, AnUnrunJobHasTheHeadersThatAreWritten) {
  const HeaderNames written{names_of(dead_letter_of(job_of("vendor=1")).headers),
                            names_of(dead_letter_of(Job{}).headers)};
  EXPECT_EQ(headers_of("unrunJob"), written);
}

TEST_F(AsyncApi, DeadLettersHaveTheCodesThereAre) {
  const auto record = messages_["undecodableRecord"]["headers"]["properties"]["ba.error.code"];
  EXPECT_EQ(names_in(record["enum"]), set_of(kRecordCodes));
  const auto job = messages_["unrunJob"]["headers"]["allOf"][1]["properties"]["ba.error.code"];
  EXPECT_EQ(names_in(job["enum"]), set_of(kJobCodes));
}

}  // namespace
}  // namespace ba

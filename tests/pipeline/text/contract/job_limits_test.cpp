// SPDX-License-Identifier: Apache-2.0
// Each limit of a job at one below, at the limit, and one above.
#include <gtest/gtest.h>

#include <functional>

#include "tests/pipeline/text/contract/record_builder.hpp"

namespace ba {
namespace {

using test::json_job;
using test::json_record;
using test::minimal_job;
using test::record_of;
using test::TestRecord;

/// `make(n)` is a record that carries n of what is limited to `limit`.
void expect_limit(std::size_t limit, const std::string& reason,
                  const std::function<TestRecord(std::size_t)>& make) {
  EXPECT_EQ(make(limit - 1).reason(), "") << limit - 1;
  EXPECT_EQ(make(limit).reason(), "") << limit;
  EXPECT_EQ(make(limit + 1).reason(), reason) << limit + 1;
}

/// n characters of two bytes each: characters are limited, not bytes.
std::string chars(std::size_t n) {
  std::string text;
  while (n-- > 0) text += "é";
  return text;
}

TEST(JobLimits, RecordBytes) {
  expect_limit(1000, "TOO_LARGE", [](std::size_t n) {
    TestRecord record = json_record(json_job(""));
    record.limits.record_bytes_max = 1000;
    record.value.resize(n, ' ');
    return record;
  });
}

TEST(JobLimits, KeyBytes) {
  const std::string job = minimal_job().SerializeAsString();
  const auto reason = [&job](std::size_t bytes) {
    const std::string key(bytes, 'k');
    const DecodedRecord decoded = decode_job({key, job, Headers{}, {}}, {});
    const auto* letter = std::get_if<DeadLetterReason>(&decoded);
    return letter == nullptr ? "" : letter->reason.text() + " " + letter->field;
  };
  EXPECT_EQ(reason(64 * 1024), "");
  EXPECT_EQ(reason(64 * 1024 + 1), "TOO_LARGE key");
}

TEST(JobLimits, HeaderCountAndBytes) {
  expect_limit(100, "TOO_LARGE headers", [](std::size_t n) {
    TestRecord record = record_of(minimal_job());
    record.headers.assign(n, {"x", "y"});
    return record;
  });
  expect_limit(64 * 1024, "TOO_LARGE headers", [](std::size_t n) {
    TestRecord record = record_of(minimal_job());
    record.headers = {{"name", std::string(n - 4, 'x')}};
    return record;
  });
}

TEST(JobLimits, JsonDepth) {
  const auto nested = [](std::size_t n) {
    const std::string arrays = std::string(n - 1, '[') + std::string(n - 1, ']');
    return json_record(json_job("\"x\":" + arrays));
  };
  EXPECT_EQ(nested(63).reason(), "");
  EXPECT_EQ(nested(64).reason(), "");
  EXPECT_EQ(nested(65).reason().substr(0, 8), "BAD_JSON");
}

TEST(JobLimits, JsonNodes) {
  // The object, its three names and values with one message, the name "x" and its array: 10 nodes.
  const auto with_nodes = [](std::size_t n) {
    TestRecord record = json_record(json_job("\"x\":[" + [&] {
      std::string list;
      for (std::size_t i = 10; i < n; ++i) list += i > 10 ? ",1" : "1";
      return list;
    }() + "]"));
    record.limits.json_nodes_max = 100;
    return record;
  };
  EXPECT_EQ(with_nodes(99).reason(), "");
  EXPECT_EQ(with_nodes(100).reason(), "");
  EXPECT_EQ(with_nodes(101).reason().substr(0, 9), "TOO_LARGE");
}

TEST(JobLimits, AnswerSchema) {
  expect_limit(64 * 1024, "TOO_LARGE answer_schema", [](std::size_t n) {
    v1::AnalysisJob job = minimal_job();
    const std::string frame = R"({"title":""})";
    job.set_answer_schema(R"({"title":")" + std::string(n - frame.size(), 'x') + "\"}");
    return record_of(job);
  });
}

TEST(JobLimits, Messages) {
  expect_limit(64, "TOO_LARGE messages", [](std::size_t n) {
    v1::AnalysisJob job = minimal_job();
    while (job.messages_size() < static_cast<int>(n)) job.add_messages("x");
    return record_of(job);
  });
  expect_limit(200'000, "TOO_LARGE messages[0]", [](std::size_t n) {
    v1::AnalysisJob job = minimal_job();
    job.set_messages(0, chars(n));
    return record_of(job);
  });
  v1::AnalysisJob job = minimal_job();
  job.set_messages(0, "");
  EXPECT_EQ(record_of(job).reason(), "MISSING_FIELD messages[0]");
  job.clear_messages();
  EXPECT_EQ(record_of(job).reason(), "MISSING_FIELD messages");
}

struct TextField {
  const char* name;
  std::size_t limit;
  void (*set)(v1::AnalysisJob&, const std::string&);
};

class TextLimits : public testing::TestWithParam<TextField> {};

TEST_P(TextLimits, CountsCharacters) {
  expect_limit(GetParam().limit, std::string("TOO_LARGE ") + GetParam().name, [](std::size_t n) {
    v1::AnalysisJob job = minimal_job();
    GetParam().set(job, chars(n));
    return record_of(job);
  });
}

TEST_P(TextLimits, RefusesControlCharacters) {
  v1::AnalysisJob job = minimal_job();
  GetParam().set(job, "a\nb");
  EXPECT_EQ(record_of(job).reason(), std::string("INVALID_FIELD ") + GetParam().name);
}

INSTANTIATE_TEST_SUITE_P(
    JobLimits, TextLimits,
    testing::Values(
        TextField{"tenant", 200, [](auto& job, const auto& text) { job.set_tenant(text); }},
        TextField{"job_id", 200, [](auto& job, const auto& text) { job.set_job_id(text); }},
        TextField{"conversation_id", 204,
                  [](auto& job, const auto& text) { job.set_conversation_id(text); }},
        TextField{"user_id", 200, [](auto& job, const auto& text) { job.set_user_id(text); }},
        TextField{"agent", 100, [](auto& job, const auto& text) { job.set_agent(text); }},
        TextField{"model", 100, [](auto& job, const auto& text) { job.set_model(text); }},
        TextField{"skills[0]", 100, [](auto& job, const auto& text) { job.add_skills(text); }},
        TextField{"allowed_tools[0]", 100,
                  [](auto& job, const auto& text) { job.add_allowed_tools(text); }},
        TextField{"context.event_id", 200,
                  [](auto& job, const auto& text) { job.mutable_context()->set_event_id(text); }},
        TextField{"context.correlation_id", 200, [](auto& job, const auto& text) {
                    job.mutable_context()->set_correlation_id(text);
                  }}));

TEST(JobLimits, NamesInLists) {
  expect_limit(16, "TOO_LARGE skills", [](std::size_t n) {
    v1::AnalysisJob job = minimal_job();
    while (job.skills_size() < static_cast<int>(n)) job.add_skills("s");
    return record_of(job);
  });
  expect_limit(64, "TOO_LARGE allowed_tools", [](std::size_t n) {
    v1::AnalysisJob job = minimal_job();
    while (job.allowed_tools_size() < static_cast<int>(n)) job.add_allowed_tools("t");
    return record_of(job);
  });
}

TEST(JobLimits, Metadata) {
  const auto with = [](const std::string& key, const std::string& value) {
    v1::AnalysisJob job = minimal_job();
    (*job.mutable_metadata())[key] = value;
    return record_of(job);
  };
  expect_limit(64, "TOO_LARGE metadata", [](std::size_t n) {
    v1::AnalysisJob job = minimal_job();
    for (std::size_t i = 0; i < n; ++i) (*job.mutable_metadata())[std::to_string(i)] = "";
    return record_of(job);
  });
  expect_limit(128, "TOO_LARGE metadata", [&](std::size_t n) { return with(chars(n), "v"); });
  expect_limit(4096, "TOO_LARGE metadata[k]", [&](std::size_t n) { return with("k", chars(n)); });
  EXPECT_EQ(with("", "v").reason(), "MISSING_FIELD metadata");
  EXPECT_EQ(with("k", "two\nlines").reason(), "");
}

TEST(JobLimits, TraceState) {
  for (const std::size_t n : {511, 512, 513}) {
    TestRecord record = record_of(minimal_job());
    record.headers = {{"traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"},
                      {"tracestate", std::string(n, 'x')}};
    EXPECT_EQ(record.job().tracestate.size(), n <= 512 ? n : 0);
  }
}

TEST(JobLimits, HeadersThatCarryIds) {
  for (const char* name : {"ce_id", "correlationid", "ce_correlationid"})
    expect_limit(200, std::string("TOO_LARGE ") + name, [name](std::size_t n) {
      TestRecord record = record_of(minimal_job());
      record.headers = {{name, chars(n)}};
      return record;
    });
}

TEST(JobLimits, NumbersAreInRange) {
  expect_limit(2'592'000'000, "INVALID_FIELD limits.deadline_ms", [](std::size_t n) {
    v1::AnalysisJob job = minimal_job();
    job.mutable_limits()->set_deadline_ms(static_cast<std::int64_t>(n));
    return record_of(job);
  });
  const auto reason = [](const std::string& members) {
    return json_record(json_job(members)).reason();
  };
  for (const char* name :
       {"steps_per_round_max", "tokens_max", "cost_micro_usd_max", "deadline_ms"})
    EXPECT_EQ(reason("\"limits\":{\"" + std::string(name) + "\":-1}"),
              "INVALID_FIELD limits." + std::string(name));
  EXPECT_EQ(reason(R"("schema_version":-1)"), "INVALID_FIELD schema_version");
  EXPECT_EQ(reason(R"("lane":"urgent")"), "INVALID_FIELD lane");
  EXPECT_EQ(reason(R"("lane":"HIGH")"), "INVALID_FIELD lane");
  v1::AnalysisJob job = minimal_job();
  job.mutable_created_at()->set_seconds(253402300800);
  EXPECT_EQ(record_of(job).reason(), "INVALID_FIELD created_at");
  job = minimal_job();
  job.set_tenant("a/b");
  EXPECT_EQ(record_of(job).reason(), "INVALID_FIELD tenant");
}

TEST(JobLimits, AFieldThatIsMissingIsNamed) {
  v1::AnalysisJob job = minimal_job();
  job.clear_tenant();
  EXPECT_EQ(record_of(job).reason(), "MISSING_FIELD tenant");
  job = minimal_job();
  job.clear_job_id();
  EXPECT_EQ(record_of(job).reason(), "MISSING_FIELD job_id");
}

}  // namespace
}  // namespace ba

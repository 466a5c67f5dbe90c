// SPDX-License-Identifier: Apache-2.0
#include "worker/cli/dead_letters/dlq_view.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "pipeline/text/contract/dead_letter.hpp"
#include "tests/pipeline/text/contract/golden_files.hpp"

namespace ba::cli {
namespace {

using nlohmann::json;
using test::golden;

storage::DeadThing dead_record() {
  storage::DeadThing thing;
  thing.letter = 17;
  thing.reason = "BAD_UTF8";
  thing.field = "messages[0]";
  thing.message = "byte 1 is not valid UTF-8";
  thing.source = {"ba.jobs", "", 3, 42, 1772366400123};
  thing.redrives = {{"ann", {}, "", true}};
  return thing;
}

storage::DeadThing dead_job() {
  storage::DeadThing thing;
  thing.job = storage::JobName{TenantId("acme"), JobId("j-1")};
  thing.reason = "ATTEMPTS_EXHAUSTED";
  return thing;
}

DeadLetter letter_of(std::string_view value) {
  const Headers headers = {{"content-type", "application/json"}};
  return make_dead_letter({"weekly-report", value, headers, dead_record().source},
                          {"BAD_UTF8", "messages[0]", "byte 1 is not valid UTF-8"}, {});
}

TEST(DeadAsJson, SaysWhatTheLedgerKnows) {
  const auto record = json::parse(dead_as_json(dead_record()));
  EXPECT_EQ(record.at("id"), "17");
  EXPECT_EQ(record.at("kind"), "record");
  EXPECT_EQ(record.at("redrives").at(0).at("by"), "ann");
  EXPECT_FALSE(record.contains("dead_letter"));
  const auto job = json::parse(dead_as_json(dead_job()));
  EXPECT_EQ(job.at("id"), "acme/j-1");
  EXPECT_EQ(job.at("kind"), "job");
}

TEST(DeadAsJson, HasTheMessageOfARecord) {
  const auto shown =
      json::parse(dead_record_as_json(dead_record(), letter_of("{\"messages\":[\"a\xff\"]}")));
  EXPECT_EQ(shown.at("dead_letter"), json::parse(golden("dead_letter.record.json")));
  EXPECT_FALSE(shown.contains("value")) << "it is no text";
  EXPECT_EQ(shown.at("offset"), 42);
  const auto text = json::parse(dead_record_as_json(dead_record(), letter_of("{broken")));
  EXPECT_EQ(text.at("value"), "{broken");
}

TEST(ShowDeadRecord, CutsALongValueUnlessAllIsAskedFor) {
  std::ostringstream out;
  std::ostringstream err;
  Terminal terminal(out, err, {});
  DeadLetter letter;
  letter.value = std::string(2001, 'v');
  show_dead_record(letter, false, terminal);
  EXPECT_EQ(out.str(), "\n" + std::string(2000, 'v') + "\n");
  EXPECT_EQ(err.str(), "the first 2000 of 2,001 bytes; --full shows all\n");
  out.str("");
  show_dead_record(letter, true, terminal);
  EXPECT_EQ(out.str(), "\n" + letter.value + "\n");
}

TEST(DeadAsJson, HasTheMessageOfAJobWhereThereIsOne) {
  OutboxRecord record;
  record.headers = {{"content-type", "application/protobuf"}};
  record.value = golden("dead_letter.job.pb");
  const auto shown = json::parse(dead_job_as_json(dead_job(), record).value());
  EXPECT_EQ(shown.at("dead_letter"), json::parse(golden("dead_letter.job.json")));
  EXPECT_EQ(shown.at("reason"), "ATTEMPTS_EXHAUSTED");
  const auto none = json::parse(dead_job_as_json(dead_job(), std::nullopt).value());
  EXPECT_TRUE(none.at("dead_letter").is_null());
  record.value = "\xff";
  EXPECT_EQ(dead_job_as_json(dead_job(), record).error().code, ErrorCode::Corrupt);
}

}  // namespace
}  // namespace ba::cli

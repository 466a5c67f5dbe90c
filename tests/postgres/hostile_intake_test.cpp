// SPDX-License-Identifier: Apache-2.0
// Whatever stands in a record, in each of its parts: the ledger takes it as a job or as a dead
// letter, at once.
#include <random>

#include "pipeline/core/intake/intake_batch.hpp"
#include "pipeline/text/contract/dead_letter.hpp"
#include "pipeline/text/contract/decode_job.hpp"
#include "pipeline/text/contract/encode_job.hpp"
#include "storage/migrate.hpp"
#include "tests/postgres/role_rig.hpp"
#include "tests/postgres/server_lab.hpp"

namespace ba {
namespace {

constexpr std::uint64_t kSeeds = 4;
constexpr int kRecords = 400;

class HostileIntakeTest : public RoleTest {
 protected:
  std::int64_t number(std::int64_t most) {
    return std::uniform_int_distribution<std::int64_t>(0, most)(dice_);
  }

  std::string bytes(std::int64_t most) {
    std::string text(static_cast<std::size_t>(number(most)), '\0');
    for (char& byte : text) byte = static_cast<char>(number(255));
    return text;
  }

  /// Of code points that are hard to store, compress or compare; as JSON writes them.
  std::string text(std::int64_t most) {
    static const std::string kPieces[] = {
        "a",        "\\u0000", "\\u0001", "\\u007f", "\\u0085", "\\ud800",
        "\\udc00",  "\\ufffe", "\\uffff", "客",      "𝄞",       "\xf4\x8f\xbf\xbf",
        "e\\u0301", "\\u202e", "'",       "\\\\",    "\\\"",    "\\n",
        "/",        "{",       "$1",      "%",       " ",       "\xed\xa0\x80",
        "\xff"};
    std::string out;
    for (std::int64_t left = number(3) == 0 ? most : 1 + number(most - 1); left > 0; --left) {
      if (!tame_) {
        out += kPieces[number(std::size(kPieces) - 1)];
        continue;
      }
      // Anything of the planes above the first: four bytes that don't compress.
      const auto point = static_cast<unsigned>(0x10000 + number(0xFFFFF));
      for (const unsigned byte : {0xF0 | point >> 18U, 0x80 | (point >> 12U & 0x3FU),
                                  0x80 | (point >> 6U & 0x3FU), 0x80 | (point & 0x3FU)})
        out += static_cast<char>(byte);
    }
    return out;
  }

  std::string value() {
    if (number(4) == 0) return bytes(300);
    tame_ = number(3) > 0;
    std::string json = R"({"messages":["q"])";
    for (const char* field : {"tenant", "job_id", "conversation_id", "user_id", "agent", "model"})
      if (tame_ || number(5) > 0)
        json += std::string(",\"") + field + "\":\"" + text(number(30) == 0 ? 260 : 190) + '"';
    if (number(3) == 0)
      json += R"(,"created_at":")" +
              std::string(number(1) == 0 ? "0001-01-01T00:00:00Z" : "9999-12-31T23:59:59Z") + '"';
    if (number(9) == 0) json += ",\"metadata\":{\"" + text(20) + "\":\"" + text(50) + "\"}";
    if (number(9) == 0) json += ",\"x\":" + std::string(100'000, '[');
    return json + "}";
  }

  RawRecord record(std::int64_t offset) {
    static constexpr std::int64_t kTimes[] = {-1,
                                              0,
                                              1'700'000'000'000,
                                              INT64_MAX,
                                              INT64_MIN,
                                              INT64_MAX / 1000,
                                              9'223'372'036'854'776,
                                              -62'135'596'800'001};
    RawRecord one;
    one.source = {number(1) == 0 ? "ba.jobs" : "ba.jobs.batch", number(1) == 0 ? "" : "id-1", 0,
                  offset, kTimes[number(std::size(kTimes) - 1)]};
    if (number(1) == 0) one.key = bytes(number(20) == 0 ? 100'000 : 40);
    one.value = value();
    one.no_value = one.value.empty();
    for (std::int64_t left = number(4); left > 0; --left)
      one.headers.emplace_back(bytes(20), bytes(60));
    if (number(9) == 0) one.headers.emplace_back("content-type", bytes(20));
    if (number(9) == 0) one.headers.emplace_back("traceparent", bytes(60));
    return one;
  }

  static IntakeRecord decode(RawRecord raw) {
    const RecordView view{raw.key, raw.value, raw.headers, raw.source, raw.no_value};
    DecodedRecord decoded = decode_job(view, {}, Lane::Normal);
    if (auto* reason = std::get_if<DeadLetterReason>(&decoded)) {
      Publication publication;
      publication.outbox_shards = LedgerRig::kShards;
      return make_dead_letter(view, std::move(*reason), publication);
    }
    IntakeJob job;
    job.job = std::move(std::get<Job>(decoded));
    job.payload = encode_job(job.job);
    job.source = raw.source;
    return job;
  }

  std::mt19937_64 dice_;
  bool tame_ = false;  ///< the texts of this record are such as a job may have
  ServerLab lab_;
};

TEST_F(HostileIntakeTest, NothingThatARecordHoldsIsRefused) {
  lab_.database("hostile");
  ASSERT_TRUE(migrate(lab_.access("hostile"), false));
  work_as(lab_.access("hostile"));
  const auto self = enter();
  ASSERT_TRUE(own_shards(self));
  std::size_t jobs = 0;
  std::size_t letters = 0;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    dice_.seed(seed);
    for (int i = 0; i < kRecords; i += 20) {
      std::vector<RawRecord> records;
      for (int k = 0; k < 20; ++k)
        records.push_back(record(static_cast<std::int64_t>(seed) * kRecords + i + k));
      IntakeBatch batch = build_intake_batch(std::move(records), decode);
      jobs += batch.jobs.size();
      letters += batch.dead_letters.size();
      const auto taken = intake(self, std::move(batch));
      ASSERT_TRUE(taken) << "seed " << seed << ", record " << i << ": " << taken.error().message;
    }
  }
  EXPECT_GT(jobs, 100u);
  EXPECT_GT(letters, 100u);
  EXPECT_EQ(lab_.run("hostile", "SELECT count(*) FROM ba.dead_letters"), std::to_string(letters));
}

}  // namespace
}  // namespace ba

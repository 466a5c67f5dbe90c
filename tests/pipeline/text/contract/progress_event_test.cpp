// SPDX-License-Identifier: Apache-2.0
// The JSON of a progress event is written by hand; the message of schemas/ is the law of it.
#include "pipeline/text/contract/progress_event.hpp"

#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <random>

#include "ba/v1/progress_event.pb.h"
#include "pipeline/text/contract/proto_json.hpp"
#include "tests/support/test_seed.hpp"

namespace ba {
namespace {

constexpr int kEvents = 20'000;

std::string by_the_message(const ProgressEvent& event) {
  v1::ProgressEvent proto;
  set_progress(proto, event);
  return write_proto_json(proto);
}

/// Values at which such a writer may go wrong, and any others.
class Draws {
 public:
  explicit Draws(std::uint64_t seed) : random_(seed) {}

  ProgressEvent event() {
    ProgressEvent event;
    event.tenant = TenantId(text());
    event.job_id = JobId(text());
    event.conversation_id = ConversationId(text());
    event.kind = static_cast<ProgressKind>(below(7));
    event.attempt = narrow();
    event.round = narrow();
    event.step = narrow();
    event.index = narrow();
    event.tool_name = text();
    event.status = text();
    event.text = text();
    event.usage = {wide(), wide(), wide(), wide(), wide()};
    event.time = time();
    return event;
  }

 private:
  std::uint64_t below(std::uint64_t end) { return random_() % end; }

  /// Also of no characters, of control characters, and of bytes that aren't UTF-8.
  std::string text() {
    constexpr std::array<std::string_view, 12> kPieces{
        "a",  "\"", "\\",       "\n",           "\r\t\b\f",  "\x01\x1f\x7f",
        "ü€", "😀",  "\xff\xc3", "\xed\xa0\x80", "</script>", "exactly 8"};
    std::string text;
    for (std::uint64_t left = below(3) * below(8); left > 0; --left)
      text += below(30) == 0 ? std::string_view("\0", 1) : kPieces[below(kPieces.size())];
    return text;
  }

  int narrow() { return static_cast<int>(wide()); }

  std::int64_t wide() {
    constexpr std::array<std::int64_t, 7> kEdges{0,
                                                 1,
                                                 -1,
                                                 2'147'483'647,
                                                 -2'147'483'648LL,
                                                 std::numeric_limits<std::int64_t>::max(),
                                                 std::numeric_limits<std::int64_t>::min()};
    const std::uint64_t edge = below(2 * kEdges.size());
    if (edge < kEdges.size()) return kEdges[edge];
    return static_cast<std::int64_t>(random_()) >> below(64);
  }

  /// Near an edge of the calendar, or anywhere; with a fraction of none, three or six digits.
  WallTime time() {
    using namespace std::chrono;
    constexpr std::array<sys_days, 8> kEdges{
        sys_days{year{1970} / 1 / 1},   sys_days{year{1} / 1 / 1},
        sys_days{year{10'000} / 1 / 1}, sys_days{year{2000} / 3 / 1},
        sys_days{year{1900} / 3 / 1},   sys_days{year{2026} / 12 / 31},
        sys_days{year{1600} / 2 / 29},  sys_days{year{32'000} / 1 / 1}};
    constexpr std::int64_t kAnywhere = 9'000'000'000'000'000'000;
    const bool edge = below(4) != 0;
    const Microseconds base =
        edge ? Microseconds(sys_time<microseconds>(kEdges[below(kEdges.size())]).time_since_epoch())
             : Microseconds(static_cast<std::int64_t>(random_()) % kAnywhere);
    const Microseconds near(static_cast<std::int64_t>(below(200'000'000'000)) - 100'000'000'000);
    constexpr std::array<std::int64_t, 4> kUnits{1, 1'000, 1'000'000, 86'400'000'000};
    const Microseconds time = base + near;
    return WallTime(time - Microseconds(time.count() % kUnits[below(kUnits.size())]));
  }

  std::mt19937_64 random_;
};

TEST(ProgressEvent, ItsJsonIsThatOfTheMessage) {
  const std::uint64_t seed = test_seed();
  Draws draws(seed);
  for (int i = 0; i < kEvents; ++i) {
    const ProgressEvent event = draws.event();
    ASSERT_EQ(encode_progress(event, Encoding::Json), by_the_message(event))
        << "BA_TEST_SEED=" << seed;
  }
}

TEST(ProgressEvent, WithoutAnyValueItHasStillWhatIsAMessage) {
  ProgressEvent event;
  event.attempt = 0;
  EXPECT_EQ(
      encode_progress(event, Encoding::Json),
      R"({"schema_version":1,"kind":"job_started","usage":{},"time":"1970-01-01T00:00:00Z"})");
}

TEST(ProgressEvent, ItsTimeHasAFractionOfNoneThreeOrSixDigits) {
  const auto time_in_json = [](std::int64_t micros) {
    ProgressEvent event;
    event.time = WallTime(Microseconds(micros));
    const std::string json = encode_progress(event, Encoding::Json);
    return json.substr(json.find("\"time\":") + 7);
  };
  EXPECT_EQ(time_in_json(1'772'366'403'000'000), "\"2026-03-01T12:00:03Z\"}");
  EXPECT_EQ(time_in_json(1'772'366'403'070'000), "\"2026-03-01T12:00:03.070Z\"}");
  EXPECT_EQ(time_in_json(1'772'366'403'000'250), "\"2026-03-01T12:00:03.000250Z\"}");
  EXPECT_EQ(time_in_json(-1), "\"1969-12-31T23:59:59.999999Z\"}");
  EXPECT_EQ(time_in_json(253'402'300'800'000'000), "\"InvalidTime\"}");
}

TEST(ProgressEvent, ItsProtobufIsTheMessage) {
  const ProgressEvent event = [] {
    ProgressEvent made;
    made.tenant = TenantId("acme");
    made.text = "ü";
    return made;
  }();
  v1::ProgressEvent proto;
  set_progress(proto, event);
  EXPECT_EQ(encode_progress(event, Encoding::Protobuf), proto.SerializeAsString());
}

}  // namespace
}  // namespace ba

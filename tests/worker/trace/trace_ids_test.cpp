// SPDX-License-Identifier: Apache-2.0
#include "worker/trace/trace_ids.hpp"

#include <gtest/gtest.h>

#include <set>

#include "tests/support/fixed_random.hpp"

namespace ba::trace {
namespace {

constexpr const char* kParent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00";

Job job_named(const std::string& tenant, const std::string& id) {
  Job job;
  job.tenant = TenantId(tenant);
  job.job_id = JobId(id);
  return job;
}

TEST(TraceIds, GoOnInTheTraceOfTheJobsHeader) {
  Job job = job_named("acme", "j");
  job.traceparent = kParent;
  const TraceIds ids = trace_ids_of(job);
  EXPECT_EQ(ids.trace_id, "0af7651916cd43dd8448eb211c80319c");
  EXPECT_EQ(ids.parent_id, "b7ad6b7169203331");
  EXPECT_EQ(ids.span_id.size(), 16U);
  EXPECT_NE(ids.span_id, ids.agent_id);
  EXPECT_NE(ids.span_id, ids.parent_id);
}

TEST(TraceIds, AreTheSameOnEveryWorkerAndInEveryAttempt) {
  for (const char* header : {"", kParent}) {
    Job job = job_named("acme", "j");
    job.traceparent = header;
    EXPECT_EQ(trace_ids_of(job), trace_ids_of(job));
  }
}

TEST(TraceIds, OfTwoJobsDiffer) {
  const std::pair<const char*, const char*> names[] = {
      {"acme", "j"}, {"acme", "k"}, {"globex", "j"}, {"ac", "mej"}, {"", "acmej"}};
  std::set<std::string> traces;
  std::set<std::string> spans;
  for (const auto& [tenant, id] : names) {
    Job job = job_named(tenant, id);
    traces.insert(trace_ids_of(job).trace_id);
    job.traceparent = kParent;
    spans.insert(trace_ids_of(job).span_id);
  }
  EXPECT_EQ(traces.size(), 5U);
  EXPECT_EQ(spans.size(), 5U) << "also where they are in one trace";
}

TEST(TraceIds, AHeaderThatIsNoneIsIgnored) {
  Job job = job_named("acme", "j");
  const TraceIds without = trace_ids_of(job);
  for (const char* bad : {"00-xyz", "00-00000000000000000000000000000000-b7ad6b7169203331-01",
                          "0af7651916cd43dd8448eb211c80319c"}) {
    job.traceparent = bad;
    EXPECT_EQ(trace_ids_of(job), without) << bad;
  }
}

TEST(Sampling, TakesItsShareOfTheTraces) {
  constexpr int kTraces = 20'000;
  std::map<TraceSampling, int> taken;
  for (int i = 0; i < kTraces; ++i) {
    const std::string id = trace_ids_of(job_named("acme", std::to_string(i))).trace_id;
    for (const auto& [level, name] : kTraceSamplingNames) taken[level] += sampled(level, id);
  }
  EXPECT_EQ(taken[TraceSampling::Always], kTraces);
  EXPECT_NEAR(taken[TraceSampling::High], kTraces / 2, 400);
  EXPECT_NEAR(taken[TraceSampling::Medium], kTraces / 10, 250);
  EXPECT_NEAR(taken[TraceSampling::Low], kTraces / 100, 80);
  EXPECT_EQ(taken[TraceSampling::Never], 0);
}

/// Who samples less keeps traces that the others keep as well.
TEST(Sampling, ALowerLevelKeepsAPartOfWhatAHigherOneKeeps) {
  for (int i = 0; i < 2'000; ++i) {
    const std::string id = trace_ids_of(job_named("acme", std::to_string(i))).trace_id;
    bool kept = true;
    for (const auto& [level, name] : kTraceSamplingNames) {
      EXPECT_TRUE(kept || !sampled(level, id)) << name;
      kept = sampled(level, id);
    }
  }
}

TEST(Sampling, LooksAtTheLast56BitsAlone) {
  const std::string zeros(32, '0');
  EXPECT_TRUE(sampled(TraceSampling::Always, zeros));
  EXPECT_FALSE(sampled(TraceSampling::High, zeros));
  EXPECT_FALSE(sampled(TraceSampling::High, "ffffffffffffffffff7fffffffffffff"));
  EXPECT_TRUE(sampled(TraceSampling::High, "00000000000000000080000000000000"));
  EXPECT_FALSE(sampled(TraceSampling::Never, std::string(32, 'f')));
}

TEST(SpanIds, AreSixteenDigitsAndNeverZero) {
  FixedRandom zero(0);
  EXPECT_EQ(random_span_id(zero), "0000000000000001");
  FixedRandom some(0xAB);
  EXPECT_EQ(random_span_id(some), "00000000000000ab");
}

}  // namespace
}  // namespace ba::trace

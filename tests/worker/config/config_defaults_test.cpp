// SPDX-License-Identifier: Apache-2.0
// What holds where nothing is set, with the values that are promised: in words of their own, so
// that neither the code nor the example file can change one unnoticed.
#include "tests/worker/config/config_fixture.hpp"

namespace ba::config {
namespace {

using ::testing::IsEmpty;

/// A key and the JSON of its value.
struct Default {
  const char* key;
  const char* value_json;
};

class DefaultsTest : public ConfigTest {
 protected:
  template <std::size_t N>
  void expect(const Default (&table)[N]) {
    const LoadedConfig loaded = load("");
    ASSERT_THAT(loaded.findings.errors(), IsEmpty());
    for (const Default& row : table) {
      const settings::Setting* found = setting(loaded, row.key);
      ASSERT_NE(found, nullptr) << row.key;
      EXPECT_EQ(found->value_json, row.value_json) << row.key;
      EXPECT_EQ(found->origin.text(), "default") << row.key;
    }
  }
};

TEST_F(DefaultsTest, OfObservability) {
  expect({{"observability.enable_tracing", "true"},
          {"observability.enable_metrics", "true"},
          {"observability.enable_logging", "true"},
          {"observability.trace_sampling", "\"medium\""},
          {"observability.trace_export_timeout_ms", "5000"},
          {"observability.trace_batch_size", "100"},
          {"observability.metrics_export_interval_s", "60"},
          {"observability.metrics_export_timeout_ms", "3000"},
          {"observability.log_level", "\"info\""},
          {"observability.log_format", "\"json\""},
          {"observability.log_output", R"(["stderr"])"},
          {"observability.otlp_endpoint", "\"\""},
          {"observability.otlp_headers", "{}"},
          {"observability.otlp_compression", "\"gzip\""},
          {"observability.service_name", "\"ba-agent\""},
          {"observability.environment", "\"production\""},
          {"observability.extra_tags", "{}"}});
}

TEST_F(DefaultsTest, OfCompression) {
  expect({{"context.mode", "\"auto\""},
          {"context.threshold_percent", "80"},
          {"context.target_percent", "50"},
          {"context.keep_recent_messages", "5"},
          {"context.keep_recent_rounds", "5"},
          {"context.exact_counting_timeout_ms", "2000"},
          {"context.decision_words", R"(["decided", "selected", "chose", "确定", "选择"])"},
          {"context.refocus_every_steps", "5"},
          {"context.enable_llm_summarization", "true"},
          {"context.llm_summarization_threshold", "50"},
          {"context.summary_cache_ttl", "24"},
          {"context.max_compression_cost_per_hour", "0.1"},
          {"context.summary_cost_per_1000_tokens_usd", "0.003"},
          {"context.summary.max_summary_tokens", "500"},
          {"context.summary.timeout_ms", "10000"},
          {"context.summary.focus_areas", R"(["tool_calls", "errors", "decisions"])"}});
}

TEST_F(DefaultsTest, OfCallsOfTools) {
  expect({{"tools.output_level", "\"standard\""},
          {"tools.brief_above_window_percent", "80"},
          {"tools.encoding", "\"default\""},
          {"tools.stable_prefix", "false"},
          {"tools.max_input_mb", "10"},
          {"tools.inline_full_max_bytes", "16384"},
          {"tools.preview_bytes", "4096"},
          {"tools.retry.max_retries", "3"},
          {"tools.retry.retry_on",
           R"(["timeout", "rate_limit", "resource_error", "transient_error"])"},
          {"tools.retry.backoff_multiplier", "1.5"},
          {"tools.retry.initial_delay_ms", "1000"},
          {"tools.retry.max_delay_ms", "10000"},
          {"tools.retry.timeout_multiplier", "2"},
          {"tools.retry.max_timeout_ms", "300000"}});
}

TEST_F(DefaultsTest, OfWhatIsKeptOfResults) {
  expect({{"tools.cache.enabled", "true"},
          {"tools.cache.local_entries_max", "10000"},
          {"tools.cache.local_bytes_max", "67108864"},
          {"tools.artifacts.enabled", "true"},
          {"tools.artifacts.max_age_hours", "24"},
          {"tools.artifacts.max_size_gb", "10"},
          {"tools.artifacts.cleanup_interval_seconds", "3600"},
          {"tools.artifacts.remove_when_closed", "true"}});
}

}  // namespace
}  // namespace ba::config

// SPDX-License-Identifier: Apache-2.0
#include "worker/runtime/settings.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

namespace ba {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

TEST(Settings, EachLogLineNamesServiceAndEnvironment) {
  Config config;
  EXPECT_THAT(log_settings_of(config).tags,
              ElementsAre(Pair("environment", "production"), Pair("service", "ba-agent")));
  config.observability.service_name.clear();
  config.observability.environment.clear();
  EXPECT_THAT(log_settings_of(config).tags, IsEmpty());
}

TEST(Settings, ATagOfTheSameNameWins) {
  Config config;
  config.observability.extra_tags = {{"service", "mine"}, {"team", "a"}};
  EXPECT_THAT(
      log_settings_of(config).tags,
      ElementsAre(Pair("environment", "production"), Pair("service", "mine"), Pair("team", "a")));
}

TEST(Settings, TheLogIsWrittenAsConfigured) {
  Config config;
  const LogSettings defaults = log_settings_of(config);
  EXPECT_EQ(defaults.level, LogLevel::Info);
  EXPECT_TRUE(defaults.json);
  EXPECT_FALSE(defaults.to_stdout);
  EXPECT_TRUE(defaults.to_stderr);
  EXPECT_EQ(defaults.file, "");
  config.observability.log_level = LogLevel::Error;
  config.observability.log_format = LogFormat::Text;
  config.observability.log_output = {"stdout", "file"};
  config.observability.log_file = "/var/log/w.log";
  const LogSettings log = log_settings_of(config);
  EXPECT_EQ(log.level, LogLevel::Error);
  EXPECT_FALSE(log.json);
  EXPECT_TRUE(log.to_stdout);
  EXPECT_FALSE(log.to_stderr);
  EXPECT_EQ(log.file, "/var/log/w.log");
}

TEST(Settings, WithoutLoggingNothingIsWrittenAnywhere) {
  Config config;
  config.observability.enable_logging = false;
  config.observability.log_output = {"stdout", "stderr", "file"};
  config.observability.log_file = "/var/log/w.log";
  const LogSettings log = log_settings_of(config);
  EXPECT_FALSE(log.to_stdout);
  EXPECT_FALSE(log.to_stderr);
  EXPECT_EQ(log.file, "");
}

TEST(Settings, AFileThatNoOutputNamesIsNotWritten) {
  Config config;
  config.observability.log_file = "/var/log/w.log";
  EXPECT_EQ(log_settings_of(config).file, "");
}

TEST(Settings, TracesAreSentAsConfigured) {
  Config config;
  config.observability.otlp_endpoint = "http://collector:4318";
  config.observability.otlp_headers = {{"x-tenant", "a"}};
  config.observability.otlp_compression = OtlpCompression::None;
  config.observability.trace_export_timeout = Milliseconds(321);
  config.observability.trace_batch_size = 17;
  config.observability.trace_queue_max = 99;
  config.observability.extra_tags = {{"region", "eu"}};
  config.observability.service_name = "mine";
  config.observability.environment = "staging";
  const TraceExporterOptions options = trace_exporter_options_of(config);
  EXPECT_EQ(options.otlp.endpoint, "http://collector:4318");
  ASSERT_EQ(options.otlp.headers.size(), 1U);
  EXPECT_EQ(options.otlp.headers.at("x-tenant").reveal(), "a");
  EXPECT_EQ(options.otlp.compression, OtlpCompression::None);
  EXPECT_EQ(options.otlp.timeout, Milliseconds(321));
  EXPECT_EQ(options.otlp.batch_size, 17U);
  EXPECT_EQ(options.queue_max, 99U);
  std::map<std::string, std::string> told;
  for (const auto& attribute : options.resource.attributes)
    if (const auto* text = std::get_if<std::string>(&attribute.value)) told[attribute.name] = *text;
  EXPECT_EQ(told["region"], "eu");
  EXPECT_EQ(told["service.name"], "mine");
  EXPECT_EQ(told["deployment.environment.name"], "staging");
}

TEST(Settings, WithoutAWordOnTracesTheDefaultsHold) {
  const auto config = std::make_unique<Config>();
  const TraceExporterOptions options = trace_exporter_options_of(*config);
  EXPECT_EQ(options.otlp.endpoint, "");
  EXPECT_TRUE(options.otlp.headers.empty());
  EXPECT_EQ(options.otlp.compression, OtlpCompression::Gzip);
  EXPECT_EQ(options.otlp.timeout, Milliseconds(5'000));
  EXPECT_EQ(options.otlp.batch_size, 100U);
}

TEST(Settings, SpansAreMadeAsConfigured) {
  Config config;
  EXPECT_EQ(tracing_options_of(config).sampling, TraceSampling::Medium);
  EXPECT_FALSE(tracing_options_of(config).content);
  config.observability.trace_sampling = TraceSampling::High;
  config.observability.trace_content = true;
  config.observability.trace_content_bytes_max = 512;
  const TracingOptions options = tracing_options_of(config);
  EXPECT_EQ(options.sampling, TraceSampling::High);
  EXPECT_TRUE(options.content);
  EXPECT_EQ(options.content_bytes_max, 512U);
}

TEST(Settings, WhatIsPublishedIsEncodedAsConfigured) {
  Config config;
  EXPECT_EQ(publication_of(config).encoding, Encoding::Json);
  config.kafka.outbox.encoding = Encoding::Protobuf;
  EXPECT_EQ(publication_of(config).encoding, Encoding::Protobuf);
}

}  // namespace
}  // namespace ba

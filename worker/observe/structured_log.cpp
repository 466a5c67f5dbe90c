// SPDX-License-Identifier: Apache-2.0
#include "worker/observe/structured_log.hpp"

#include <spdlog/async.h>
#include <spdlog/async_logger.h>
#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/sinks/stdout_sinks.h>

#include <atomic>
#include <chrono>

#include "worker/observe/log_line.hpp"

namespace ba {
namespace {

constexpr std::size_t kQueueLines = 8192;

std::vector<spdlog::sink_ptr> make_sinks(const LogSettings& settings) {
  std::vector<spdlog::sink_ptr> sinks;
  if (settings.to_stdout) sinks.push_back(std::make_shared<spdlog::sinks::stdout_sink_mt>());
  if (settings.to_stderr) sinks.push_back(std::make_shared<spdlog::sinks::stderr_sink_mt>());
  if (!settings.file.empty())
    sinks.push_back(std::make_shared<spdlog::sinks::basic_file_sink_mt>(settings.file));
  return sinks;
}

}  // namespace

struct StructuredLog::Parts {
  Parts(const LogSettings& given, std::vector<spdlog::sink_ptr> sinks)
      : settings(given),
        redaction(given.secrets),
        level(given.level),
        pool(std::make_shared<spdlog::details::thread_pool>(kQueueLines, 1)),
        logger(
            std::make_shared<spdlog::async_logger>("ba", sinks.begin(), sinks.end(), pool,
                                                   spdlog::async_overflow_policy::overrun_oldest)) {
    logger->set_pattern("%v");
    logger->set_level(spdlog::level::trace);
    // So that a killed process leaves everything that its writing thread had taken.
    logger->flush_on(spdlog::level::trace);
  }

  const LogSettings settings;
  const Redaction redaction;
  std::atomic<LogLevel> level;
  std::shared_ptr<spdlog::details::thread_pool> pool;  // shared with the logger, as spdlog asks
  std::shared_ptr<spdlog::async_logger> logger;
};

Result<std::unique_ptr<StructuredLog>> StructuredLog::create(const LogSettings& settings) {
  try {
    auto parts = std::make_unique<Parts>(settings, make_sinks(settings));
    return std::unique_ptr<StructuredLog>(new StructuredLog(std::move(parts)));
  } catch (const spdlog::spdlog_ex& error) {
    return invalid_argument("can't write the log to " + settings.file + ": " + error.what());
  }
}

StructuredLog::StructuredLog(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}

StructuredLog::~StructuredLog() = default;

bool StructuredLog::enabled(LogLevel level) const {
  return level >= parts_->level.load(std::memory_order_relaxed);
}

void StructuredLog::write(LogLevel level, std::string_view text,
                          std::initializer_list<LogField> fields) {
  if (!enabled(level)) return;
  const auto now = std::chrono::system_clock::now();
  const LogLine line{std::chrono::time_point_cast<std::chrono::microseconds>(now), level, text,
                     fields};
  const std::string out = parts_->settings.json
                              ? json_line(line, parts_->settings.tags, parts_->redaction)
                              : text_line(line, parts_->redaction, parts_->settings.colours);
  parts_->logger->log(spdlog::level::info, out);
}

void StructuredLog::set_level(LogLevel level) { parts_->level.store(level); }

std::size_t StructuredLog::dropped() const { return parts_->pool->overrun_counter(); }

}  // namespace ba

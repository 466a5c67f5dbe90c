// SPDX-License-Identifier: Apache-2.0
#include "worker/observe/structured_log.hpp"

#include <spdlog/async.h>
#include <spdlog/async_logger.h>
#include <unistd.h>

#include <atomic>
#include <chrono>

#include "worker/observe/log_line.hpp"
#include "worker/observe/log_output.hpp"

namespace ba::observe {
namespace {

constexpr std::size_t kQueueLines = 8192;

}  // namespace

struct StructuredLog::Parts {
  explicit Parts(const LogSettings& given)
      : settings(given),
        redaction(given.secrets),
        level(given.level),
        pool(std::make_shared<spdlog::details::thread_pool>(kQueueLines, 1)) {}

  // What is still queued is written, but nobody is waited for any longer.
  ~Parts() { outputs.closing = true; }

  Result<void> open() {
    std::vector<spdlog::sink_ptr> sinks;
    if (settings.to_stdout) sinks.push_back(sink({"stdout", STDOUT_FILENO, outputs.closing}));
    if (settings.to_stderr) sinks.push_back(sink({"stderr", STDERR_FILENO, outputs.closing}));
    if (!settings.file.empty()) {
      auto file = LogOutput::to_file(settings.file, outputs.closing);
      if (!file) return file.error();
      sinks.push_back(sink(std::move(*file)));
    }
    logger = std::make_shared<spdlog::async_logger>("ba", sinks.begin(), sinks.end(), pool,
                                                    spdlog::async_overflow_policy::overrun_oldest);
    logger->set_level(spdlog::level::trace);
    return {};
  }

  std::string line(LogLevel of, std::string_view text,
                   std::initializer_list<LogField> fields) const {
    const auto now = std::chrono::system_clock::now();
    const LogLine line{std::chrono::time_point_cast<std::chrono::microseconds>(now), of, text,
                       fields};
    return settings.json ? json_line(line, settings.tags, redaction)
                         : text_line(line, redaction, any_terminal);
  }

  std::int64_t overrun() const { return static_cast<std::int64_t>(pool->overrun_counter()); }

  const LogSettings settings;
  const Redaction redaction;
  std::atomic<LogLevel> level;
  LogOutputState outputs;
  bool any_terminal = false;  ///< then text has colours, which every other output takes off
  std::shared_ptr<spdlog::details::thread_pool> pool;  // shared with the logger, as spdlog asks
  std::shared_ptr<spdlog::async_logger> logger;

 private:
  spdlog::sink_ptr sink(LogOutput output) {
    any_terminal = any_terminal || output.is_terminal();
    return std::make_shared<LogSink>(
        std::move(output), outputs,
        [this](LogLevel of, std::string_view text, std::initializer_list<LogField> fields) {
          return line(of, text, fields);
        },
        [raw = pool.get()] { return static_cast<std::int64_t>(raw->overrun_counter()); });
  }
};

Result<std::unique_ptr<StructuredLog>> StructuredLog::create(const LogSettings& settings) {
  auto parts = std::make_unique<Parts>(settings);
  if (auto opened = parts->open(); !opened) return opened.error();
  return std::unique_ptr<StructuredLog>(new StructuredLog(std::move(parts)));
}

StructuredLog::StructuredLog(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}

StructuredLog::~StructuredLog() = default;

bool StructuredLog::enabled(LogLevel level) const {
  return level >= parts_->level.load(std::memory_order_relaxed);
}

void StructuredLog::write(LogLevel level, std::string_view text,
                          std::initializer_list<LogField> fields) {
  if (enabled(level)) parts_->logger->log(spdlog::level::info, parts_->line(level, text, fields));
}

void StructuredLog::set_level(LogLevel level) { parts_->level.store(level); }

void StructuredLog::reopen() {
  ++parts_->outputs.reopening;
  // The next line finds it; this is one.
  parts_->logger->log(spdlog::level::info,
                      parts_->line(LogLevel::Info, "the log file was reopened", {}));
}

void StructuredLog::finish() {
  if (parts_->logger->sinks().empty()) return;
  const std::int64_t before = parts_->outputs.flushed;
  parts_->outputs.closing = true;
  parts_->logger->flush();  // comes to the outputs after all that is queued now
  parts_->outputs.flushed.wait(before);
}

std::int64_t StructuredLog::dropped() const { return parts_->overrun() + parts_->outputs.lost; }

}  // namespace ba::observe

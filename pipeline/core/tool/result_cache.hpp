#pragma once
// SPDX-License-Identifier: Apache-2.0
// Results of pure calls by what the calls mean, as a port: a call that was answered before is
// answered again from there, and of calls that mean the same at the same time one runs while the
// others wait for it. Control thread only.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "pipeline/base/ids.hpp"
#include "pipeline/base/time.hpp"
#include "pipeline/text/message/message.hpp"
#include "pipeline/text/message/position.hpp"

namespace ba {

/// The call whose run a result came from.
struct CacheOrigin {
  LedgerJobId job;
  Position position;

  friend bool operator==(const CacheOrigin&, const CacheOrigin&) = default;
};

/// Which result is wanted, and what is recorded of it should this call run.
struct CacheQuestion {
  std::string key;  ///< semantic_key().digest
  std::string tenant;
  std::string tool;
  std::string tool_version;
  std::string caller;            ///< empty: the whole tenant's
  std::string data_source;       ///< empty: none
  Milliseconds time_to_live{0};  ///< an older result won't do, nor will its own be kept longer
  Milliseconds wait_max{0};  ///< for somebody else's run of the same call; then this one runs too
  CacheOrigin origin;        ///< this call

  friend bool operator==(const CacheQuestion&, const CacheQuestion&) = default;
};

/// Run it; the claim takes the result.
struct CacheMiss {};

/// What was paid for a result that a model wrote.
struct PaidReply {
  Usage usage;
  std::optional<std::int64_t> cost_micro_usd;  ///< none: not known

  friend bool operator==(const PaidReply&, const PaidReply&) = default;
};

struct CacheHit {
  std::string data;  ///< JSON, as the tool gave it
  CacheOrigin origin;
  SteadyTime made_at{};  ///< when the run gave it, by this process's clock
  std::string note{};    ///< what the tool said about the data; empty: nothing
  PaidReply paid{};      ///< of a summary; nothing for what a tool gave
};

using CacheAnswer = std::variant<CacheMiss, CacheHit>;

/// One call's place. Destroying it without a word lets the next one run, as when a job is
/// cancelled; no answer comes after that.
class CacheClaim {
 public:
  virtual ~CacheClaim() = default;

  /// After a miss, once: what the call gave. Those who wait get it as a hit.
  virtual void keep(std::string data, std::string note) = 0;
  void keep(std::string data) { keep(std::move(data), std::string()); }

  /// After a miss, once: the call failed. Those who wait run by themselves, at once.
  virtual void failed() = 0;
};

class ResultCache {
 public:
  virtual ~ResultCache() = default;

  /// Answers once, never from inside this call. A cache that can't be reached answers with a miss.
  [[nodiscard]] virtual std::unique_ptr<CacheClaim> claim(
      CacheQuestion question, std::function<void(CacheAnswer)> done) = 0;
};

}  // namespace ba

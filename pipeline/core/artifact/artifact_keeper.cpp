// SPDX-License-Identifier: Apache-2.0
#include "pipeline/core/artifact/artifact_keeper.hpp"

#include <algorithm>
#include <utility>

namespace ba {
namespace {

constexpr Milliseconds kFirstCleaning{60'000};
constexpr Milliseconds kBetweenBatches{100};

void add(ArtifactCleaning& sum, const ArtifactCleaning& more) {
  sum.aged += more.aged;
  sum.unreferenced += more.unreferenced;
  sum.closed += more.closed;
  sum.unused += more.unused;
  sum.bytes += more.bytes;
  sum.orphans += more.orphans;
}

}  // namespace

ArtifactKeeper::ArtifactKeeper(ArtifactConfig config, ArtifactStore& store, Executor& executor,
                               Log& log)
    : config_(std::move(config)), store_(store), executor_(executor), log_(log) {
  clean_later(std::min(config_.cleanup_interval, kFirstCleaning));
}

/// One that fails is the end of its result.
void ArtifactKeeper::put(ArtifactChunk chunk, Completion<void> done) {
  const auto bytes = static_cast<std::int64_t>(chunk.chunk.data.size());
  store_.put(std::move(chunk), [this, bytes, done = std::move(done),
                                watch = lifetime_.watch()](const Result<void>& answer) {
    if (!watch.over() && !answer) kept(answer.error(), bytes);
    done(answer);
  });
}

void ArtifactKeeper::keep(Artifact artifact, Completion<ArtifactKept> done) {
  const std::int64_t bytes = artifact.size();
  store_.keep(std::move(artifact), [this, bytes, done = std::move(done),
                                    watch = lifetime_.watch()](const Result<ArtifactKept>& answer) {
    if (!watch.over()) kept(answer, bytes);
    done(answer);
  });
}

void ArtifactKeeper::kept(const Result<ArtifactKept>& kept, std::int64_t bytes) {
  if (!kept) {
    ++counters_.not_kept;
    log_.warning("an artifact could not be stored",
                 {{"error", kept.error().message}, {"bytes", bytes}});
  } else if (*kept == ArtifactKept::Again) {
    ++counters_.deduplicated;
  } else {
    ++counters_.kept;
    counters_.kept_bytes += bytes;
  }
}

void ArtifactKeeper::read(ArtifactQuestion question, Completion<ArtifactData> done) {
  store_.read(std::move(question),
              [this, done = std::move(done), watch = lifetime_.watch()](Result<ArtifactData> data) {
                if (!watch.over() && data && !data->held_back) ++counters_.read;
                if (!watch.over() && !data && data.error().code != ErrorCode::NotFound) {
                  ++counters_.not_read;
                  log_.warning("an artifact can't be read", {{"error", data.error().message}});
                }
                done(std::move(data));
              });
}

void ArtifactKeeper::clean(ArtifactRules rules, Completion<ArtifactCleaning> done) {
  store_.clean(rules, std::move(done));
}

void ArtifactKeeper::clean_later(Milliseconds delay) {
  cleaning_ = executor_.after(delay, [this] {
    store_.clean(config_.rules, lifetime_.guarded([this](const Result<ArtifactCleaning>& cleaning) {
      cleaned(cleaning);
    }));
  });
}

void ArtifactKeeper::cleaned(const Result<ArtifactCleaning>& cleaning) {
  if (!cleaning) {
    ++counters_.not_cleaned;
    log_.warning("artifacts can't be cleaned up", {{"error", cleaning.error().message}});
    return clean_later(config_.cleanup_interval);
  }
  const std::int64_t gone = cleaning->removed() + cleaning->unused;
  add(counters_.removed, *cleaning);
  if (gone + cleaning->orphans > 0)
    log_.info("artifacts removed", {{"artifacts", gone},
                                    {"for_room", cleaning->unused},
                                    {"bytes", cleaning->bytes},
                                    {"orphans", cleaning->orphans}});
  clean_later(cleaning->more ? kBetweenBatches : config_.cleanup_interval);
}

}  // namespace ba

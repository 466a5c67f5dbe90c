#pragma once
// SPDX-License-Identifier: Apache-2.0
// Artifacts in memory and under virtual time: it passes the same contract suite as PostgreSQL's.
// It can be out of reach. One thread.

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "pipeline/core/port/clock.hpp"
#include "pipeline/core/port/executor.hpp"
#include "pipeline/core/tool/artifact_store.hpp"

namespace ba {

class FakeArtifactStore final : public ArtifactStore {
 public:
  using Name = std::pair<std::string, std::string>;  ///< tenant, id
  struct Kept {
    std::string data;
    SteadyTime made{};
    SteadyTime used{};
  };
  /// Chunks that came, whether an artifact names them or not.
  struct Upload {
    std::string tenant;
    std::map<int, DataChunk> chunks;
    SteadyTime made{};
  };
  struct Reference {
    Name artifact;
    std::int64_t job = 0;
    std::tuple<int, int, int> call;
    auto operator<=>(const Reference&) const = default;
  };
  struct JobStanding {
    std::string conversation;  ///< with its tenant
    bool finished = false;
    bool lasting = false;  ///< later jobs may go on with the conversation
  };

  FakeArtifactStore(Executor& executor, const Clock& clock) : executor_(executor), clock_(clock) {}

  bool reachable = true;
  ErrorCode failure = ErrorCode::Unavailable;  ///< of every answer while it isn't reachable
  Milliseconds delay{1};                       ///< of every answer
  std::map<Name, Kept> artifacts;
  std::set<Reference> references;
  std::map<std::string, Upload> uploads;
  std::map<Name, std::string> upload_of;  ///< of artifacts that came in chunks
  std::int64_t puts = 0;
  std::map<std::int64_t, JobStanding> jobs;  ///< one that isn't here has a conversation of its own
  /// What finished calls have told: their artifact's id, or "".
  std::map<std::pair<std::int64_t, std::tuple<int, int, int>>, std::string> told;

  void put(ArtifactChunk chunk, Completion<void> done) override {
    later<void>(std::move(done), [this, chunk = std::move(chunk)]() -> Result<void> {
      ++puts;
      Upload& upload = uploads[chunk.upload];
      upload.tenant = chunk.tenant.value;
      upload.made = clock_.now();
      const auto [known, is_new] = upload.chunks.emplace(chunk.chunk.index, chunk.chunk);
      if (!is_new && known->second.data != chunk.chunk.data) {
        Error error;
        error.code = ErrorCode::Conflict;
        error.message = "a chunk has other data of " + chunk.upload;
        return error;
      }
      return {};
    });
  }

  void keep(Artifact artifact, Completion<ArtifactKept> done) override {
    later<ArtifactKept>(
        std::move(done), [this, artifact = std::move(artifact)]() -> Result<ArtifactKept> {
          const Name name{artifact.tenant.value, artifact.id};
          const bool again = artifacts.contains(name);
          if (!artifact.upload.empty()) {
            const auto found = uploads.find(artifact.upload);
            const bool there = found != uploads.end() && found->second.tenant == name.first &&
                               found->second.chunks.size() == std::size_t(artifact.chunks);
            if (!again && !there) return absent(artifact.id);
            if (!again)
              upload_of[name] = artifact.upload;
            else if (!upload_of.contains(name) || upload_of.at(name) != artifact.upload)
              uploads.erase(artifact.upload);
          }
          Kept& kept = artifacts[name];
          if (!again)
            kept.data =
                artifact.upload.empty() ? artifact.data : joined(uploads[artifact.upload].chunks);
          kept.made = kept.used = clock_.now();
          references.insert({name, artifact.job.value, call_of(artifact.position)});
          return Result<ArtifactKept>(again ? ArtifactKept::Again : ArtifactKept::Stored);
        });
  }

  void read(ArtifactQuestion question, Completion<ArtifactData> done) override {
    later<ArtifactData>(
        std::move(done), [this, question = std::move(question)]() -> Result<ArtifactData> {
          const auto found = artifacts.find({question.tenant.value, question.id});
          if (found == artifacts.end() || !refers(conversation(question.job.value), found->first))
            return absent(question.id);
          found->second.used = clock_.now();
          ArtifactData read;
          read.data = found->second.data;
          const auto upload = upload_of.find(found->first);
          if (upload != upload_of.end() && question.range)
            cut(uploads[upload->second].chunks, *question.range, read);
          read.bytes = static_cast<std::int64_t>(read.data.size());
          read.held_back = read.bytes > question.bytes_max;
          if (read.held_back) read.data.clear();
          return read;
        });
  }

  void clean(ArtifactRules rules, Completion<ArtifactCleaning> done) override {
    later<ArtifactCleaning>(std::move(done), [this, rules] { return clean_up(rules); });
  }

  static std::tuple<int, int, int> call_of(const Position& position) {
    return {position.round, position.step, position.index};
  }

 private:
  static Error absent(const std::string& id) {
    Error error;
    error.code = ErrorCode::NotFound;
    error.message = "there is no artifact " + id + " for this job";
    return error;
  }

  static std::string joined(const std::map<int, DataChunk>& chunks) {
    std::string data;
    for (const auto& [index, chunk] : chunks) data += (data.empty() ? "" : ",") + chunk.data;
    return "[" + data + "]";
  }

  /// The chunks in which the range is.
  static void cut(const std::map<int, DataChunk>& chunks, const ItemRange& range,
                  ArtifactData& read) {
    std::map<int, DataChunk> met;
    ItemRange part;
    for (const auto& [index, chunk] : chunks) {
      part.total += chunk.items;
      if (chunk.first_item + chunk.items <= range.first) continue;
      if (chunk.first_item >= range.first + range.count) continue;
      if (met.empty()) part.first = chunk.first_item;
      part.count += chunk.items;
      met.emplace(index, chunk);
    }
    if (met.empty()) part.first = part.total;
    read.data = joined(met);
    read.part = part;
  }

  template <typename T>
  void later(Completion<T> done, std::function<Result<T>()> answer) {
    auto timer = std::make_shared<std::unique_ptr<Timer>>();
    *timer =
        executor_.after(delay, [this, timer, done = std::move(done), answer = std::move(answer)] {
          const auto kept = std::move(*timer);
          done(reachable ? answer() : Result<T>(out_of_reach()));
        });
  }

  Error out_of_reach() const {
    Error error;
    error.code = failure;
    error.retry = Retry::Later;
    error.message = "out of reach";
    return error;
  }

  std::string conversation(std::int64_t job) const {
    const auto found = jobs.find(job);
    return found == jobs.end() ? "job " + std::to_string(job) : found->second.conversation;
  }
  bool finished(std::int64_t job) const {
    const auto found = jobs.find(job);
    return found != jobs.end() && found->second.finished;
  }
  bool refers(const std::string& talk, const Name& artifact) const {
    return std::ranges::any_of(references, [&](const Reference& reference) {
      return reference.artifact == artifact && conversation(reference.job) == talk;
    });
  }
  bool unfinished(const std::string& talk) const {
    return std::ranges::any_of(jobs, [&](const auto& job) {
      return job.second.conversation == talk && !job.second.finished;
    });
  }
  bool needed(const Name& artifact) const {
    return std::ranges::any_of(references, [&](const Reference& reference) {
      return reference.artifact == artifact &&
             (!jobs.contains(reference.job) || unfinished(conversation(reference.job)));
    });
  }
  bool in_lasting(const Name& artifact) const {
    return std::ranges::any_of(references, [&](const Reference& reference) {
      const auto found = jobs.find(reference.job);
      return reference.artifact == artifact && found != jobs.end() && found->second.lasting;
    });
  }
  bool referred_to(const Name& artifact) const {
    return std::ranges::any_of(
        references, [&](const Reference& reference) { return reference.artifact == artifact; });
  }

  void forget() {
    std::erase_if(references, [this](const Reference& reference) {
      const auto found = told.find({reference.job, reference.call});
      if (finished(reference.job))
        return found == told.end() || found->second != reference.artifact.second;
      return found != told.end() && found->second != reference.artifact.second;
    });
  }

  void remove(const Name& name, ArtifactCleaning& cleaning) {
    cleaning.bytes += static_cast<std::int64_t>(artifacts[name].data.size());
    artifacts.erase(name);
    if (const auto upload = upload_of.extract(name)) uploads.erase(upload.mapped());
    std::erase_if(references, [&](const Reference& r) { return r.artifact == name; });
  }

  /// Those that may go, the least recently used first.
  std::vector<Name> idle(const ArtifactRules& rules) const {
    std::vector<Name> names;
    for (const auto& [name, kept] : artifacts)
      if (kept.made < clock_.now() - rules.settled_after && !needed(name)) names.push_back(name);
    std::ranges::stable_sort(names, {},
                             [this](const Name& name) { return artifacts.at(name).used; });
    return names;
  }

  ArtifactCleaning clean_up(const ArtifactRules& rules) {
    ArtifactCleaning cleaning;
    forget();
    cleaning.orphans = static_cast<std::int64_t>(std::erase_if(uploads, [&](const auto& entry) {
      const bool named = std::ranges::any_of(
          upload_of, [&](const auto& owner) { return owner.second == entry.first; });
      return !named && entry.second.made < clock_.now() - rules.uploads_after;
    }));
    for (const Name& name : idle(rules)) {
      const bool old = artifacts.at(name).made < clock_.now() - rules.max_age;
      const bool closed = rules.remove_when_closed && !in_lasting(name);
      if (!old && !closed && referred_to(name)) continue;
      if (cleaning.removed() == rules.batch_rows_max) break;
      ++(old ? cleaning.aged : referred_to(name) ? cleaning.closed : cleaning.unreferenced);
      remove(name, cleaning);
    }
    cleaning.more = cleaning.removed() == rules.batch_rows_max;
    std::int64_t bytes = 0;
    for (const auto& [name, kept] : artifacts) bytes += static_cast<std::int64_t>(kept.data.size());
    if (bytes <= rules.bytes_max) return cleaning;
    for (const Name& name : idle(rules)) {
      if (bytes <= rules.bytes_max / 10 * 8) break;
      bytes -= static_cast<std::int64_t>(artifacts.at(name).data.size());
      remove(name, cleaning);
      ++cleaning.unused;
    }
    return cleaning;
  }

  Executor& executor_;
  const Clock& clock_;
};

}  // namespace ba

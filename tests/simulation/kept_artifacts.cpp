// SPDX-License-Identifier: Apache-2.0
#include "tests/simulation/kept_artifacts.hpp"

#include "pipeline/text/contract/text_check.hpp"

namespace ba::sim {

std::string artifact_in(const std::string& text) {
  constexpr std::string_view kPrefix = "artifact_";
  for (std::size_t at = text.find(kPrefix); at != std::string::npos;
       at = text.find(kPrefix, at + 1)) {
    const std::size_t end = text.find_first_not_of("0123456789abcdef", at + kPrefix.size());
    if (end > at + kPrefix.size()) return text.substr(at, end - at);
  }
  return "";
}

ArtifactStore* KeptArtifacts::store() {
  if (std::exchange(set_backs_, database_.set_backs()) != database_.set_backs()) {
    store_.artifacts.clear();
    store_.uploads.clear();
    store_.upload_of.clear();
    store_.references.clear();
  }
  if (database_.down()) return nullptr;
  store_.jobs.clear();
  store_.told.clear();
  for (const auto& [id, job] : database_.rows().jobs()) look_at(job, false);
  for (const auto& [id, job] : database_.rows().removed_jobs()) look_at(job, true);
  return &store_;
}

void KeptArtifacts::look_at(const FakeJob& job, bool removed) {
  const bool finished =
      removed || job.state == FakeJobState::Finished || mutant_ == Mutant::ArtifactsNeededRemoved;
  const std::string& conversation = job.intake.job.conversation_id.value;
  const bool lasting = !job.asked_by && !conversation.starts_with(kOwnConversationPrefix);
  store_.jobs[job.id.value] = {std::to_string(job.conversation.value), finished, lasting};
  for (const auto& [position, message] : job.messages)
    if (const auto* tool = std::get_if<ToolMessage>(&message))
      store_.told[{job.id.value, FakeArtifactStore::call_of(position)}] =
          artifact_in(tool->content);
}

template <typename T>
void ArtifactConnection::call(std::function<void(ArtifactStore&, Completion<T>)> work,
                              Completion<T> done) {
  call_store<ArtifactStore, T>(
      link_, [&artifacts = artifacts_] { return artifacts.store(); }, std::move(work),
      std::move(done));
}

void ArtifactConnection::put(ArtifactChunk chunk, Completion<void> done) {
  call<void>(
      [chunk = std::move(chunk)](ArtifactStore& store, Completion<void> answer) {
        store.put(chunk, std::move(answer));
      },
      std::move(done));
}

void ArtifactConnection::keep(Artifact artifact, Completion<ArtifactKept> done) {
  call<ArtifactKept>(
      [artifact = std::move(artifact)](ArtifactStore& store, Completion<ArtifactKept> answer) {
        store.keep(artifact, std::move(answer));
      },
      std::move(done));
}

void ArtifactConnection::read(ArtifactQuestion question, Completion<ArtifactData> done) {
  call<ArtifactData>(
      [question = std::move(question)](ArtifactStore& store, Completion<ArtifactData> answer) {
        store.read(question, std::move(answer));
      },
      std::move(done));
}

void ArtifactConnection::clean(ArtifactRules rules, Completion<ArtifactCleaning> done) {
  call<ArtifactCleaning>(
      [rules](ArtifactStore& store, Completion<ArtifactCleaning> answer) {
        store.clean(rules, std::move(answer));
      },
      std::move(done));
}

}  // namespace ba::sim

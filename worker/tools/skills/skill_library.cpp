// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/skills/skill_library.hpp"

#include <algorithm>

#include "worker/tools/skills/skill_review.hpp"

namespace ba::skills {
namespace {

bool same(const SkillSet& one, const SkillSet& other) {
  return std::ranges::equal(one, other, [](const auto& a, const auto& b) {
    return a.first == b.first && a.second->hash == b.second->hash;
  });
}

}  // namespace

SkillLibrary::SkillLibrary(const SkillsConfig& config, std::set<std::string> models,
                           Executor& executor, Log& log, std::function<void(SkillSet)> changed)
    : config_(config),
      models_(std::move(models)),
      executor_(executor),
      log_(log),
      changed_(std::move(changed)) {}

SkillLibrary::~SkillLibrary() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  if (thread_.joinable()) thread_.join();
}

bool SkillLibrary::start() {
  if (config_.roots.empty()) return false;
  found(find_skills(config_));
  if (config_.refresh.count() > 0) thread_ = std::thread([this] { watch(); });
  return true;
}

void SkillLibrary::watch() {
  std::unique_lock lock(mutex_);
  while (!wake_.wait_for(lock, config_.refresh, [this] { return stopping_; })) {
    lock.unlock();
    auto skills = std::make_shared<FoundSkills>(find_skills(config_));
    executor_.post(lifetime_.guarded([this, skills] { found(std::move(*skills)); }));
    lock.lock();
  }
}

void SkillLibrary::found(FoundSkills skills) {
  SkillReview review = review_skills(std::move(skills), models_);
  say(std::move(review.words));
  if (told_ && same(known_, review.skills)) return;
  told_ = true;
  known_ = std::move(review.skills);
  log_.info("skills were read", {{"skills", static_cast<std::int64_t>(known_.size())}});
  changed_(known_);
}

void SkillLibrary::say(std::set<std::string> words) {
  for (const std::string& word : words)
    if (!said_.contains(word)) log_.warning("skills", {{"message", word}});
  said_ = std::move(words);
}

}  // namespace ba::skills

// SPDX-License-Identifier: Apache-2.0
#include "worker/skills/skill_library.hpp"

#include <algorithm>

#include "pipeline/base/joined.hpp"

namespace ba {
namespace {

bool same(const SkillSet& one, const SkillSet& other) {
  return std::ranges::equal(one, other, [](const auto& a, const auto& b) {
    return a.first == b.first && a.second->hash == b.second->hash;
  });
}

}  // namespace

std::vector<std::string> drop_without_model(SkillSet& skills, const std::set<std::string>& models) {
  std::vector<std::string> words;
  for (auto skill = skills.begin(); skill != skills.end();) {
    const std::string& model = skill->second->model;
    if (model.empty() || models.contains(model)) {
      ++skill;
      continue;
    }
    words.push_back("skill '" + skill->first + "' is not offered: it switches to model '" + model +
                    "', which is not under llm.models (there are: " + joined_or_none(models) + ")");
    skill = skills.erase(skill);
  }
  return words;
}

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

void SkillLibrary::start() {
  if (config_.roots.empty()) return;
  found(find_skills(config_));
  if (config_.refresh.count() > 0) thread_ = std::thread([this] { watch(); });
}

void SkillLibrary::watch() {
  std::unique_lock lock(mutex_);
  while (!wake_.wait_for(lock, config_.refresh, [this] { return stopping_; })) {
    lock.unlock();
    auto skills = std::make_shared<FoundSkills>(find_skills(config_));
    executor_.post([this, skills, alive = std::weak_ptr(alive_)] {
      if (!alive.expired()) found(std::move(*skills));
    });
    lock.lock();
  }
}

void SkillLibrary::found(FoundSkills skills) {
  const std::vector<std::string> dropped = drop_without_model(skills.skills, models_);
  say(skills, {dropped.begin(), dropped.end()});
  if (told_ && same(known_, skills.skills)) return;
  told_ = true;
  known_ = std::move(skills.skills);
  log_.info("skills were read", {{"skills", static_cast<std::int64_t>(known_.size())}});
  changed_(known_);
}

void SkillLibrary::say(const FoundSkills& skills, std::set<std::string> words) {
  for (const SkillFinding& finding : skills.findings) words.insert(finding.text);
  for (const FoundSkill& skill : skills.found) {
    for (const SkillFinding& finding : skill.document.findings) words.insert(finding.text);
    if (!skill.left_out.empty()) words.insert(skill.directory + ": " + skill.left_out);
  }
  for (const std::string& word : words)
    if (!said_.contains(word)) log_.warning("skills", {{"message", word}});
  said_ = std::move(words);
}

}  // namespace ba

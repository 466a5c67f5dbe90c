// SPDX-License-Identifier: Apache-2.0
#include "tests/scripted_model/call_counts.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <numeric>

#include "tests/scripted_model/append_json.hpp"

namespace ba::scripted {

namespace {

constexpr std::size_t kRejectionsKept = 20;
constexpr std::size_t kStepsCounted = 1000;

void append_member(std::string& out, std::string_view name, std::int64_t number) {
  append_json(out, name);
  out += ':';
  append_json(out, number);
}

void append_question(std::string& out, const std::string& question,
                     const std::vector<std::int64_t>& steps) {
  append_json(out, question);
  out += ":{";
  append_member(out, "accepted", std::accumulate(steps.begin(), steps.end(), std::int64_t{0}));
  out += R"(,"by_step":[)";
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (i > 0) out += ',';
    append_json(out, steps[i]);
  }
  out += "]}";
}

}  // namespace

CallCounts::~CallCounts() {
  if (journal_ >= 0) ::close(journal_);
}

Result<void> CallCounts::open_journal(const std::string& path) {
  journal_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (journal_ < 0) {
    return invalid_argument("cannot write the journal " + path + ": " + std::strerror(errno));
  }
  return {};
}

void CallCounts::accepted(const AcceptedCall& call) {
  ++accepted_;
  key_.assign(call.question);
  std::vector<std::int64_t>& steps = by_question_[key_];
  const std::size_t step = std::min(call.step, kStepsCounted);
  if (steps.size() <= step) steps.resize(step + 1);
  ++steps[step];
  if (journal_ >= 0) append_to_journal(call);
}

void CallCounts::append_to_journal(const AcceptedCall& call) {
  line_ = "{";
  append_member(line_, "n", accepted_);
  line_ += R"(,"question":)";
  append_json(line_, call.question);
  line_ += ',';
  append_member(line_, "step", static_cast<std::int64_t>(call.step));
  line_ += R"(,"protocol":)";
  append_json(line_, call.protocol);
  line_ += R"(,"model":)";
  append_json(line_, call.model);
  line_ += R"(,"body_hash":")";
  line_ += std::to_string(call.body_hash);
  line_ += "\"}\n";
  if (::write(journal_, line_.data(), line_.size()) != static_cast<ssize_t>(line_.size())) {
    std::perror("ba-scripted-model: journal");
    std::abort();  // a journal with gaps would make every count of it wrong
  }
}

void CallCounts::rejected(int status, std::string_view message) {
  ++rejected_;
  if (last_rejections_.size() == kRejectionsKept) last_rejections_.erase(last_rejections_.begin());
  last_rejections_.push_back({status, std::string(message)});
}

void CallCounts::reset() {
  accepted_ = rejected_ = failed_on_purpose_ = cancelled_ = 0;
  by_question_.clear();
  last_rejections_.clear();
}

std::string CallCounts::json() const {
  std::string out = "{";
  append_member(out, "accepted", accepted_);
  out += ',';
  append_member(out, "rejected", rejected_);
  out += ',';
  append_member(out, "failed_on_purpose", failed_on_purpose_);
  out += ',';
  append_member(out, "cancelled", cancelled_);
  out += R"(,"questions":{)";
  bool first = true;
  const std::map<std::string, std::vector<std::int64_t>> sorted(by_question_.begin(),
                                                                by_question_.end());
  for (const auto& [question, steps] : sorted) {
    if (!first) out += ',';
    first = false;
    append_question(out, question, steps);
  }
  out += R"(},"last_rejections":[)";
  for (std::size_t i = 0; i < last_rejections_.size(); ++i) {
    out += i == 0 ? "{" : ",{";
    append_member(out, "status", last_rejections_[i].status);
    out += R"(,"message":)";
    append_json(out, last_rejections_[i].message);
    out += '}';
  }
  out += "]}\n";
  return out;
}

}  // namespace ba::scripted

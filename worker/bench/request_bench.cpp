// SPDX-License-Identifier: Apache-2.0
// ba-bench-requests: what a round costs that comes late in a conversation, without any network. Its
// two requests are checked, written and hashed, in each protocol: by themselves, and as they go on
// from the last one. Prints CPU microseconds a round, around some rounds.
#include <array>
#include <cstdio>
#include <ctime>
#include <string>
#include <vector>

#include "worker/llm/kept_request.hpp"

namespace {

using ba::llm::ProtocolContext;

constexpr int kRounds = 440;
constexpr int kNear = 10;  ///< rounds to both sides
constexpr std::array kAround{24, 100, 200, 400};

/// Of this thread; what else runs on the machine isn't in it.
double cpu_microseconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e6 + static_cast<double>(now.tv_nsec) / 1e3;
}

class Conversation {
 public:
  template <typename M>
  void add(M message) {
    message.meta.message_id = ba::MessageId("job-1/0/" + std::to_string(messages_.size()));
    messages_.emplace_back(std::move(message));
  }

  ba::ModelRequest request(ba::RequestMemory* memory) const {
    ba::ModelRequest request;
    request.system = std::string(2'000, 's');
    request.tools = {{"query_database", std::string(1'000, 'd'), R"({"type":"object"})"}};
    request.memory = memory;
    for (const ba::Message& message : messages_) request.messages.push_back(&message);
    return request;
  }

 private:
  std::vector<ba::Message> messages_;
};

/// The round's two requests are given to `ask`.
template <typename Ask>
void grow(Conversation& talk, int round, const Ask& ask) {
  talk.add(ba::HumanMessage{{}, "How many \"flights\" on day " + std::to_string(round) + "?"});
  ask();
  ba::ToolCall call;
  call.id = ba::ToolCallId("call_" + std::to_string(round));
  call.name = "query_database";
  call.args_json = R"({"sql":"SELECT count(*) FROM flights"})";
  ba::AiMessage calling;
  calling.tool_calls = {call};
  talk.add(calling);
  talk.add(ba::ToolMessage{{}, call.id, call.name, std::string(900, 'r')});
  ask();
  ba::AiMessage said;
  said.text = std::string(60, 'a');
  talk.add(said);
}

std::vector<double> measure(const ProtocolContext& context, bool goes_on) {
  const auto all = std::make_shared<ba::llm::KeptBytes>(ba::llm::kKeptBytesMax);
  ba::RequestMemory memory;
  Conversation talk;
  std::vector<double> rounds;
  for (int round = 1; round <= kRounds; ++round) {
    double taken = 0;
    grow(talk, round, [&] {
      const ba::ModelRequest request = talk.request(goes_on ? &memory : nullptr);
      const double before = cpu_microseconds();
      auto written = ba::llm::write_request(request, context, all);
      if (written && written->hash.empty()) written->hash = ba::sha256_hex_of(*written->body);
      taken += cpu_microseconds() - before;
    });
    rounds.push_back(taken);
  }
  return rounds;
}

void print(const ProtocolContext& context, bool goes_on) {
  const std::vector<double> rounds = measure(context, goes_on);
  std::printf("%-18s %-10s", std::string(context.provider.protocol->name()).c_str(),
              goes_on ? "goes on" : "by itself");
  for (const int around : kAround) {
    double sum = 0;
    for (int round = around - kNear; round < around + kNear; ++round)
      sum += rounds[static_cast<std::size_t>(round)];
    std::printf(" %8.1f", sum / (2 * kNear));
  }
  std::printf("\n");
}

}  // namespace

int main() {
  std::printf("%-29s", "CPU microseconds, round");
  for (const int around : kAround) std::printf(" %8d", around);
  std::printf("\n");
  ba::llm::ProviderConfig provider;
  provider.name = "p";
  ba::llm::ModelConfig model;
  model.name = model.model_id = "m";
  model.max_output_tokens = 1'000;
  const ba::llm::LlmLimits limits;
  for (const ba::llm::Protocol* protocol : ba::llm::protocols()) {
    provider.protocol = protocol;
    for (const bool goes_on : {false, true}) print({provider, model, limits}, goes_on);
  }
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
#include "tests/scripted_model/reasoning.hpp"

#include "tests/scripted_model/hash.hpp"

namespace ba::scripted {

namespace {

constexpr std::string_view kReasoning = "rs_";
constexpr std::string_view kLedTo = "_r";  // no hash has an r

}  // namespace

std::string reasoning_id(std::string_view hash) {
  return std::string(kReasoning) + std::string(hash);
}

std::string led_to_id(std::string_view prefix, std::string_view hash) {
  return std::string(prefix) + "r" + std::string(hash);
}

std::string led_by(std::string_view item_id) {
  const std::size_t at = item_id.find(kLedTo);
  return at == std::string_view::npos ? "" : reasoning_id(item_id.substr(at + kLedTo.size()));
}

std::string seal_reasoning(std::string_view id, std::string_view summary) {
  return "enc-" + Hash().add(id).add("/").add(summary).hex();
}

std::string summary_text(const JsonValue& summary) {
  std::string out;
  JsonValue part = summary.first();
  for (std::uint32_t left = summary.size(); left > 0; --left, part = part.next()) {
    part["text"].append_text(out);
  }
  return out;
}

}  // namespace ba::scripted

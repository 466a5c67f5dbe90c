#pragma once
// SPDX-License-Identifier: Apache-2.0
// A service with a script, asked without a socket; replies as JSON.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "tests/scripted_model/service.hpp"

namespace ba::scripted {

using Json = nlohmann::json;

inline Script script_from(const std::string& text) {
  Script script;
  const auto added = script.add(text, "test.yaml");
  EXPECT_TRUE(added.has_value()) << (added.has_error() ? added.error().message : "");
  return script;
}

struct Reaction {
  int status = 0;
  std::string head;
  std::string body;
  Json json;  ///< of the body, when it is JSON

  std::string error() const { return json.at("error").at("message").get<std::string>(); }
};

class ServiceFixture : public ::testing::Test {
 protected:
  void load(const std::string& script, ServiceOptions options = {}) {
    service_ = std::make_unique<Service>(std::move(options), script_from(script));
  }

  Reaction post(std::string_view target, const std::string& body) {
    if (service_ == nullptr) load("entries: []");
    answer_ = service_->answer("POST", target, headers_, body);
    Reaction reaction;
    if (answer_.bytes.empty()) return reaction;
    const std::size_t end = answer_.bytes.find("\r\n\r\n");
    reaction.status = std::stoi(answer_.bytes.substr(9, 3));
    reaction.head = answer_.bytes.substr(0, end + 4);
    reaction.body = answer_.bytes.substr(end + 4);
    reaction.json = Json::parse(reaction.body, nullptr, false);
    return reaction;
  }

  Reaction anthropic(const Json& body) { return post("/v1/messages", body.dump()); }
  Reaction openai(const Json& body) { return post("/v1/chat/completions", body.dump()); }
  Reaction responses(const Json& body) { return post("/v1/responses", body.dump()); }
  Json counts() {
    const Answer answer = service_->answer("GET", "/__calls", {}, "");
    return Json::parse(answer.bytes.substr(answer.bytes.find("\r\n\r\n")));
  }

  RequestHeaders headers_{.content_type = "application/json",
                          .authorization = {},
                          .api_key = {},
                          .anthropic_version = "2026-10-21",
                          .anthropic_beta = {}};
  std::unique_ptr<Service> service_;
  Answer answer_;
};

}  // namespace ba::scripted

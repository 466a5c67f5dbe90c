// SPDX-License-Identifier: Apache-2.0
// What is said of a configuration beside its first mistake: no more than helps, each with its
// place, and what was meant.
#include "tests/worker/config/config_fixture.hpp"

namespace ba::config {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

class FollowUps : public ConfigTest {};

constexpr const char* kProvider =
    "llm:\n  providers: {local: {protocol: openai_chat, base_url: 'http://h/v1'}}\n";

TEST_F(FollowUps, WhatStandsUnderAMisspeltKeyIsNotMissedAsWell) {
  const std::string provider = kProvider;
  const std::pair<std::string, const char*> cases[] = {
      {"llm:\n  provider: {local: {protocol: openai_chat, base_url: 'http://h/v1'}}\n"
       "  models: {m: {provider: local}}\n",
       "llm.provider: unknown key; did you mean \"providers\"?"},
      {provider + "  models: {m: {providr: local}}\n", "llm.models.m.providr: unknown key"},
      {provider + "  model: {m: {provider: local}}\n  default_model: m\n"
                  "agents: {a: {model: m}}\n",
       "llm.model: unknown key; did you mean \"models\"?"},
      {provider + "  models: {m: {provider: local, prices: {input_per_mtok_us: 1, "
                  "output_per_mtok_usd: 2}}}\n",
       "prices.input_per_mtok_us: unknown key"},
      {"mcp: {servers: {a: {comand: [x]}}}\n", "mcp.servers.a.comand: unknown key"},
      {"mcp: {servers: {a: {ulr: 'http://h'}}}\n", "mcp.servers.a.ulr: unknown key"},
      {"mcpServers: {a: {comand: [x]}}\n", "mcpServers.a.comand: unknown key"},
      {"mcp: {servers: {a: {comand: [x], env: {A: b}}}}\n", "mcp.servers.a.comand: unknown key"},
      {"mcp: {servers: {a: {ulr: 'http://h', headers: {A: b}}}}\n", "mcp.servers.a.ulr: unknown"},
      {"tools: {data_sources: [{name: a, urll: 'host=h'}]}\n", "data_sources[0].urll: unknown key"},
      {"tools: {data_sources: [{nam: a, url: 'host=h'}]}\n", "data_sources[0].nam: unknown key"},
      {"tools: {data_source: [{name: a, url: 'host=h'}]}\nagents: {b: {data_sources: [a]}}\n",
       "tools.data_source: unknown key; did you mean \"data_sources\"?"},
      {"tools: {files: {roots: [{name: a, pth: /x}]}}\n", "roots[0].pth: unknown key"}};
  for (const auto& [yaml, said] : cases)
    EXPECT_THAT(errors(yaml), ElementsAre(AllOf(StartsWith("c.yaml:"), HasSubstr(said)))) << yaml;
}

TEST_F(FollowUps, OfASectionThatCouldNotBeReadNothingIsMissed) {
  const std::string provider = kProvider;
  for (const std::string& yaml :
       {provider + "  models: {m: {provider: local, prices: 5}}\n", provider + "  models: {m: 5}\n",
        provider + "  models: [m]\nagents: {a: {model: m}}\n",
        std::string("mcp: {servers: {a: [x]}}\n"), std::string("tools: {data_sources: [x]}\n"),
        std::string("tools: {data_sources: {a: b}}\nagents: {a: {data_sources: [a]}}\n")})
    EXPECT_THAT(errors(yaml), ElementsAre(HasSubstr("must be a "))) << yaml;
}

TEST_F(FollowUps, ASectionOfTheWrongShapeIsToldAlsoWhereAVariableSetsSomethingInIt) {
  const Environment environment({{"BA_KAFKA_BROKERS", "h:9092"},
                                 {"BA_WORKER_NAME", "z"},
                                 {"BA__OBSERVABILITY__EXTRA_TAGS__A", "1"},
                                 {"ANTHROPIC_API_KEY", "sk-ant-some-key-of-a-test"}});
  EXPECT_THAT(errors("kafka: [a]\n", environment),
              ElementsAre("c.yaml:1: kafka: must be a map of keys and values"));
  EXPECT_THAT(errors("worker: y\n", environment),
              ElementsAre("c.yaml:1: worker: must be a map of keys and values"));
  EXPECT_THAT(errors("llm:\n  providers: [x]\n", environment),
              Contains("c.yaml:2: llm.providers: must be a map from names to their settings"));
  EXPECT_THAT(errors("observability:\n  extra_tags: [x]\n", environment),
              ElementsAre("c.yaml:2: observability.extra_tags: must be a map of texts"));
  EXPECT_THAT(errors("kafka:\nworker: {}\n", environment), IsEmpty());
}

TEST_F(FollowUps, WhatIsMissingIsMissedWhereItBelongs) {
  EXPECT_THAT(errors(std::string(kProvider) + "  models:\n    m: {effort: low}\n    n: {}\n"),
              ElementsAre("c.yaml:4: llm.models.m.provider is not set: must name one of "
                          "llm.providers: local",
                          "c.yaml:5: llm.models.n.provider is not set: must name one of "
                          "llm.providers: local"));
  EXPECT_THAT(errors("llm:\n  models:\n    m: {provider: p}\n"),
              ElementsAre("c.yaml:3: llm.models.m.provider is 'p': must name one of "
                          "llm.providers: (none)"));
  EXPECT_THAT(errors("mcp:\n  servers:\n    a: {trusted: true}\n"),
              ElementsAre("c.yaml:3: mcp.servers.a: neither command nor url is set: a server has "
                          "one of the two"));
  EXPECT_THAT(errors("mcpServers:\n  a: {}\n"),
              ElementsAre("c.yaml:2: mcpServers.a: neither command nor url is set: a server has "
                          "one of the two"));
  EXPECT_THAT(errors("tools:\n  data_sources:\n    - name: a\n"),
              ElementsAre(StartsWith("c.yaml:3: tools.data_sources[0].url is missing: ")));
}

TEST_F(FollowUps, WhatIsMissedIsWrongForWhoeverLooksAtItLater) {
  for (const char* server : {"5", "{trusted: true}"}) {
    const auto in = [&](const std::string& before, const std::string& behind) {
      return load(before + server + behind).findings.wrong_keys;
    };
    EXPECT_THAT(in("mcp: {servers: {y: ", "}}\n"), ElementsAre("mcp.servers.y")) << server;
    EXPECT_THAT(in("mcpServers: {y: ", "}\n"), ElementsAre("mcpServers.y")) << server;
  }
}

TEST_F(FollowUps, EachComplaintOfOneKeyIsSaid) {
  EXPECT_THAT(errors("mcp: {servers: {a_b: {trusted: true}}}\n"),
              ElementsAre(HasSubstr("mcp.servers.a_b: 'a_b' is not a letter followed by"),
                          HasSubstr("mcp.servers.a_b: neither command nor url is set")));
}

TEST_F(FollowUps, AMisspeltNameIsToldTheNearestThatIsThere) {
  const std::string provider = kProvider;
  EXPECT_THAT(errors(provider + "  models: {m: {provider: lokal}}\n"),
              ElementsAre(HasSubstr("did you mean 'local'?")));
  for (const char* llm : {"  default_model: qwen\n", "  models: {}\n  default_model: qwen\n"})
    EXPECT_THAT(errors("llm:\n" + std::string(llm)),
                ElementsAre(AllOf(HasSubstr("llm.default_model is \"qwen\": must name one of "),
                                  HasSubstr("write the model there and its provider under"))));
  EXPECT_THAT(errors("llm:\n  model: {qwen: {provider: p}}\n  default_model: qwen\n"),
              ElementsAre(HasSubstr("did you mean \"models\"?")))
      << "it only follows from the misspelt key";
  EXPECT_THAT(errors(provider + "  models: {qwen: {provider: local}}\n  default_model: qwem\n"),
              ElementsAre(HasSubstr("did you mean 'qwen'?")));
  EXPECT_THAT(errors(provider + "  models: {qwen: {provider: local}}\nagents: {a: {model: qwne}}\n"
                                "context: {summary: {model: qwe}}\n"),
              ElementsAre(HasSubstr("agents.a.model: \"qwne\" is not a configured model; did you "
                                    "mean \"qwen\"? (there are: qwen)"),
                          HasSubstr("context.summary.model: \"qwe\" is not a configured model; did "
                                    "you mean \"qwen\"?")));
}

TEST_F(FollowUps, ANameIsNotEmpty) {
  EXPECT_THAT(errors("agents:\n  '': {description: d}\n"),
              ElementsAre("c.yaml:2: agents: one of its names is empty: give it a name"));
  EXPECT_THAT(errors("", {{{"BA__AGENTS____MODEL", "m"}}}),
              ElementsAre(AllOf(HasSubstr("environment BA__AGENTS____MODEL: "),
                                HasSubstr("one of its names is empty"))));
}

TEST_F(FollowUps, ALongValueIsRepeatedInPart) {
  const std::string value(200'000, 'v');
  for (const std::string& yaml :
       {"limits: {attempts_max: " + value + "}\n", "http: {enabled: " + value + "}\n",
        "observability: {log_level: " + value + "}\n", "agents: {a: {model: " + value + "}}\n",
        "limits: {cost_per_job_max_usd: " + value + "}\n"})
    EXPECT_THAT(errors(yaml), ElementsAre(AllOf(HasSubstr("vvv…"), HasSubstr(" (200000 bytes)"))))
        << yaml.substr(0, 40);
  // Wherever else one stands: a key, a name, a list.
  for (const std::string& yaml : {value + ": 1\n", "agents: {" + value + ": {toools: [x]}}\n",
                                  "agents: {a: {sub_agents: [" + value + "]}}\n",
                                  "tools: {retry: {retry_on: " + value + "}}\n",
                                  "mcp: {servers: {" + value + ": {command: [x]}}}\n"}) {
    const std::vector<std::string> said = errors(yaml);
    ASSERT_THAT(said, Not(IsEmpty())) << yaml.substr(0, 40);
    for (const std::string& line : said) EXPECT_LT(line.size(), 4'100U) << yaml.substr(0, 40);
  }
}

TEST_F(FollowUps, OfALongValueNoPasswordIsRepeated) {
  const std::string before(70, 'a');
  const std::string value = before + " password=hunter2hunter2" + std::string(10'000, 'b');
  EXPECT_THAT(errors("limits: {attempts_max: \"" + value + "\"}\n"),
              ElementsAre(Not(HasSubstr("hunter2"))));
  EXPECT_THAT(errors("agents: {a: {sub_agents: [\"" + std::string(1'495, 'a') +
                     " password=hunter2hunter2" + std::string(10'000, 'b') + "\"]}}\n"),
              Each(Not(HasSubstr("hunter2"))));
}

TEST_F(FollowUps, OfALongValueThatIsShortWithoutItsPasswordNothingIsCut) {
  EXPECT_THAT(errors("limits: {attempts_max: 'password=" + std::string(100, 'p') + " x'}\n"),
              ElementsAre(HasSubstr("\"password=***\" (111 bytes) is not allowed")));
}

TEST_F(FollowUps, APrintedMaskIsNoSecret) {
  const std::string mask = settings::kMaskedSecret;
  const std::string provider = "llm:\n  providers:\n    p: {protocol: anthropic, ";
  EXPECT_THAT(errors(provider + "api_key: '" + mask + "'}\n"),
              ElementsAre("c.yaml:3: llm.providers.p.api_key: " + mask +
                          " stands for a secret that `config print` left out: write the secret "
                          "itself, or the name of its file as api_key_file"));
  for (const std::string& yaml :
       {provider + "api_key: '***'}\n", provider + "headers: {x-auth: '" + mask + "'}}\n",
        "postgres: {url: 'postgresql://u:" + mask + "@h/d'}\n", "postgres: {url: '" + mask + "'}\n",
        "tools: {data_sources: [{name: a, url: 'host=h password=" + mask + "'}]}\n",
        "kafka: {properties: {sasl.password: '" + mask + "'}}\n",
        "mcp: {servers: {a: {command: [x], env: {KEY: '" + mask + "'}}}}\n",
        "mcp: {servers: {a: {command: [x, '--api-key=" + mask + "']}}}\n",
        "observability: {extra_tags: {from: 'http://u:" + mask + "@h'}}\n"}) {
    const LoadedConfig loaded = load(yaml);
    EXPECT_THAT(loaded.findings.errors(), ElementsAre(HasSubstr(mask + " stands for a secret")))
        << yaml;
    EXPECT_THAT(loaded.findings.secrets, Not(Contains(HasSubstr("***")))) << yaml;
  }
  EXPECT_THAT(errors("agents: {a: {system_prompt: 'password: " + mask + "'}}\n"), IsEmpty())
      << "it is printed as it is";
}

}  // namespace
}  // namespace ba::config

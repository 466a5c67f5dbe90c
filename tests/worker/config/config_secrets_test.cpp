// SPDX-License-Identifier: Apache-2.0
#include "pipeline/text/secret/redaction.hpp"
#include "tests/worker/config/config_fixture.hpp"
#include "worker/config/print_settings.hpp"

namespace ba::config {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::UnorderedElementsAre;

TEST_F(ConfigTest, SecretsAreMaskedWhereverSettingsAreShown) {
  const LoadedConfig loaded = load(R"(
postgres: {url: "postgresql://u:hunter2secret@h/d"}
kafka: {properties: {sasl.password: kafkasecret}}
llm:
  providers: {p: {protocol: anthropic, api_key: sk-topsecret, headers: {x-auth: headersecret}}}
  models: {m: {provider: p}}
tools:
  data_sources: [{name: a, url: "host=h password=toolsecret user=u"}]
  database_write: {data_sources: [{name: b, url: "postgresql://u:writesecret@h/d", tables: t}]}
)");
  ASSERT_THAT(loaded.findings.errors(), IsEmpty());
  const std::string yaml = settings_as_yaml(loaded.findings.settings, true);
  for (const char* secret : {"hunter2secret", "kafkasecret", "sk-topsecret", "headersecret",
                             "toolsecret", "writesecret"}) {
    EXPECT_THAT(yaml, Not(HasSubstr(secret)));
    EXPECT_THAT(loaded.findings.secrets, Contains(secret));
  }
  EXPECT_THAT(yaml, HasSubstr("postgresql://u:********@h/d"));
  EXPECT_EQ(loaded.config.llm.providers.at(0).api_key.reveal(), "sk-topsecret");
  EXPECT_EQ(loaded.config.postgres.access.url, "postgresql://u:hunter2secret@h/d");
}

TEST_F(ConfigTest, WhatIsSentWithTracesIsNothingUnlessItIsSetAndMaskedThen) {
  const LoadedConfig none = load("");
  EXPECT_THAT(none.config.observability.otlp_headers, IsEmpty());
  EXPECT_EQ(setting(none, "observability.otlp_headers")->value_json, "{}");
  const LoadedConfig loaded = load(R"(
observability: {otlp_endpoint: "http://c:4318", otlp_headers: {x-tenant: tenantsecret, authorization: otlpsecret}}
)");
  ASSERT_THAT(loaded.findings.errors(), IsEmpty());
  EXPECT_EQ(loaded.config.observability.otlp_headers.at("authorization"), "otlpsecret");
  const std::string yaml = settings_as_yaml(loaded.findings.settings, true);
  for (const char* value : {"tenantsecret", "otlpsecret"}) {
    EXPECT_THAT(yaml, Not(HasSubstr(value)));
    EXPECT_THAT(loaded.findings.secrets, Contains(value));
  }
  EXPECT_THAT(yaml, HasSubstr("otlp_headers: {\"authorization\": \"********\"")) << yaml;
}

TEST_F(ConfigTest, PasswordsInUrlsAreMaskedWhateverTheKey) {
  const LoadedConfig loaded = load(R"(
kafka:
  brokers: "SASL_SSL://u:brokersecret@k:9092"
  properties: {security.protocol: SASL_SSL, sasl.password: kafkasecret}
observability:
  otlp_endpoint: "https://u:otlpsecret@collector:4318"
  extra_tags: {from: "http://u:tagsecret@h"}
llm:
  providers: {p: {base_url: "http://u:modelsecret@h/v1", proxy: "http://u:proxysecret@h"}}
  models: {m: {provider: p}}
)");
  // No address of a broker, a collector or a model takes a user; the messages that say so mask it.
  EXPECT_THAT(loaded.findings.errors(),
              UnorderedElementsAre(HasSubstr("kafka.brokers: it has an \"@\""),
                                   HasSubstr("otlp_endpoint: 'https://***' is not allowed"),
                                   HasSubstr("base_url is 'http://***'")));
  const std::string yaml = settings_as_yaml(loaded.findings.settings, true);
  for (const char* secret :
       {"brokersecret", "otlpsecret", "tagsecret", "modelsecret", "proxysecret"}) {
    EXPECT_THAT(yaml, Not(HasSubstr(secret)));
    EXPECT_THAT(loaded.findings.secrets, Contains(secret));
  }
  EXPECT_THAT(loaded.findings.secrets, Not(Contains("SASL_SSL")));  // a word of every log
}

TEST_F(ConfigTest, SecretsOfToolServersAreMaskedAndComeFromFiles) {
  const std::string file = write("token", "Bearer filetoken\n");
  const LoadedConfig loaded =
      load("mcp: {servers: {a: {command: [x], env: {TOKEN: envtoken}}, " +
           std::string("b: {url: 'http://h/mcp', headers: {X-Key: headtoken}, ") +
           "header_files: {Authorization: " + file + "}}}}\n");
  ASSERT_THAT(loaded.findings.errors(), IsEmpty());
  const std::string yaml = settings_as_yaml(loaded.findings.settings, true);
  for (const char* secret : {"envtoken", "headtoken", "Bearer filetoken"}) {
    EXPECT_THAT(yaml, Not(HasSubstr(secret)));
    EXPECT_THAT(loaded.findings.secrets, Contains(secret));
  }
  EXPECT_EQ(loaded.config.mcp.servers.at(1).headers.at("Authorization").reveal(),
            "Bearer filetoken");
  EXPECT_THAT(errors("mcp: {servers: {b: {url: 'http://h', header_files: {A: /no/such}}}}\n"),
              ElementsAre(HasSubstr("mcp.servers.b.header_files.A: can't read")));
}

TEST_F(ConfigTest, SecretsInTheArgumentsOfAToolServerAreMasked) {
  const LoadedConfig loaded = load(
      "mcp: {servers: {a: {command: [x, '--api-key=argsecret'], args: "
      "['postgresql://u:urlsecret@h/d', plain]}}}\n");
  ASSERT_THAT(loaded.findings.errors(), IsEmpty());
  EXPECT_EQ(setting(loaded, "mcp.servers.a.command")->value_json,
            "[\"x\", \"--api-key=********\"]");
  EXPECT_EQ(setting(loaded, "mcp.servers.a.args")->value_json,
            "[\"postgresql://u:********@h/d\", \"plain\"]");
  for (const char* secret : {"argsecret", "urlsecret"})
    EXPECT_THAT(loaded.findings.secrets, Contains(secret));
  EXPECT_EQ(loaded.config.mcp.servers.at(0).command[1], "--api-key=argsecret");
}

TEST_F(ConfigTest, WhatFollowsABareOptionThatIsNamedLikeASecretIsMasked) {
  const LoadedConfig loaded = load(
      "mcp: {servers: {a: {command: [srv, --password=eqsecret, --token, baresecret, -api-key, "
      "onedash, --token, --verbose, --max-tokens, shown1, --kind=secret, shown2, token, shown3, "
      "--token, '', --token]}}}\n");
  ASSERT_THAT(loaded.findings.errors(), IsEmpty());
  EXPECT_EQ(setting(loaded, "mcp.servers.a.command")->value_json,
            R"(["srv", "--password=********", "--token", "********", "-api-key", "********", )"
            R"("--token", "--verbose", "--max-tokens", "shown1", "--kind=secret", "shown2", )"
            R"("token", "shown3", "--token", "", "--token"])");
  EXPECT_THAT(loaded.findings.secrets, UnorderedElementsAre("eqsecret", "baresecret", "onedash"));
  EXPECT_EQ(loaded.config.mcp.servers.at(0).command[3], "baresecret");
  const LoadedConfig again = load("mcp: {servers: {a: {command: [x, --token, '********']}}}\n");
  EXPECT_THAT(again.findings.errors(), ElementsAre(HasSubstr("stands for a secret")));
  EXPECT_THAT(again.findings.secrets, IsEmpty());
}

TEST_F(ConfigTest, ASecretOfAnOptionIsMaskedToItsEndAndMayBeginLikeAnOption) {
  const LoadedConfig loaded = load(
      "mcp: {servers: {a: {command: [srv, '--passphrase=correct horse staple', --token, -zQ7, "
      "--password=, --token, -v]}}}\n");
  ASSERT_THAT(loaded.findings.errors(), IsEmpty());
  EXPECT_EQ(setting(loaded, "mcp.servers.a.command")->value_json,
            R"(["srv", "--passphrase=********", "--token", "********", )"
            R"("--password=", "--token", "-v"])");
  EXPECT_THAT(loaded.findings.secrets, UnorderedElementsAre("correct horse staple", "-zQ7"));
  EXPECT_THAT(errors("mcp: {servers: {a: {command: [x, '--passphrase=********']}}}\n"),
              ElementsAre(HasSubstr("stands for a secret")));
}

TEST_F(ConfigTest, ServersOfToolsMayBeWrittenAsOtherClientsWantThem) {
  const LoadedConfig loaded = load(
      "mcpServers: {fs: {type: stdio, command: npx, args: [-y, server]}, web: {url: "
      "'http://h/mcp'}}\n");
  ASSERT_THAT(loaded.findings.errors(), IsEmpty());
  ASSERT_EQ(loaded.config.mcp.servers.size(), 2u);
  EXPECT_EQ(loaded.config.mcp.servers[0].command,
            (std::vector<std::string>{"npx", "-y", "server"}));
  EXPECT_THAT(errors("mcp: {servers: {a: {command: [x]}}}\nmcpServers: {a: {command: x}}\n"),
              ElementsAre(HasSubstr("there is a server of this name under mcp.servers")));
}

TEST_F(ConfigTest, WhatIsWrongWithAServerOfToolsNamesItsPlace) {
  EXPECT_THAT(
      errors("mcp:\n  servers:\n    a_b: {command: [x], timeout_ms: 0}\n"),
      ElementsAre(HasSubstr("c.yaml:3: mcp.servers.a_b.timeout_ms: timeout_ms must be positive: 0"),
                  HasSubstr("mcp.servers.a_b: 'a_b' is not a letter followed by")));
  EXPECT_THAT(
      errors("mcp: {servers: {a: {command: [x], tools: {t: {effect: keyed}}}}}\n"),
      ElementsAre(HasSubstr("Invalid effect: keyed (allowed: auto, pure, once, reconcilable)")));
}

TEST_F(ConfigTest, SecretsComeFromFiles) {
  const std::string key = write("key", "filesecret\n");
  const LoadedConfig loaded =
      load("llm:\n  providers: {p: {api_key_file: " + key + "}}\n  models: {m: {provider: p}}\n");
  ASSERT_THAT(loaded.findings.errors(), IsEmpty());
  EXPECT_EQ(loaded.config.llm.providers.at(0).api_key.reveal(), "filesecret");
  EXPECT_EQ(setting(loaded, "llm.providers.p.api_key_file")->value_json, "\"" + key + "\"");
  EXPECT_EQ(setting(loaded, "llm.providers.p.api_key"), nullptr);
}

TEST_F(ConfigTest, ASecretFileThatIsMissingEmptyOrDoubledIsAnError) {
  const std::string empty = write("empty", "\n");
  const std::string head = "postgres:\n  url_file: ";
  EXPECT_THAT(errors(head + (folder_ / "none").string() + "\n"),
              ElementsAre(HasSubstr("c.yaml:2: postgres.url_file: can't read")));
  EXPECT_THAT(errors(head + empty + "\n"), ElementsAre(HasSubstr("the file is empty")));
  EXPECT_THAT(errors(head + write("url", "host=a") + "\n  url: host=b\n"),
              ElementsAre(HasSubstr("url and url_file are both set: keep one")));
}

TEST_F(ConfigTest, ASecretFileThatIsMissingIsOneErrorWhereverTheValueIsNeeded) {
  const std::string none = (folder_ / "none").string();
  for (const std::string& yaml :
       {"tools:\n  data_sources: [{name: x, url_file: " + none + "}]\n",
        "tools:\n  database_write: {data_sources: [{name: y, tables: t, url_file: " + none +
            "}]}\n",
        "llm:\n  providers: {p: {protocol: anthropic, api_key_file: " + none +
            "}}\n  models: {m: "
            "{provider: p}}\n",
        "mcp:\n  servers: {b: {url: 'http://h', header_files: {A: " + none + "}}}\n"}) {
    EXPECT_THAT(errors(yaml), ElementsAre(HasSubstr("can't read " + none))) << yaml;
  }
  const std::string empty = write("empty", "\n");
  EXPECT_THAT(errors("tools:\n  data_sources: [{name: x, url_file: " + empty + "}]\n"),
              ElementsAre(HasSubstr("the file is empty")));
}

/// What the log and doctor leave of it.
TEST_F(ConfigTest, NothingIsMaskedOfWhatIsSaidOfASetting) {
  const std::string nul("\"a\\0b\"");
  const std::string empty = write("token", "\n");
  const std::string large = write("client_secret", std::string((1 << 20) + 1, 'x'));
  std::filesystem::create_directories(folder_ / "password");
  std::filesystem::create_symlink("passwd", folder_ / "passwd");
  const std::string folder = folder_.string();
  const std::string provider = "llm: {providers: {p: {protocol: anthropic, ";
  const std::string variable = "mcp: {servers: {a: {command: [x], env_files: {API_TOKEN: ";
  const std::string sent = "observability: {otlp_endpoint: 'http://c:4318', otlp_headers: {";
  const std::pair<std::string, const char*> cases[] = {
      {provider + "api_key_file: " + folder + "/api_key}}}\n", "/api_key: No such file"},
      {provider + "api_key_file: " + folder + "/password}}}\n", "/password: Is a directory"},
      {provider + "api_key_file: " + large + "/api_key}}}\n", "/api_key: Not a directory"},
      {provider + "api_key_file: " + folder + "/passwd}}}\n", "/passwd: Too many levels of symb"},
      {provider + "api_key_file: " + large + "}}}\n", "/client_secret: larger than 1048576"},
      {variable + "run/no/token}}}}\n", "API_TOKEN: can't read run/no/token: No such file"},
      {variable + empty + "}}}}\n", "API_TOKEN: the file is empty: "},
      {provider + "api_key: [x]}}}\n", "api_key: is a list; must be"},
      {provider + "api_key: {x: y}}}}\n", "api_key: is a map; must be"},
      {provider + "api_key: x, api_key_file: " + large + "}}}\n", "api_key and api_key_file are"},
      {provider + "api_key: " + nul + "}}}\n", "api_key: holds a NUL character"},
      {provider + "api_key: \"\xff\"}}}\n", "api_key: is not valid UTF-8: byte 1"},
      {provider + "headers: {authorization: [x]}}}}\n", "authorization: must be a text"},
      {"llm: {providers: {token: 5}}\n", "token: must be a map of keys and values"},
      {"postgres: {password: x}\n", "password: unknown key; known here: "},
      {"kafka: {properties: {x.secret: y}}\n", "x.secret: is not known to librdkafka"},
      {sent + "'b:token': x}}\n", "token: is no name of a header"},
      {sent + "x-token: \"a\\nb\"}}\n", "x-token: has a control character"}};
  const Redaction redaction{{}};
  for (const auto& [yaml, said] : cases) {
    const std::vector<std::string> lines = errors(yaml);
    EXPECT_THAT(lines, Contains(HasSubstr(said))) << yaml;
    for (const std::string& line : lines) EXPECT_EQ(redaction.cleaned(line), std::nullopt) << line;
  }
  const LoadedConfig flag = load("", {}, {{"--set", "llm.providers.token", "{a"}});
  ASSERT_THAT(flag.findings.errors(),
              ElementsAre(HasSubstr("token: can't be read as a list or map: ")));
  EXPECT_EQ(redaction.cleaned(flag.findings.errors().front()), std::nullopt);
}

TEST_F(ConfigTest, AVariableStandsInThePlaceOfAFileThatTheConfigurationNames) {
  const LoadedConfig loaded = load("postgres: {url_file: /run/secrets/none}\n",
                                   {{{"BA_POSTGRES_URL", "postgresql://r@h/d"}}});
  EXPECT_THAT(loaded.findings.errors(), IsEmpty());
  EXPECT_EQ(loaded.config.postgres.access.url, "postgresql://r@h/d");
}

TEST_F(ConfigTest, ASecretFileHasAtMostAMebibyte) {
  const std::string head = "postgres:\n  url_file: ";
  EXPECT_THAT(errors(head + write("large", std::string((1 << 20) + 1, 'x')) + "\n"),
              ElementsAre(HasSubstr("larger than 1048576 bytes")));
}

}  // namespace
}  // namespace ba::config

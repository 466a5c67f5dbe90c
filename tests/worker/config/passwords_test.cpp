// SPDX-License-Identifier: Apache-2.0
// Random passwords, as they are and escaped, in URLs and strings of every setting that takes one:
// no part of them stands in anything that is printed.
#include "pipeline/text/secret/redaction.hpp"
#include "tests/support/random_password.hpp"
#include "tests/support/test_seed.hpp"
#include "tests/worker/config/config_fixture.hpp"
#include "worker/config/load_config.hpp"
#include "worker/config/print_settings.hpp"

namespace ba::config {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

struct Place {
  const char* before;  ///< of the value
  const char* after;
  std::string yaml;  ///< around the value, which stands in single quotes
};

std::string model(const std::string& provider) {
  return "llm: {providers: {p: {" + provider + "}}, models: {m: {provider: p}}}\n";
}

const std::vector<Place>& places() {
  static const std::vector<Place> all{
      {"postgresql://worker:", "@127.0.0.1:1/db", "postgres: {url: @}\n"},
      {"postgres://db:1/db?user=worker&password=", "", "postgres: {url: @}\n"},
      {"host=127.0.0.1 port=1 password=", " dbname=db", "postgres: {url: @}\n"},
      {"postgresql://worker:", "@a:1,b:2/db", "tools: {data_sources: [{name: s, url: @}]}\n"},
      {"postgresql://worker:", "@127.0.0.1:1/db",
       "tools: {database_write: {data_sources: [{name: w, tables: [t], url: @}]}}\n"},
      {"http://u:", "@127.0.0.1:1/v1", model("base_url: @")},
      {"http://127.0.0.1:1/v1?key=", "", model("base_url: @")},
      {"http://u:", "@127.0.0.1:1", model("base_url: 'http://127.0.0.1:1', proxy: @")},
      {"", "",
       model("base_url: 'http://127.0.0.1:1', proxy: 'http://h', proxy_user: u, "
             "proxy_password: @")},
      {"https://u:", "@127.0.0.1:1", "tools: {web_search: {base_url: @}}\n"},
      {"https://u:", "@127.0.0.1:1/mcp", "mcp: {servers: {a: {url: @}}}\n"},
      {"postgresql://worker:", "@127.0.0.1:1/db", "mcp: {servers: {a: {command: [x, @]}}}\n"},
      {"--password=", "", "mcp: {servers: {a: {command: [x, @]}}}\n"},
      {"https://u:", "@collector:4318", "observability: {otlp_endpoint: @}\n"},
      {"Bearer ", "", "observability: {otlp_endpoint: 'http://c', otlp_headers: {x-key: @}}\n"},
      {"http://u:", "@p:3128", "observability: {otlp_endpoint: 'http://c', otlp_proxy: @}\n"},
      {"", "",
       "observability: {otlp_endpoint: 'http://c', otlp_proxy: 'http://p', otlp_proxy_user: u, "
       "otlp_proxy_password: @}\n"},
      {"see redis://u:", "@h/0 for more", "observability: {extra_tags: {from: @}}\n"},
      {"SASL_SSL://u:", "@k:9092", "kafka: {brokers: @}\n"},
      {"u:", "@k:9092", "kafka: {brokers: @}\n"},
      {"", "", "kafka: {properties: {sasl.password: @}}\n"}};
  return all;
}

std::string in_yaml(const Place& place, const std::string& secret) {
  std::string value = "'";
  for (const char letter : place.before + secret + place.after)
    value += letter == '\'' ? "''" : std::string(1, letter);
  const std::size_t at = place.yaml.find('@');
  return place.yaml.substr(0, at) + value + "'" + place.yaml.substr(at + 1);
}

class Passwords : public ConfigTest {
 protected:
  /// What `config print`, `config check` and every other command say of the configuration.
  std::string printed(const Place& place, const std::string& secret) {
    const LoadedConfig loaded = load(in_yaml(place, secret));
    const Redaction redaction(loaded.findings.secrets);
    std::string all = settings_as_yaml(loaded.findings.settings, true);
    for (const auto& lines : {loaded.findings.errors(), loaded.findings.warnings()})
      for (const std::string& line : lines) all += line + "\n" + redaction.clean(line) + "\n";
    return all;
  }

  std::string known_of(const Place& place) {
    std::string known;
    for (const char* one : {"x", "x x", "x'x", "x/x", "x/1", "x@x", "x#x", "x?x", "x%x", "x&x",
                            "x=x", "x\\", "x@x:x", "x,x", "x\"x", "x:1/x"})
      known += place.before + printed(place, one) + place.after;
    return known;
  }
};

TEST_F(Passwords, NoPartOfOneIsPrintedWhereverItStandsAndHoweverItIsWritten) {
  const auto seed = static_cast<unsigned>(test_seed());
  SCOPED_TRACE("BA_TEST_SEED=" + std::to_string(seed));
  std::mt19937 random(seed);
  for (const Place& place : places()) {
    const std::string known = known_of(place);
    for (int round = 0; round < 12; ++round) {
      const std::string password = random_password(random);
      if (password.find("${") != password.npos) continue;  // the name of a variable, which is told
      for (const std::string& form : {password, percent_encoded(password)}) {
        const std::string all = printed(place, form);
        for (const std::string& secret : {password, form})
          EXPECT_EQ(leaked_part(all, secret, known), "") << in_yaml(place, form) << "\n" << all;
      }
    }
  }
}

TEST_F(Passwords, AUrlThatACommaCutsIsNotShownAsAnUnknownKey) {
  for (const char* yaml : {"postgres: {url: postgresql://u:S3C, R3T@host/db}\n",
                           "postgres: {url: postgresql://u:x, S3CR3T, y@host/db}\n"})
    for (const std::string& line : errors(yaml)) {
      EXPECT_EQ(line.find("R3T"), std::string::npos) << line;
      EXPECT_EQ(line.find("S3C"), std::string::npos) << line;
    }
  EXPECT_THAT(errors("postgres: {uri: 'postgresql://u@h/d'}\n"),
              ElementsAre(HasSubstr("postgres.uri: unknown key; did you mean")));
}

TEST_F(Passwords, AUrlThatIsBadlyEscapedIsAnErrorThatNamesTheKeyAndTheRemedy) {
  for (const char* url : {"postgresql://u:S3CR3T/foo@host/db", "postgresql://u:S3C?R3T@host/db",
                          "postgresql://worker:s3cr@tPart/9#Zq@127.0.0.1:1/db"}) {
    EXPECT_THAT(errors("postgres: {url: '" + std::string(url) + "'}\n"),
                ElementsAre(::testing::AllOf(HasSubstr("postgres.url: "), HasSubstr("/ is written "
                                                                                    "%2F"))));
    EXPECT_THAT(errors("tools: {data_sources: [{name: s, url: '" + std::string(url) + "'}]}\n"),
                Contains(HasSubstr("tools.data_sources[0].url: ")));
  }
}

TEST_F(Passwords, AnSslmodeThatIsNoneIsAnErrorWithTheAllowedOnes) {
  EXPECT_THAT(errors("postgres: {url: 'postgresql://u@h/d?sslmode=verify-ful'}\n"),
              ElementsAre(HasSubstr("verify-ca, verify-full; did you mean verify-full?")));
}

TEST_F(Passwords, AUrlThatIsCleanIsShownAndReadsBackAsAMask) {
  const LoadedConfig loaded = load("postgres: {url: 'postgresql://u:S3CR3T%2Ffoo@h:1/d'}\n");
  EXPECT_THAT(loaded.findings.errors(), IsEmpty());
  EXPECT_EQ(setting(loaded, "postgres.url")->value_json, "\"postgresql://u:********@h:1/d\"");
  for (const char* masked : {"postgresql://u:********@h:1/d", "postgresql://********"})
    EXPECT_THAT(errors("postgres: {url: '" + std::string(masked) + "'}\n"),
                Contains(HasSubstr("stands for a secret")));
}

TEST_F(Passwords, ALoginInTheUrlOfAProxyIsAnErrorThatNamesTheKeysForIt) {
  EXPECT_THAT(errors(model("base_url: 'http://h', proxy: 'http://u:S3CR3T@p:1'")),
              Contains(HasSubstr("proxy_user with proxy_password")));
  EXPECT_THAT(errors(model("base_url: 'http://h', proxy: 'http://p:1', proxy_user: u, "
                           "proxy_password_file: " +
                           write("pw", "S3CR3T\n"))),
              IsEmpty());
  EXPECT_THAT(errors(model("base_url: 'http://h', proxy_user: u")),
              Contains(HasSubstr("set proxy too")));
}

TEST_F(Passwords, ALoginAtTheProxyOfTracesIsToldWhatItLacks) {
  const auto traces = [&](const std::string& keys) {
    return errors("observability: {otlp_endpoint: 'http://c', " + keys + "}\n");
  };
  EXPECT_THAT(traces("otlp_proxy: 'http://u:S3CR3T@p:1'"),
              Contains(HasSubstr("otlp_proxy_user with otlp_proxy_password")));
  EXPECT_THAT(traces("otlp_proxy_user: u"), Contains(HasSubstr("set otlp_proxy too")));
  EXPECT_THAT(traces("otlp_proxy: 'http://p:1', otlp_proxy_password: S3CR3T"),
              Contains(HasSubstr("stands beside otlp_proxy_user")));
  EXPECT_THAT(traces("otlp_proxy: 'http://p:1', otlp_proxy_user: u, otlp_proxy_password_file: " +
                     write("pw", "S3CR3T\n")),
              IsEmpty());
}

TEST_F(Passwords, AFileOfASecretThatOthersMayReadOrWriteIsAWarningWithTheChmod) {
  using std::filesystem::perms;
  const std::string file = write("pw", "S3CR3T");
  const std::string yaml = model("base_url: 'http://h', api_key_file: " + file);
  const auto with = [&](perms mode) {
    std::filesystem::permissions(file, mode);
    return load(yaml).findings.warnings();
  };
  const perms own = perms::owner_read | perms::owner_write;
  EXPECT_THAT(with(own), IsEmpty());
  EXPECT_THAT(with(own | perms::group_read), IsEmpty());
  EXPECT_THAT(
      with(own | perms::group_read | perms::others_read),
      ElementsAre(HasSubstr("llm.providers.p.api_key_file: others on this machine may read " +
                            file + " (mode 0644): chmod o-rwx " + file)));
  EXPECT_THAT(with(own | perms::others_write), ElementsAre(HasSubstr("may write")));
  std::filesystem::permissions(file, own);
  const std::string header = write("token", "Bearer S3CR3T");
  std::filesystem::permissions(header, own | perms::others_read);
  EXPECT_THAT(load("mcp: {servers: {a: {url: 'http://h', header_files: {X: " + header + "}}}}\n")
                  .findings.warnings(),
              ElementsAre(HasSubstr("chmod o-rwx " + header)));
}

TEST_F(Passwords, AConfigurationThatHoldsSecretsAndThatOthersMayReadIsAWarning) {
  using std::filesystem::perms;
  const auto warnings = [&](const std::string& yaml) {
    const std::string file = write("open.yaml", yaml);
    std::filesystem::permissions(file, perms::owner_read | perms::others_read);
    const auto said = load_config({file, {}, {}}).findings.warnings();
    std::filesystem::permissions(file, perms::owner_all);
    return said;
  };
  EXPECT_THAT(warnings("postgres: {url: 'postgresql://u:S3CR3T@h/d'}\n"),
              ElementsAre(HasSubstr("it holds secrets")));
  EXPECT_THAT(warnings("postgres: {url: 'postgresql://u@h/d'}\n"), IsEmpty());
}

TEST_F(Passwords, AFileThatSaysNothingIsAnError) {
  for (const char* text : {" ", "\n\n", "# nothing\n", "---\n", "null\n"})
    EXPECT_THAT(errors(text), ElementsAre(HasSubstr("the file is empty"))) << text;
  EXPECT_THAT(errors("{}\n"), IsEmpty());
}

}  // namespace
}  // namespace ba::config

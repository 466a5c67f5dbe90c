// SPDX-License-Identifier: Apache-2.0
#include "pipeline/text/secret/redaction.hpp"

#include <gtest/gtest.h>

namespace ba {
namespace {

TEST(Redaction, MasksWhatLooksLikeASecret) {
  const Redaction none{{}};
  EXPECT_EQ(none.clean("postgresql://u:hunter2@h/d failed"), "postgresql://u:***@h/d failed");
  EXPECT_EQ(none.clean("Authorization: Bearer abcdefgh12345"), "Authorization: Bearer ***");
  EXPECT_EQ(none.clean("key sk-ant-api03-abcdefgh"), "key sk-***");
  EXPECT_EQ(none.clean("host=h password=hunter2 user=u"), "host=h password=*** user=u");
  EXPECT_EQ(none.clean("password='a b' x"), "password='***' x");
  EXPECT_EQ(none.clean("password='open"), "password='***");
  EXPECT_EQ(none.clean("http://h/a@b:c and task-abcdefghij"), "http://h/a@b:c and task-abcdefghij");
}

TEST(Redaction, MasksEveryFormOfASecret) {
  const Redaction none{{}};
  const std::pair<const char*, const char*> cases[] = {
      {R"(password='it\'s mine' host=h)", "password='***' host=h"},
      {"password = hunter2 host=h", "password = *** host=h"},
      {"PASSWORD=hunter2", "PASSWORD=***"},
      {"sasl.password=hunter2,x", "sasl.password=***,x"},
      {"authorization: Basic dTpw", "authorization: Basic ***"},
      {"Authorization: secret stuff\nnext", "Authorization: secret ***\nnext"},
      {"x-api-key: abc", "x-api-key: ***"},
      {R"({"api_key": "a\"b", "n": 1})", R"({"api_key": "***", "n": 1})"},
      {R"(body {\"apiKey\":\"abc\"})", R"(body {\"apiKey\":\"***\"})"},
      {"client_secret: 'abc'\nuser: u", "client_secret: '***'\nuser: u"},
      {"GET /v1?access_token=abc&n=1", "GET /v1?access_token=***&n=1"},
      {"amqp://u:a/b@h", "amqp://u:***@h"},
      {"see https://0123456789abcdef@sentry.io/1", "see https://***@sentry.io/1"},
      {"brokers u:pw@k1:9092,k2:9092", "brokers u:***@k1:9092,k2:9092"}};
  for (const auto& [text, expected] : cases) EXPECT_EQ(none.clean(text), expected);
}

TEST(Redaction, LeavesWhatThisProgramSaysOfASettingThatIsNamedLikeASecret) {
  const Redaction none{{}};
  for (const char* text :
       {"c.yaml:3: llm.providers.p.api_key: is a list; must be a single value: a text",
        "c.yaml:3: llm.providers.p.api_key: api_key and api_key_file are both set: keep one",
        "postgres.password: unknown key; known here: url",
        "kafka.properties.sasl.password: must be a text",
        "llm.providers.p.headers.authorization: must be a text",
        "kafka.properties.sasl.pasword.secret: is not known to librdkafka 2.15.1",
        "mcp.servers.a.env_files.TOKEN: can't read /run/secrets/none: No such file or directory",
        "llm.providers.p.api_key_file: can't read run/api_key: Permission denied",
        "llm.providers.p.api_key_file: can't read /run/token: it is no regular file"})
    EXPECT_EQ(none.cleaned(text), std::nullopt) << text;
}

TEST(Redaction, MasksASecretThatBeginsLikeAnExplanation) {
  const Redaction none{{}};
  const std::pair<const char*, const char*> cases[] = {
      {"password: must", "password: ***"},
      {"password: unknown", "password: ***"},
      {"password: unknown-key; x", "password: ***; x"},
      {"api_key: is", "api_key: ***"},
      {"api_key: Permission", "api_key: ***"},
      {"api_key: can", "api_key: ***"},
      {"password=must be a text", "password=*** be a text"},
      {"password:must be a text", "password:*** be a text"},
      {"password: 'must be a text'", "password: '***'"},
      {"password: must be atext", "password: *** be atext"},
      {"password: password", "password: ***"},
      {"password: password and more", "password: *** and more"}};
  for (const auto& [text, expected] : cases) EXPECT_EQ(none.clean(text), expected);
}

TEST(Redaction, LeavesEverythingElseAlone) {
  const Redaction redaction({"topsecret"});
  for (const char* text :
       {"", "serving /metrics, /healthz", "tokens: 12", "input_tokens=5", "a::b", "key=value",
        "http://host:8080/path@x", "postgresql://u@h:5432/d", "at 12:30:45 by a@b.c",
        "\"credentials\": {\"n\": 1}", "password=", "std::token", "task-abcdefghij"})
    EXPECT_EQ(redaction.cleaned(text), std::nullopt) << text;
}

TEST(Redaction, KnowsASecretInItsOtherForms) {
  const Redaction redaction({"p%40ss%2Fword", "quo\"ted"});
  EXPECT_EQ(redaction.clean("x p@ss/word y p%40ss%2Fword"), "x *** y ***");
  EXPECT_EQ(redaction.clean(R"({"m":"quo\"ted"})"), R"({"m":"***"})");
}

}  // namespace
}  // namespace ba

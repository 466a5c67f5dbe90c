// SPDX-License-Identifier: Apache-2.0
#include "pipeline/text/secret/redaction.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

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

TEST(Redaction, ASecretThatIsAPartOfAnotherLeavesNoRestOfIt) {
  const std::vector<std::string> secrets{"topsecret", "topsecretlonger", "secretlong"};
  for (const auto& order : {secrets, {secrets.rbegin(), secrets.rend()}}) {
    const Redaction redaction(order);
    EXPECT_EQ(redaction.clean("a topsecretlonger b topsecret c"), "a *** b *** c");
    EXPECT_EQ(redaction.clean("topsecrettopsecretlonger"), "******");
  }
}

TEST(Redaction, WhereTwoOverlapAllOfBothIsMasked) {
  EXPECT_EQ(Redaction({"abcdefgh", "efghijkl"}).clean("x abcdefghijkl y"), "x *** y");
  EXPECT_EQ(Redaction({"abcabcabc"}).clean("x abcabcabcabc y"), "x *** y");
}

TEST(Redaction, AnEmptySecretIsNone) {
  const Redaction redaction({"", "topsecret"});
  EXPECT_EQ(redaction.cleaned(""), std::nullopt);
  EXPECT_EQ(redaction.cleaned("plain % \\ text"), std::nullopt);
  EXPECT_EQ(redaction.clean("a topsecret"), "a ***");
}

TEST(Redaction, AShortSecretIsMaskedByItsFormAlone) {
  for (const std::string secret : {"a", "pw", "pw1"}) {
    const Redaction redaction({secret});
    EXPECT_EQ(redaction.cleaned("a pw pw1 swapped"), std::nullopt);
    EXPECT_EQ(redaction.clean("password=" + secret + " x"), "password=*** x");
    EXPECT_EQ(redaction.clean("postgresql://u:" + secret + "@h/d"), "postgresql://u:***@h/d");
    EXPECT_EQ(redaction.clean("{\"api_key\":\"" + secret + "\"}"), "{\"api_key\":\"***\"}");
  }
}

TEST(Redaction, KnowsASecretAsAUrlWritesIt) {
  const Redaction redaction({"p@ss/wörd!"});
  for (const char* form : {"p%40ss%2Fw%C3%B6rd%21", "p%40ss%2fw%c3%b6rd!", "p@ss%2Fwörd!"}) {
    EXPECT_EQ(redaction.clean("GET /v1?q=" + std::string(form) + "&n=1"), "GET /v1?q=***&n=1");
    EXPECT_EQ(redaction.clean("see http://h/" + std::string(form)), "see http://h/***");
  }
  EXPECT_EQ(redaction.clean("http://h/?to=http%3A%2F%2Fi%2F%3Fq%3Dp%2540ss%252Fw%25C3%25B6rd%2521"),
            "http://h/?to=http%3A%2F%2Fi%2F%3Fq%3D***");
  EXPECT_EQ(redaction.cleaned("100% of p%40ss, 5%"), std::nullopt);
}

TEST(Redaction, KnowsASecretAsJsonWritesIt) {
  const Redaction redaction({"a\"b\\c&d", "two\nlines", "schlüssel"});
  EXPECT_EQ(redaction.clean(R"({"m":"x a\"b\\c&d y"})"), R"({"m":"x *** y"})");
  EXPECT_EQ(redaction.clean(R"({"m":"a\u0022b\u005Cc\u0026d"})"), R"({"m":"***"})");
  EXPECT_EQ(redaction.clean(R"({"m":"two\nlines"})"), R"({"m":"***"})");
  EXPECT_EQ(redaction.clean(R"({"m":"schl\u00fcssel"})"), R"({"m":"***"})");
}

TEST(Redaction, KnowsASecretAsJsonWithinJsonWritesIt) {
  const Redaction redaction({"a\"b\\c&d"});
  EXPECT_EQ(redaction.clean(R"({"m":"{\"k\":\"a\\\"b\\\\c&d\"}"})"), R"({"m":"{\"k\":\"***\"}"})");
  EXPECT_EQ(redaction.clean(R"("\"\\\"a\\\\\\\"b\\\\\\\\c&d\\\"\"")"), R"("\"\\\"***\\\"\"")");
  EXPECT_EQ(redaction.clean(R"({"m":"a\\\u0022b\\\\c\\u0026d"})"), R"({"m":"***"})");
}

TEST(Redaction, WordsAreMaskedAsTheyStandHoweverShort) {
  const Redaction words = Redaction::of_words({"\"u\"", "\"10.0.0.7\"", ""});
  EXPECT_EQ(words.without_known("no entry for user \"u\" from \"10.0.0.7\""),
            "no entry for user *** from ***");
  EXPECT_EQ(words.without_known("user \"u2\", %22u%22"), std::nullopt);
}

}  // namespace
}  // namespace ba

// SPDX-License-Identifier: Apache-2.0
// `ba-agent tokens` from outside.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/support/asio_loop.hpp"
#include "tests/support/http_stub.hpp"
#include "tests/worker/cli/program_fixture.hpp"

namespace ba::cli {
namespace {

using ::testing::HasSubstr;

class TokensCommands : public ProgramTest {};

TEST_F(TokensCommands, CountsTokensOfFilesAndOfStandardInput) {
  EXPECT_EQ(run("tokens count --encoding o200k_base --config none.yaml", "", "hello world").out,
            "2\n");
  write("a.txt", "hello world");
  write("b.txt", std::string("\xff\0 you", 6));
  EXPECT_EQ(run("tokens count --encoding cl100k_base a.txt b.txt -", "", "one").out,
            "2  a.txt\n3  b.txt\n1  -\n6  total\n");
  EXPECT_EQ(
      run("tokens count --model gpt-4o --jsonl", "", "{\"id\":1,\"text\":\"hello world\"}\n").out,
      "{\"id\":1,\"count\":2}\n");
}

TEST_F(TokensCommands, SaysThatAModelIsNotKnown) {
  write("a.txt", "hello world");
  EXPECT_THAT(run("tokens count --model nope a.txt").err,
              HasSubstr("model 'nope' is not known: counted as cl100k_base, which is a guess"));
  EXPECT_EQ(run("tokens count --model gpt-4o a.txt").err, "");
}

TEST_F(TokensCommands, SaysOnceThatACountIsAnEstimateWhereTheEncodingIsNotTheModelsOwn) {
  const std::string line = "{\"id\":1,\"text\":\"hello world\"}\n";
  const ProgramRun counted = run("tokens count --model claude-sonnet-5 --jsonl", "", line + line);
  EXPECT_EQ(counted.out, "{\"id\":1,\"count\":2}\n{\"id\":1,\"count\":2}\n");
  EXPECT_EQ(counted.err,
            "model 'claude-sonnet-5' is not counted exactly: cl100k_base stands for its "
            "tokenizer, so this is an estimate; its own count may be 15 % more, which --margin "
            "adds\n");
  EXPECT_THAT(run("tokens count --model glm-4 --margin", "", "a").err,
              HasSubstr("its own count may be 25 % more, which is added"));
  for (const char* exact : {"--model gpt-4o", "--model o3", "--encoding cl100k_base",
                            "--model claude-sonnet-5 --estimate", "--model nope --estimate"})
    EXPECT_EQ(run(std::string("tokens count ") + exact, "", "a").err, "") << exact;
}

TEST_F(TokensCommands, SaysWhichTextsItCouldNotCount) {
  write("a.txt", "hello world");
  const ProgramRun counted = run("tokens count --encoding o200k_base none.txt a.txt");
  EXPECT_EQ(counted.exit_code, 1);
  EXPECT_EQ(counted.out, "2  a.txt\n2  total\n");
  EXPECT_THAT(counted.err, HasSubstr("can't read none.txt: No such"));
  for (const char* line :
       {"tokens", "tokens count", "tokens count --encoding p50k_base", "tokens info",
        "tokens count --encoding o200k_base --margin", "tokens count --model '' a.txt",
        "tokens count --model gpt-4 --encoding o200k_base",
        "tokens count --encoding o200k_base --jsonl a.txt b.txt"})
    EXPECT_EQ(run(line).exit_code, 2) << line;
}

TEST_F(TokensCommands, CountsNoFileThatIsTooLarge) {
  write("large.txt", "");
  write("small.txt", "hello world");
  std::filesystem::resize_file(folder_ / "large.txt", (std::uintmax_t{256} << 20) + 1);
  const ProgramRun counted = run("tokens count --encoding o200k_base large.txt small.txt");
  EXPECT_EQ(counted.exit_code, 1);
  EXPECT_EQ(counted.out, "2  small.txt\n2  total\n");
  EXPECT_THAT(counted.err, HasSubstr("large.txt: more than 268435456 bytes; count it in parts"));
}

TEST_F(TokensCommands, TellsHowAModelIsCounted) {
  EXPECT_EQ(run("tokens info --model claude-sonnet-5").out,
            "model: claude-sonnet-5\nmodel_family: claude\nencoding_name: cl100k_base\n"
            "safety_margin: 1.15\nuse_exact_counting: false\nhas_api_client: false\n");
}

TEST_F(TokensCommands, AModelMayBeNamedAsTheConfigurationDoes) {
  write("c.yaml",
        "llm: {providers: {a: {protocol: anthropic, base_url: 'http://127.0.0.1:1'}},\n"
        "      models: {small: {provider: a, model_id: claude-sonnet-5}}}\n");
  const std::string text = "Why did March revenue fall in the north, and by how much?";
  const ProgramRun counted = run("tokens count --model small --margin --config c.yaml", "", text);
  EXPECT_EQ(counted.out, run("tokens count --model claude-sonnet-5 --margin", "", text).out);
  EXPECT_EQ(counted.exit_code, 0);
  EXPECT_THAT(counted.err, HasSubstr("model 'small' (claude-sonnet-5) is not counted exactly"));
  EXPECT_THAT(run("tokens info --model small --config c.yaml").out,
              HasSubstr("model: small\nmodel_family: claude\nencoding_name: cl100k_base\n"));
  EXPECT_THAT(run("tokens count --model small", "", text).err,
              HasSubstr("model 'small' is not known"))
      << "without that configuration";
}

TEST_F(TokensCommands, AnEncodingThatIsAskedForHoldsWhereThereIsADefaultModel) {
  write("c.yaml",
        "llm: {providers: {a: {protocol: anthropic, base_url: 'http://127.0.0.1:1'}},\n"
        "      models: {small: {provider: a, model_id: claude-sonnet-5}}, default_model: small}\n");
  const std::string text = "Разница между выручкой в марте и в апреле";
  const std::string plain = run("tokens count --encoding o200k_base", "", text).out;
  EXPECT_NE(plain, run("tokens count --encoding cl100k_base", "", text).out);
  const ProgramRun counted = run("tokens count --encoding o200k_base --config c.yaml", "", text);
  EXPECT_EQ(counted.out, plain);
  EXPECT_EQ(counted.err, "");
}

TEST_F(TokensCommands, CountsHereWhereTheProviderCanNotBeAsked) {
  write("c.yaml",
        "llm: {providers: {a: {protocol: anthropic, base_url: 'http://127.0.0.1:1'}},\n"
        "      models: {small: {provider: a, model_id: claude-sonnet-5}}}\n");
  const ProgramRun asked =
      run("tokens count --model claude-sonnet-5 --provider --config c.yaml", "", "hello world");
  EXPECT_EQ(asked.out, "2\n");
  EXPECT_THAT(asked.err, HasSubstr("counted here instead, with the margin"));
  EXPECT_THAT(run("tokens info --model small --config c.yaml").out,
              HasSubstr("has_api_client: true"));
  const ProgramRun nobody = run("tokens count --model gpt-4o --provider --config c.yaml", "", "a");
  EXPECT_EQ(nobody.exit_code, 1);
  EXPECT_THAT(nobody.err, HasSubstr("nobody can be asked about the tokens of 'gpt-4o'"));
}

TEST_F(TokensCommands, AProvidersOwnCountHasNoMarginAndOursInItsPlaceHasOne) {
  AsioLoop loop;
  HttpStub provider(loop.io);
  int status = 200;
  provider.on_request = [&](HttpStubConnection& connection, const HttpStub::Request&) {
    connection.answer(status, R"({"input_tokens":321})");
  };
  write("c.yaml", "llm: {providers: {a: {protocol: anthropic, base_url: '" + provider.url() +
                      "'}},\n"
                      "      models: {small: {provider: a, model_id: claude-sonnet-5}}}\n");
  std::string text = "hello world";
  for (int i = 1; i < 50; ++i) text += " hello world";
  const auto asked = [&] {
    const auto counted = loop.serve_while([&] {
      return run("tokens count --model claude-sonnet-5 --provider --config c.yaml", "", text);
    });
    return counted.value_or(ProgramRun{});
  };
  EXPECT_EQ(asked().out, "321\n");
  status = 401;
  const ProgramRun instead = asked();
  EXPECT_EQ(instead.out, "115\n");
  EXPECT_THAT(instead.err, HasSubstr("counted here instead, with the margin"));
  EXPECT_EQ(provider.requests.size(), 2U);
  EXPECT_EQ(run("tokens count --model claude-sonnet-5", "", text).out, "100\n");
}

TEST_F(TokensCommands, EncodersInForceArePrintedAndPrintedAlikeWhenReadAgain) {
  EXPECT_EQ(run("config print --encoders --no-origins").out, "encoders: {}\n");
  std::filesystem::create_directories(folder_ / "config");
  write("config/token_encoders.yaml", "encoders:\n  'mine-*': {safety_margin: 1.5}\n");
  const ProgramRun first = run("config print --encoders");
  EXPECT_EQ(first.exit_code, 0);
  EXPECT_THAT(first.out, HasSubstr("safety_margin: \"1.5\" "));
  EXPECT_THAT(first.out, HasSubstr(" # config/token_encoders.yaml:2\n"));
  const std::string plain = run("config print --encoders --no-origins").out;
  write("config/token_encoders.yaml", first.out);
  EXPECT_EQ(run("config print --encoders --no-origins").out, plain);
  const auto json = nlohmann::json::parse(run("config print --encoders --json").out);
  EXPECT_EQ(json["file"], "config/token_encoders.yaml");
  EXPECT_THAT(run("config print --help").out, HasSubstr("--encoders"));
  write("config/token_encoders.yaml", "encoders:\n  a: {safety_margin: 0.5}\n");
  const ProgramRun wrong = run("config print --encoders");
  EXPECT_EQ(wrong.exit_code, 78);
  EXPECT_THAT(wrong.err, HasSubstr("safety_margin must be >= 1.0"));
  write("config/token_encoders.yaml", "encoders:\n  a: {encoding_name: unheard}\n");
  const ProgramRun warned = run("config print --encoders");
  EXPECT_EQ(warned.exit_code, 0);
  EXPECT_THAT(warned.err, HasSubstr("warning: config/token_encoders.yaml:2: "
                                    "encoders.a.encoding_name: \"unheard\" is not known"));
}

TEST_F(TokensCommands, TheFirstFileOfEncodersThereIsHolds) {
  std::filesystem::create_directories(folder_ / "config");
  std::filesystem::create_directories(folder_ / "home/.ba-agent");
  const auto entry = [](const std::string& model, const std::string& margin) {
    return "encoders:\n  " + model + ": {safety_margin: " + margin + "}\n";
  };
  const auto info = [this](const std::string& variables) {
    return run("tokens info --model mine", variables).out;
  };
  const std::string home = "HOME='" + (folder_ / "home").string() + "'";
  EXPECT_THAT(info(home), HasSubstr("safety_margin: 1.20\n"));
  write("home/.ba-agent/token_encoders.yaml", entry("mine", "1.3"));
  EXPECT_THAT(info(home), HasSubstr("safety_margin: 1.30\n"));
  EXPECT_THAT(info(""), HasSubstr("safety_margin: 1.20\n")) << "whose home?";
  write("config/token_encoders.yml", entry("mine", "1.4"));
  EXPECT_THAT(info(home), HasSubstr("safety_margin: 1.40\n"));
  write("config/token_encoders.yaml", entry("mine", "1.5"));
  EXPECT_THAT(info(home), HasSubstr("safety_margin: 1.50\n"));
  write("config/token_encoders.yaml", entry("another", "1.5"));
  EXPECT_THAT(info(home), HasSubstr("safety_margin: 1.20\n")) << "the others are not read";
}

constexpr const char* kTokenizer = R"({
  "added_tokens": [{"id": 3, "content": "<s>", "special": true}],
  "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": false},
  "model": {"type": "BPE", "vocab": {"a": 0, "b": 1, "ab": 2}, "merges": ["a b"]}})";

TEST_F(TokensCommands, ATokenizerThatNoWorkerCouldReadIsAnErrorOfTheConfiguration) {
  write("c.yaml",
        "llm: {providers: {a: {protocol: openai_chat, base_url: 'http://127.0.0.1:1'}},\n"
        "      models: {own: {provider: a, model_id: mine-7b}}}\n");
  std::filesystem::create_directories(folder_ / "config");
  const std::string encoders =
      "encoders: {mine-*: {encoding_name: mine, encoder_params: {tokenizer_file: absent.json}}}\n";
  write("config/token_encoders.yaml", encoders);
  const ProgramRun checked = run("config check --config c.yaml");
  EXPECT_EQ(checked.exit_code, 78);
  EXPECT_THAT(checked.out, HasSubstr("the tokenizer of llm.models.own: can't read "));
  EXPECT_THAT(checked.out, HasSubstr("absent.json: No such file or directory"));
  write("config/token_encoders.yaml", "encoders: {}\n");
  EXPECT_EQ(run("config check --config c.yaml").exit_code, 0);
}

TEST_F(TokensCommands, CountsByATokenizerFile) {
  write("tokenizer.json", kTokenizer);
  EXPECT_EQ(run("tokens count --tokenizer tokenizer.json", "", "ab<s>b").out, "3\n");
  EXPECT_EQ(
      run("tokens count --tokenizer tokenizer.json --jsonl", "", "{\"id\":1,\"text\":\"ab\"}").out,
      "{\"id\":1,\"count\":1}\n");
  write("wrong.json", R"({"model": {"type": "WordPiece"}})");
  const ProgramRun refused = run("tokens count --tokenizer wrong.json");
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_THAT(refused.err,
              HasSubstr("wrong.json: model.type: 'WordPiece' is not supported; BPE is"));
  EXPECT_EQ(run("tokens count --tokenizer none.json").exit_code, 1);
  EXPECT_EQ(run("tokens count --tokenizer tokenizer.json --model gpt-4o").exit_code, 2);
}

TEST_F(TokensCommands, ReadsNoTokenizerFileThatIsTooLarge) {
  write("large.json", "");
  std::filesystem::resize_file(folder_ / "large.json", (std::uintmax_t{64} << 20) + 1);
  const ProgramRun refused = run("tokens count --tokenizer large.json");
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_THAT(refused.err, HasSubstr("large.json"));
}

TEST_F(TokensCommands, AFileOfEncodersHasTheLastWord) {
  std::filesystem::create_directory(folder_ / "config");
  write("config/tokenizer.json", kTokenizer);
  write("config/token_encoders.yaml",
        "encoders:\n  mine-*:\n    encoding_name: mine\n    safety_margin: 1.5\n"
        "    encoder_params: {tokenizer_file: tokenizer.json}\n");
  const ProgramRun own = run("tokens count --model mine-1 --margin", "", "ab<s>b");
  EXPECT_EQ(own.out, "4\n");  // 4.5
  EXPECT_EQ(own.err, "") << "it is counted by its own tokenizer";
  EXPECT_EQ(run("tokens info --model mine-1").out,
            "model: mine-1\nmodel_family: custom\nencoding_name: mine\nsafety_margin: 1.50\n"
            "use_exact_counting: false\nhas_api_client: false\n");
  write("config/token_encoders.yaml", "encoders:\n  mine:\n    safety_margin: 0.5\n");
  const ProgramRun refused = run("tokens info --model mine");
  EXPECT_EQ(refused.exit_code, 78);
  EXPECT_THAT(refused.err, HasSubstr("config/token_encoders.yaml:3: encoders.mine.safety_margin: "
                                     "0.5: safety_margin must be >= 1.0"));
  EXPECT_EQ(run("tokens count --encoding o200k_base", "", "hello world").out, "2\n");
}

}  // namespace
}  // namespace ba::cli

// SPDX-License-Identifier: Apache-2.0
#include "worker/cli/program/parse_arguments.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "worker/cli/artifacts/artifact_output.hpp"
#include "worker/cli/dead_letters/dlq_view.hpp"
#include "worker/cli/jobs/job_arguments.hpp"
#include "worker/cli/run_program.hpp"

namespace ba::cli {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

std::variant<CommandLine, NothingToRun> parse(std::vector<const char*> words) {
  static const std::vector<Command> commands = command_list();
  words.insert(words.begin(), "ba-agent");
  return parse_arguments(commands, static_cast<int>(words.size()), words.data());
}

/// The name of the command that the line chooses.
std::string chosen_by(std::vector<const char*> words) {
  const auto parsed = parse(std::move(words));
  if (const auto* nothing = std::get_if<NothingToRun>(&parsed)) return nothing->err + nothing->out;
  return std::get<CommandLine>(parsed).command->about.name;
}

template <typename A>
A arguments_of(std::vector<const char*> words) {
  const auto parsed = parse(std::move(words));
  if (const auto* nothing = std::get_if<NothingToRun>(&parsed)) {
    ADD_FAILURE() << nothing->err << nothing->out;
    return {};
  }
  return *std::any_cast<std::shared_ptr<A>>(std::get<CommandLine>(parsed).arguments);
}

NothingToRun nothing_of(std::vector<const char*> words) {
  auto parsed = parse(std::move(words));
  if (auto* nothing = std::get_if<NothingToRun>(&parsed)) return *nothing;
  ADD_FAILURE() << "it was accepted";
  return {};
}

constexpr const char* kArtifact = "artifact_0123456789abcdef0123456789abcdef";

TEST(ParseArguments, WrongLinesAreUsageErrors) {
  const std::vector<std::vector<const char*>> lines{
      {},
      {"nonsense"},
      {"topics"},
      {"show"},
      {"job"},
      {"job", "cancel"},
      {"job", "list", "--state", "asleep"},
      {"job", "list", "--outcome", "fine"},
      {"job", "list", "--newer-than", "5"},
      {"job", "resolve", "a"},
      {"job", "resolve", "--give-up"},
      {"job", "resolve", "a", "--happened", "--give-up"},
      {"job", "resolve", "a", "--give-up", "--result", "x"},
      {"job", "resolve", "a", "--happened", "--result", "x", "--result-file", "f"},
      {"dlq", "list", "--tenant"},
      {"dlq", "show", "a/j", "--tenant", "a"},
      {"dlq", "redrive"},
      {"dlq", "redrive", "a/j", "--tenant", "a"},
      {"submit"},
      {"submit", "q", "--file", "f"},
      {"submit", "q", "--lane", "fast"},
      {"submit", "q", "--timeout", "5"},
      {"submit", "q", "--wait", "--timeout", "x"},
      {"submit", "q", "--wait", "--timeout", "0"},
      {"submit", "q", "--wait", "--timeout", "nan"},
      {"submit", "q", "--wait", "--timeout", "10000001"},
      {"job", "list", "--max", "0"},
      {"job", "list", "--max", "100001"},
      {"dlq", "list", "--max", "0"},
      {"dlq", "list", "--max", "100001"},
      {"submit", "q", "--meta", "novalue"},
      {"results", "--max", "-1"},
      {"artifact"},
      {"artifact", "show"},
      {"artifact", "show", "1"},
      {"artifact", "show", kArtifact, "--data"},
      {"artifact", "show", kArtifact, "--range", "0-9"},
      {"artifact", "show", kArtifact, "--output", "f"},
      {"artifact", "show", kArtifact, "--tenant", "a", "--data", "--json"},
      {"artifact", "show", kArtifact, "--tenant", "a", "--data", "--range", "9-0"},
      {"artifact", "show", kArtifact, "--tenant", "a", "--data", "--range", "-5"},
      {"artifact", "list", "--limit", "0"},
      {"artifact", "list", "--limit", "10001"},
      {"artifact", "list", "--json", "--jsonl"},
      {"artifact", "list", "--tenant", ""},
      {"migrate", "--dry-run", "--status"},
      {"version", "extra"},
      {"version", "--set", "novalue"}};
  for (const auto& line : lines) {
    const NothingToRun refused = nothing_of(line);
    EXPECT_EQ(refused.exit_code, 2);
    EXPECT_THAT(refused.err, Not(IsEmpty()));
    EXPECT_THAT(refused.out, IsEmpty());
  }
}

TEST(ParseArguments, ArtifactsAreListedByWhatTheyBelongTo) {
  const auto plain = arguments_of<ArtifactListArguments>({"artifact", "list"});
  EXPECT_EQ(plain.rows_max, 100);
  const auto some =
      arguments_of<ArtifactListArguments>({"artifact", "list", "--tenant", "acme", "--conversation",
                                           "talk", "--job", "j", "--limit", "5", "--jsonl"});
  EXPECT_EQ(some.tenant, "acme");
  EXPECT_EQ(some.conversation, "talk");
  EXPECT_EQ(some.job, "j");
  EXPECT_EQ(some.rows_max, 5);
  EXPECT_TRUE(some.jsonl);
}

TEST(ParseArguments, AnArtifactsDataIsAskedForWithItsTenantAndARange) {
  const auto known = arguments_of<ArtifactShowArguments>({"artifact", "show", kArtifact});
  EXPECT_EQ(known.id, kArtifact);
  EXPECT_FALSE(known.data);
  const auto part = arguments_of<ArtifactShowArguments>(
      {"artifact", "show", kArtifact, "--tenant", "acme", "--data", "--range", "10-19"});
  EXPECT_TRUE(part.data);
  EXPECT_EQ(part.range, (ByteRange{10, 19}));
  const auto rest =
      arguments_of<ArtifactShowArguments>({"artifact", "show", kArtifact, "--tenant", "acme",
                                           "--data", "--range", "10-", "--output", "f"});
  EXPECT_EQ(rest.range, (ByteRange{10, std::nullopt}));
  EXPECT_EQ(rest.output, "f");
  EXPECT_THAT(nothing_of({"artifact", "show", "artifact_1"}).err,
              AllOf(HasSubstr("artifact_1"), HasSubstr("ba-agent artifact list")));
  EXPECT_THAT(nothing_of({"artifact", "show", kArtifact, "--data"}).err, HasSubstr("--tenant"));
}

TEST(ParseArguments, AWordThatIsNotKnownIsNamedWithTheNearestOne) {
  EXPECT_EQ(nothing_of({"wrker"}).err,
            "ba-agent: unknown command \"wrker\"; did you mean \"worker\"?\n");
  EXPECT_EQ(nothing_of({"wrker", "--help"}).err,
            "ba-agent: unknown command \"wrker\"; did you mean \"worker\"?\n");
  EXPECT_EQ(
      nothing_of({"topics", "wat"}).err,
      "ba-agent: unknown command \"wat\"; the commands of ba-agent topics are: create, verify\n");
  EXPECT_EQ(nothing_of({"topics", "verfy", "--json"}).err,
            "ba-agent: unknown command \"verfy\"; did you mean \"verify\"?\n");
  EXPECT_EQ(nothing_of({"show", "j", "--jsn"}).err,
            "ba-agent: unknown option \"--jsn\" of ba-agent show; did you mean \"--json\"?\n");
  EXPECT_EQ(
      nothing_of({"--cnfig=x", "version"}).err,
      "ba-agent: unknown option \"--cnfig=x\" of ba-agent version; did you mean \"--config\"?\n");
  EXPECT_EQ(nothing_of({"version", "extra"}).err,
            "ba-agent: unexpected argument \"extra\" of ba-agent version; see `ba-agent version "
            "--help`\n");
  EXPECT_THAT(nothing_of({"--zzzzzzzz"}).err, HasSubstr("unknown option \"--zzzzzzzz\""));
}

TEST(ParseArguments, EveryUsageErrorHasOneForm) {
  EXPECT_EQ(nothing_of({"show"}).err, "ba-agent: job is required; see `ba-agent show --help`\n");
  for (const std::vector<const char*>& line : {std::vector<const char*>{},
                                               {"topics"},
                                               {"submit", "q", "--lane", "fast"},
                                               {"results", "--max", "18446744073709551616"},
                                               {"results", "--max", "-1"},
                                               {"job", "fork", "j", "--round", "-1"},
                                               {"version", "--set", "novalue"}}) {
    const std::string said = nothing_of(line).err;
    EXPECT_EQ(said.rfind("ba-agent: ", 0), 0U) << said;
    EXPECT_THAT(said, HasSubstr("; see `ba-agent"));
    EXPECT_THAT(said, Not(HasSubstr("e+"))) << "a range that nobody can read";
    EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 1) << said;
  }
}

TEST(ParseArguments, WhatIsNoNumberIsNotCalledTooLargeOne) {
  EXPECT_THAT(nothing_of({"results", "--max", "abc"}).err,
              HasSubstr("\"abc\" is no whole number (0 to 1000000000)"));
  EXPECT_THAT(nothing_of({"results", "--max", ""}).err, HasSubstr("\"\" is no whole number"));
  EXPECT_THAT(nothing_of({"results", "--max", "1.5"}).err, HasSubstr("is no whole number"));
  EXPECT_THAT(nothing_of({"job", "list", "--max", "0"}).err,
              HasSubstr("0 is not in the range 1 to 100000"));
  EXPECT_THAT(nothing_of({"job", "list", "--max", "99999999999"}).err,
              HasSubstr("99999999999 is not in the range 1 to 100000"));
}

TEST(ParseArguments, AnEmptyTenantIsNoTenant) {
  for (const std::vector<const char*>& line :
       {std::vector<const char*>{"submit", "q", "--tenant", ""},
        {"show", "j", "--tenant", ""},
        {"job", "list", "--tenant", ""},
        {"dlq", "list", "--tenant", ""},
        {"results", "--tenant", ""},
        {"submit", "q", "--job-id", ""}}) {
    const NothingToRun refused = nothing_of(line);
    EXPECT_EQ(refused.exit_code, 2) << line[0];
    EXPECT_THAT(refused.err, HasSubstr("must not be empty: is a variable empty?"));
  }
}

TEST(ParseArguments, AnUnknownReasonOrSpanIsRefusedWithWhatThereIs) {
  EXPECT_THAT(nothing_of({"dlq", "list", "--reason", "BOGUS"}).err,
              AllOf(HasSubstr("\"BOGUS\" is no reason; there are: EMPTY_RECORD, TOO_LARGE"),
                    HasSubstr("ATTEMPTS_EXHAUSTED")));
  for (const char* text : {"abc", "", "nan", "1s"})
    EXPECT_THAT(nothing_of({"submit", "q", "--wait", "--timeout", text}).err,
                HasSubstr("is no number of seconds (0.001 to 10000000)"));
  EXPECT_THAT(nothing_of({"submit", "q", "--wait", "--timeout", "0"}).err,
              HasSubstr("0 is not in the range 0.001 to 10000000"));
}

TEST(ParseArguments, AWordThatIsTooLongIsCut) {
  const std::string word(100'000, 'x');
  EXPECT_LT(nothing_of({word.c_str()}).err.size(), 320U);
  EXPECT_LT(nothing_of({"job", "list", "--state", word.c_str()}).err.size(), 600U);
  const std::string lines = "a\nb";
  EXPECT_THAT(nothing_of({lines.c_str()}).err, Not(HasSubstr("a\nb")));
}

TEST(ParseArguments, AnArgumentThatIsNotUtf8IsRefusedWithItsPlace) {
  for (const std::vector<const char*>& line : {std::vector<const char*>{"submit", "caf\xe9?"},
                                               std::vector<const char*>{"show", "caf\xe9?"}}) {
    const NothingToRun refused = nothing_of(line);
    EXPECT_EQ(refused.exit_code, 2);
    EXPECT_EQ(
        refused.err,
        "ba-agent: argument 2: byte 3 is not valid UTF-8: \"caf\\xe9?\"; arguments must be UTF-8 "
        "(iconv -t UTF-8 converts)\n");
  }
}

TEST(ParseArguments, ReadsSubmit) {
  const auto submit = arguments_of<SubmitArguments>(
      {"submit",         "one",    "two",     "--tenant", "t",         "--job-id", "j",
       "--conversation", "c",      "--agent", "a",        "--lane",    "high",     "--meta",
       "k=v=w",          "--meta", "l=",      "--wait",   "--timeout", "1.5",      "--json"});
  EXPECT_THAT(submit.questions, ElementsAre("one", "two"));
  EXPECT_EQ(submit.tenant, "t");
  EXPECT_EQ(submit.job_id, "j");
  EXPECT_EQ(submit.conversation, "c");
  EXPECT_EQ(submit.agent, "a");
  EXPECT_EQ(submit.lane, "high");
  EXPECT_EQ(submit.metadata, (std::map<std::string, std::string>{{"k", "v=w"}, {"l", ""}}));
  EXPECT_TRUE(submit.wait);
  EXPECT_TRUE(submit.json);
  EXPECT_EQ(submit.timeout, Milliseconds(1500));
  EXPECT_EQ(arguments_of<SubmitArguments>({"submit", "q", "--answer-schema", "s.json"})
                .answer_schema_file,
            "s.json");
  EXPECT_EQ(arguments_of<SubmitArguments>({"submit", "-"}).questions,
            std::vector<std::string>{"-"});
}

TEST(ParseArguments, ReadsTheOthers) {
  EXPECT_EQ(chosen_by({"topics", "create"}), "topics create");
  EXPECT_EQ(chosen_by({"topics", "verify", "--json"}), "topics verify");
  EXPECT_EQ(chosen_by({"config", "print", "--no-origins"}), "config print");
  EXPECT_EQ(chosen_by({"doctor", "--call"}), "doctor");
  EXPECT_TRUE(arguments_of<ShowArguments>({"show", "j", "--full"}).full);
  EXPECT_EQ(arguments_of<ShowArguments>({"show", "j"}).tenant, "");
  EXPECT_EQ(arguments_of<ResultsArguments>({"results", "--max", "3"}).results_max, 3U);
  EXPECT_EQ(arguments_of<ResultsArguments>({"results"}).tenant, "");
  EXPECT_EQ(arguments_of<ResultsArguments>({"results", "--tenant", "acme"}).tenant, "acme");
}

TEST(ParseArguments, GlobalFlagsStandAnywhere) {
  for (const std::vector<const char*>& line :
       {std::vector<const char*>{"--config", "f", "--set", "a.b=c=d", "--log-level", "debug",
                                 "version"},
        std::vector<const char*>{"version", "--config", "f", "--set", "a.b=c=d", "--log-level",
                                 "debug"}}) {
    const auto parsed = parse(line);
    const auto* arguments = std::get_if<CommandLine>(&parsed);
    ASSERT_NE(arguments, nullptr);
    EXPECT_EQ(arguments->config_file, "f");
    ASSERT_EQ(arguments->overrides.size(), 2U);
    EXPECT_EQ(arguments->overrides[0].path, "a.b");
    EXPECT_EQ(arguments->overrides[0].value, "c=d");
    EXPECT_EQ(arguments->overrides[1].path, "observability.log_level");
  }
}

TEST(ParseArguments, TheVersionIsAnOptionToo) {
  for (const std::vector<const char*>& line :
       {std::vector<const char*>{"--version"}, {"worker", "--version"}}) {
    const NothingToRun told = nothing_of(line);
    EXPECT_EQ(told.exit_code, 0);
    EXPECT_EQ(told.err, "");
    EXPECT_EQ(told.out, version_text(version_facts()) + "\n");
  }
  EXPECT_EQ(version_text({"1.2.3", "abc", 24, "2.1"}),
            "ba-agent 1.2.3 (abc), database schema 24, messages 2.1");
  EXPECT_GE(version_facts().database_schema, 24);
}

TEST(ParseArguments, AFlagOfTheLogTakesItsOwnValuesOnly) {
  for (const auto& [flag, value, allowed] :
       {std::tuple{"--log-level", "loud", "one of debug, info, warning, error, critical"},
        std::tuple{"--log-level", "", "one of debug, info"},
        std::tuple{"--log-format", "xml", "one of json, text"}}) {
    const NothingToRun told = nothing_of({"version", flag, value});
    EXPECT_EQ(told.exit_code, 2) << value;
    EXPECT_THAT(told.err, HasSubstr(std::string(flag) + ": \"" + value + "\" is not allowed"));
    EXPECT_THAT(told.err, HasSubstr(allowed));
  }
  EXPECT_THAT(nothing_of({"version", "--log-level", "eror"}).err,
              HasSubstr("did you mean \"error\"?"));
  EXPECT_TRUE(std::holds_alternative<CommandLine>(parse({"version", "--log-level", "WARNING"})));
}

TEST(ParseArguments, AKeyOfSetIsWrittenWhole) {
  for (const char* pair : {"agents.\"x.model=m", "agents.\"x\"y.model=m"}) {
    const NothingToRun told = nothing_of({"version", "--set", pair});
    EXPECT_EQ(told.exit_code, 2) << pair;
    EXPECT_THAT(told.err, HasSubstr("the second quote is missing")) << pair;
    EXPECT_THAT(told.err, HasSubstr("a.\"b.c\".d")) << pair;
  }
  for (const char* pair :
       {"agents.\"\".model=m", "agents..model=m", ".a=m", "kafka.properties.=1"}) {
    const NothingToRun told = nothing_of({"version", "--set", pair});
    EXPECT_EQ(told.exit_code, 2) << pair;
    EXPECT_THAT(told.err, HasSubstr("one of its keys is empty")) << pair;
  }
}

TEST(ParseArguments, ALongArgumentIsNotRepeatedWhole) {
  const std::string letters(100'000, 'a');
  for (const std::string& pair : {letters, "agents.\"" + letters + "=m", letters + ".api_key=m"}) {
    const std::string said = nothing_of({"version", "--set", pair.c_str()}).err;
    EXPECT_THAT(said, HasSubstr("--set: ")) << said.size();
    EXPECT_LT(said.size(), 500U);
  }
  EXPECT_THAT(nothing_of({"version", "--set", letters.c_str()}).err, HasSubstr("is not key=value"));
}

TEST(ParseArguments, AnEmptyNameOfAConfigurationFileIsNoConfiguration) {
  const auto told = nothing_of({"version", "--config", ""});
  EXPECT_EQ(told.exit_code, 2);
  EXPECT_THAT(told.err, HasSubstr("--config"));
  EXPECT_THAT(told.err, HasSubstr("names no file"));
}

TEST(ParseArguments, SecretsDoNotBelongOnACommandLine) {
  for (const char* pair :
       {"llm.providers.a.api_key=x", "llm.providers.a.headers.x-auth=y",
        "kafka.properties.sasl.password=x", "kafka.properties.ssl.key.pem=x",
        "kafka.properties.sasl.oauthbearer.config=x", "kafka.properties.\"sasl.password\"=x",
        "llm.providers.a.\"api_key\"=x", "llm.providers.\"a.b\".headers.x=y",
        "llm.providers={a: {api_key: x}}", "llm={providers: {a: {headers: {x: y}}}}",
        "kafka.properties={sasl.password: x}", "mcp.servers={a: {env: {KEY: x}}}"})
    EXPECT_THAT(nothing_of({"version", "--set", pair}).err, HasSubstr("is a secret")) << pair;
  for (const char* pair :
       {"postgres.url=postgresql://u:hunter2@h/d", "postgres.url=host=h password=hunter2",
        "llm.providers.a.proxy=http://u:hunter2@h"}) {
    const std::string said = nothing_of({"version", "--set", pair}).err;
    EXPECT_THAT(said, HasSubstr("holds a password")) << pair;
    EXPECT_THAT(said, Not(HasSubstr("hunter2")));
  }
}

TEST(ParseArguments, WhatIsNoSecretMayBeSet) {
  for (const char* pair :
       {"postgres.url=postgresql://u@h/d", "kafka.properties.security.protocol=SSL",
        "llm.providers.a.api_key_file=/run/key", "limits.tokens_per_job_max=5",
        "llm.providers={a: {api_key_file: /run/key}}", "kafka.properties={security.protocol: SSL}",
        "agents.default.tools=['a', \"b\"]", "agents.default.tools=[a"})
    EXPECT_TRUE(std::holds_alternative<CommandLine>(parse({"version", "--set", pair}))) << pair;
}

TEST(ParseArguments, JobsAreSteeredByTheirIds) {
  const auto cancel = arguments_of<JobControlArguments>({"job", "cancel", "a", "b", "--by", "ann"});
  EXPECT_EQ(cancel.action, JobAction::Cancel);
  EXPECT_THAT(cancel.jobs, ElementsAre("a", "b"));
  EXPECT_EQ(cancel.tenant, "") << "the id may name it";
  EXPECT_EQ(cancel.by, "ann");
  EXPECT_EQ(arguments_of<JobControlArguments>({"job", "resume", "a", "--tenant", "acme"}).tenant,
            "acme");
}

TEST(ParseArguments, ACallIsResolvedByOneOfThreeVerdicts) {
  const auto happened = arguments_of<JobResolveArguments>(
      {"job", "resolve", "a", "--call", "c1", "--happened", "--result", "{}", "--by", "ann"});
  EXPECT_EQ(happened.job, "a");
  EXPECT_EQ(happened.call, "c1");
  EXPECT_EQ(happened.verdict, CallVerdict::Happened);
  EXPECT_EQ(happened.result, "{}");
  EXPECT_EQ(happened.by, "ann");
  const auto not_so =
      arguments_of<JobResolveArguments>({"job", "resolve", "a", "--did-not-happen"});
  EXPECT_EQ(not_so.verdict, CallVerdict::DidNotHappen);
  EXPECT_EQ(not_so.result, std::nullopt);
  EXPECT_EQ(arguments_of<JobResolveArguments>({"job", "resolve", "a", "--give-up"}).verdict,
            CallVerdict::GiveUp);
  EXPECT_EQ(arguments_of<JobResolveArguments>(
                {"job", "resolve", "a", "--happened", "--result-file", "answer.json"})
                .result_file,
            "answer.json");
}

TEST(ParseArguments, DeadLettersAreChosenByTenantReasonAndAge) {
  const auto list = arguments_of<DlqArguments>({"dlq", "list", "--tenant", "acme", "--max", "7"});
  EXPECT_EQ(list.tenant, "acme");
  EXPECT_EQ(list.rows_max, 7);
  EXPECT_THAT(arguments_of<DlqArguments>({"dlq", "list"}).tenant, IsEmpty());
  const auto redrive = arguments_of<DlqRedriveArguments>(
      {"dlq", "redrive", "--tenant", "acme", "--reason", "BAD_JSON", "--since", "2h"});
  EXPECT_EQ(redrive.dlq.tenant, "acme");
  EXPECT_EQ(redrive.dlq.reason, "BAD_JSON");
  EXPECT_EQ(redrive.dlq.since, Milliseconds(7'200'000));
}

TEST(ParseArguments, JobsAreListedByStateOutcomeAndAge) {
  const auto list =
      arguments_of<JobListArguments>({"job", "list", "--outcome", "failed", "--newer-than", "7d",
                                      "--older-than", "90s", "--json"});
  EXPECT_EQ(list.outcome, "failed");
  EXPECT_EQ(list.newer_than, Milliseconds(7LL * 86'400'000));
  EXPECT_EQ(list.older_than, Milliseconds(90'000));
  EXPECT_TRUE(list.json);
}

TEST(ParseArguments, AnOutcomeGivenAsAStateIsToldItsOption) {
  EXPECT_THAT(nothing_of({"job", "list", "--state", "completed"}).err,
              HasSubstr("\"completed\" is an outcome, no state: give --outcome completed"));
  EXPECT_THAT(nothing_of({"job", "list", "--outcome", "running"}).err,
              HasSubstr("\"running\" is a state, no outcome: give --state running"));
  EXPECT_THAT(nothing_of({"job", "list", "--state", "asleep"}).err,
              HasSubstr("there are: ready, running, paused, waiting, finished"));
  EXPECT_THAT(nothing_of({"job", "list", "--outcome", "fine"}).err,
              HasSubstr("there are: completed, step_limit"));
}

}  // namespace
}  // namespace ba::cli

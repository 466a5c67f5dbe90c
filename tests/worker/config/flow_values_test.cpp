// SPDX-License-Identifier: Apache-2.0
// Lists and maps in one value: of --set, and of BA__SECTION__KEY.
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
using ::testing::Pair;

class FlowValues : public ConfigTest {
 protected:
  LoadedConfig set(const std::string& path, const std::string& value) {
    return load("", {}, {{"--set", path, value}});
  }

  LoadedConfig from_variable(const std::string& name, const std::string& value) {
    return load("", Environment{{{name, value}}});
  }
};

TEST_F(FlowValues, TheItemsOfAListLoseTheirQuotes) {
  for (const char* list : {R"(['a', "b, c", d])", R"([ "a" , 'b, c' , 'd', ])"}) {
    const LoadedConfig flag = set("context.decision_words", list);
    EXPECT_THAT(flag.findings.errors(), IsEmpty()) << list;
    EXPECT_THAT(flag.config.context.decision_words, ElementsAre("a", "b, c", "d")) << list;
    const LoadedConfig variable = from_variable("BA__CONTEXT__DECISION_WORDS", list);
    EXPECT_THAT(variable.findings.errors(), IsEmpty()) << list;
    EXPECT_THAT(variable.config.context.decision_words, ElementsAre("a", "b, c", "d")) << list;
  }
  EXPECT_THAT(set("context.decision_words", "[\"x\"]").config.context.decision_words,
              ElementsAre("x"));
  EXPECT_THAT(set("agents.a.tools", "[]").config.agents.at("a").tools, IsEmpty());
  EXPECT_THAT(set("context.decision_words", "a, b").config.context.decision_words,
              ElementsAre("a", "b"));
}

TEST_F(FlowValues, AVariableInTheFileGivesAListOfTextsAndNoOtherStructure) {
  const LoadedConfig list = load("context: {decision_words: \"${WORDS}\"}\n",
                                 Environment{{{"WORDS", R"(['a', "b, c"])"}}});
  EXPECT_THAT(list.findings.errors(), IsEmpty());
  EXPECT_THAT(list.config.context.decision_words, ElementsAre("a", "b, c"));
  EXPECT_THAT(load("observability: {extra_tags: \"${TAGS}\"}\n", Environment{{{"TAGS", "{a: b}"}}})
                  .findings.errors(),
              ElementsAre(HasSubstr("observability.extra_tags: must be a map of texts")));
}

TEST_F(FlowValues, MapsAndListsOfMapsAreReadWhereASectionTakesThem) {
  const LoadedConfig tags = set("observability.extra_tags", R"({team: 'a, b', "x": "1"})");
  EXPECT_THAT(tags.findings.errors(), IsEmpty());
  EXPECT_THAT(tags.config.observability.extra_tags,
              ElementsAre(Pair("team", "a, b"), Pair("x", "1")));
  const LoadedConfig roots = from_variable(
      "BA__TOOLS__FILES__ROOTS", R"([{name: data, path: "/srv/a"}, {name: b, path: /c}])");
  EXPECT_THAT(roots.findings.errors(), IsEmpty());
  ASSERT_EQ(roots.config.tools.of<files::FilesConfig>().roots.size(), 2U);
  EXPECT_EQ(roots.config.tools.of<files::FilesConfig>().roots[0].path, "/srv/a");
  const LoadedConfig section = from_variable("BA__HTTP", "{port: 17, enabled: false}");
  EXPECT_THAT(section.findings.errors(), IsEmpty());
  EXPECT_EQ(section.config.http.port, 17);
  EXPECT_EQ(setting(section, "http.port")->origin.text(), "environment BA__HTTP");
  const LoadedConfig agents = set("agents", "{a: {tools: [x, 'y z']}, b: {}}");
  EXPECT_THAT(agents.config.agents.at("a").tools, ElementsAre("x", "y z"));
  EXPECT_EQ(agents.config.agents.count("b"), 1U);
}

TEST_F(FlowValues, OneEntryOfAMapOfSectionsIsReadToo) {
  for (const LoadedConfig& loaded :
       {set("agents.a", "{tools: [query_database, 'x y']}"),
        from_variable("BA__AGENTS__A", "{tools: [query_database, 'x y']}")}) {
    EXPECT_THAT(loaded.findings.errors(), IsEmpty());
    EXPECT_THAT(loaded.config.agents.at("a").tools, ElementsAre("query_database", "x y"));
  }
  const LoadedConfig server = from_variable("BA__MCP__SERVERS__DOCS", "{url: 'http://h/mcp'}");
  EXPECT_THAT(server.findings.errors(), IsEmpty());
  ASSERT_EQ(server.config.mcp.servers.size(), 1U);
  EXPECT_EQ(server.config.mcp.servers[0].url, "http://h/mcp");
  EXPECT_EQ(setting(server, "mcp.servers.docs.url")->origin.text(),
            "environment BA__MCP__SERVERS__DOCS");
  const LoadedConfig tool = set("tools.settings.web_search", "{timeout_ms: 1000}");
  EXPECT_THAT(tool.findings.errors(), IsEmpty());
  EXPECT_EQ(setting(tool, "tools.settings.web_search.timeout_ms")->value_json, "1000");
  EXPECT_THAT(set("agents.a", "[x]").findings.errors(),
              ElementsAre("flag --set: agents.a: must be a map of keys and values"));
  EXPECT_THAT(set("agents.a", "{tolls: [x]}").findings.errors(),
              ElementsAre(HasSubstr("flag --set: agents.a.tolls: unknown key")));
  EXPECT_THAT(set("agents.a", "{tools: [x]").findings.errors(),
              ElementsAre(HasSubstr("flag --set: agents.a: can't be read as a list or map: ")));
}

TEST_F(FlowValues, AProviderInOneValueIsLentOnlyTheKeyOfItsOwner) {
  const auto key_of = [&](const std::string& provider) {
    const LoadedConfig loaded = load("", Environment{{{"BA__LLM__PROVIDERS__P", provider},
                                                      {"ANTHROPIC_API_KEY", "sk-a"},
                                                      {"OPENAI_API_KEY", "sk-o"}}});
    return loaded.config.llm.providers.at(0).api_key.reveal();
  };
  EXPECT_EQ(key_of("{protocol: anthropic}"), "sk-a");
  EXPECT_EQ(key_of("{protocol: openai_chat}"), "sk-o");
  EXPECT_EQ(key_of("{protocol: openai_chat, base_url: 'http://other:1'}"), "");
  EXPECT_EQ(key_of("{protocol: openai_chat, api_key: own}"), "own");
}

TEST_F(FlowValues, AValueInsideAMapThatWasGivenInOneIsAddedToIt) {
  const LoadedConfig loaded = load("", {},
                                   {{"--set", "observability.extra_tags", "{team: a}"},
                                    {"--set", "observability.extra_tags.region", "eu"}});
  EXPECT_THAT(loaded.config.observability.extra_tags,
              ElementsAre(Pair("region", "eu"), Pair("team", "a")));
  const LoadedConfig models =
      load("", Environment{{{"BA__LLM",
                             "{providers: {p: {protocol: anthropic}}, models: {m: "
                             "{provider: p}}, default_model: m}"},
                            {"ANTHROPIC_API_KEY", "sk-lent"}}});
  EXPECT_THAT(models.findings.errors(), IsEmpty());
  ASSERT_EQ(models.config.llm.providers.size(), 1U);
  EXPECT_EQ(models.config.llm.providers[0].api_key.reveal(), "sk-lent");
}

TEST_F(FlowValues, ATextMayLookLikeAListOrMap) {
  const LoadedConfig loaded = set("agents.a.system_prompt", "[INST] {x} 'y'");
  EXPECT_THAT(loaded.findings.errors(), IsEmpty());
  EXPECT_EQ(loaded.config.agents.at("a").system_prompt, "[INST] {x} 'y'");
}

TEST_F(FlowValues, WhatIsNoValidListNamesKeyOriginAndValue) {
  for (const char* value : {"[a, 'b", "[a] b", "[a, b", "[a, [b]", "{a: b", "[!x a]"})
    EXPECT_THAT(set("context.decision_words", value).findings.errors(),
                ElementsAre(AllOf(HasSubstr("flag --set: context.decision_words: "),
                                  HasSubstr(settings::quoted(value)))))
        << value;
  EXPECT_THAT(from_variable("BA__CONTEXT__DECISION_WORDS", "[a, 'b").findings.errors(),
              ElementsAre(AllOf(
                  HasSubstr("environment BA__CONTEXT__DECISION_WORDS: context.decision_words: "
                            "\"[a, 'b\" can't be read as a list or map: a text in quotes isn't "
                            "closed: a ' is missing; "),
                  HasSubstr("write it as YAML does on one line: [a, \"b, c\"]"))));
  EXPECT_THAT(set("observability.extra_tags", "{a: b").findings.errors(),
              ElementsAre(HasSubstr("observability.extra_tags: \"{a: b\" can't be read")));
  EXPECT_THAT(set("context.decision_words", "[[a]]").findings.errors(),
              ElementsAre(HasSubstr("each item must be a text")));
  EXPECT_THAT(set("context.decision_words", "{a: b}").findings.errors(),
              ElementsAre(HasSubstr("is a map; must be a list of texts")));
  EXPECT_THAT(set("observability.extra_tags", "[a]").findings.errors(),
              ElementsAre(HasSubstr("must be a map of texts")));
  EXPECT_THAT(set("tools.data_sources", "analytics").findings.errors(),
              ElementsAre("flag --set: tools.data_sources: must be a list (\"- …\")"));
}

TEST_F(FlowValues, WhatIsNotClosedIsSaidInWords) {
  const std::pair<const char*, const char*> cases[] = {
      {"[1, 2", "the list isn't closed: a ] is missing"},
      {"[don't, {a: b}", "the list isn't closed: a ] is missing"},
      {"[a, 'it''s [', ", "the list isn't closed: a ] is missing"},
      {"{a: [1, 2]", "the map isn't closed: a } is missing"},
      {"{a: [1, 2}", "the list isn't closed: a ] is missing"},
      {"{a: b]}", "a ] closes no list; write it as"},
      {"[{a: b}, c}]", "a } closes no map; write it as"},
      {"[a, \"b\\\"]", "a text in quotes isn't closed: a \" is missing"}};
  for (const auto& [value, said] : cases)
    EXPECT_THAT(set("skills.roots", value).findings.errors(),
                ElementsAre(HasSubstr(std::string("can't be read as a list or map: ") + said)))
        << value;
  EXPECT_THAT(set("skills.roots", "[a] b").findings.errors(),
              ElementsAre(Not(HasSubstr("isn't closed"))));
}

TEST_F(FlowValues, WhatMayHoldSecretsIsNotRepeated) {
  for (const char* variable : {"BA__LLM__PROVIDERS", "BA__LLM", "BA__TOOLS__DATA_SOURCES",
                               "BA__KAFKA__PROPERTIES", "BA__OBSERVABILITY__OTLP_HEADERS"})
    EXPECT_THAT(from_variable(variable, "{a: {api_key: hunter2").findings.errors(),
                ElementsAre(AllOf(HasSubstr(std::string("environment ") + variable + ": "),
                                  HasSubstr(": can't be read as a list or map: "),
                                  Not(HasSubstr("hunter2")))))
        << variable;
  for (const char* variable : {"BA__LLM__PROVIDERS__P", "BA__MCP__SERVERS__DOCS"})
    for (const char* value : {"{api_key: hunter2", "[hunter2]", "hunter2"})
      EXPECT_THAT(from_variable(variable, value).findings.errors(),
                  AllOf(Contains(HasSubstr(std::string("environment ") + variable + ": ")),
                        Each(Not(HasSubstr("hunter2")))))
          << variable << " " << value;
}

TEST_F(FlowValues, WhatIsInThemIsText) {
  EXPECT_THAT(from_variable("BA__AGENTS__A", R"({system_prompt: "b\0c"})").findings.errors(),
              ElementsAre(HasSubstr("agents.a.system_prompt: holds a NUL character")));
  EXPECT_THAT(from_variable("BA__OBSERVABILITY__EXTRA_TAGS", R"({a: "b\0c"})").findings.errors(),
              ElementsAre(HasSubstr("observability.extra_tags.a: holds a NUL character")));
}

}  // namespace
}  // namespace ba::config

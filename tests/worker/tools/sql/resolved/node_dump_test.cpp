// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/sql/resolved/node_dump.hpp"

#include <gtest/gtest.h>

#include "worker/tools/sql/resolved/resolved_statement.hpp"

namespace ba::sql {
namespace {

TEST(NodeDump, ReadsNodesListsAndConstants) {
  const auto tree = read_node_dump(
      "({FUNCEXPR :funcid 2022 :args ({CONST :consttype 23 :constvalue 4 [ 1 -1 0 0 ]} <>)\n"
      ":location 22} {ROW})");
  ASSERT_TRUE(tree) << tree.error().message;
  ASSERT_EQ(tree->items.size(), 2u);
  const DumpValue& call = tree->items[0];
  EXPECT_TRUE(call.is_node("FUNCEXPR"));
  EXPECT_EQ(call.number_of("funcid"), 2022u);
  EXPECT_EQ(call.number_of("nothing"), 0u);
  const DumpValue& arguments = *call.field("args");
  EXPECT_EQ(arguments.items[0].field("constvalue")->text, "4 [ 1 -1 0 0 ]");
  EXPECT_EQ(arguments.items[1].kind, DumpValue::Kind::Nothing);
  EXPECT_TRUE(tree->items[1].fields.empty());
}

/// PostgreSQL escapes brackets and blanks in names; a name may look like a key.
TEST(NodeDump, TakesNoNameForANode) {
  const auto tree = read_node_dump(
      R"({ALIAS :aliasname :funcid :colnames ("\{FUNCEXPR\ :funcid\ 1\}" ":opfuncid" "a\\") :x 5})");
  ASSERT_TRUE(tree) << tree.error().message;
  EXPECT_EQ(tree->field("aliasname")->text, ":funcid");
  EXPECT_EQ(tree->field("funcid"), nullptr);
  EXPECT_EQ(tree->field("colnames")->items.size(), 3u);
  EXPECT_EQ(tree->number_of("x"), 5u);
}

TEST(NodeDump, RefusesWhatIsNoDump) {
  for (const char* text : {"", "(", ")", "{", "{}", "{A", "{A b}", "{A :b}", "{A :b 1", "({A}",
                           "{A} {B}", "{A :b (}", "{A :}", "{( :b 1}"})
    EXPECT_FALSE(read_node_dump(text)) << text;
  EXPECT_FALSE(read_node_dump(std::string(20'000, '(')));
  const std::string deep = std::string(4'000, '(') + std::string(4'000, ')');
  EXPECT_TRUE(read_node_dump(deep));
}

TEST(ResolvedStatement, TellsWhatTheAuthorWroteFromWhatAnOwnerWrote) {
  ResolvedStatement found;
  ASSERT_TRUE(found.add_rewritten(
      "({QUERY :commandType 1 :rtable ({RTE :rtekind 1 :subquery {QUERY :commandType 1 :rtable "
      "({RTE :rtekind 0 :relid 20001 :relkind v :inFromCl false}) :targetList ({TARGETENTRY :expr "
      "{FUNCEXPR :funcid 30001}})}} {RTE :rtekind 0 :relid 20002 :relkind r :inFromCl true "
      ":securityQuals ({OPEXPR :opno 40001 :opfuncid 30002})}) :targetList ({TARGETENTRY :expr "
      "{FUNCEXPR :funcid 30003 :funcresulttype 4096}})})"));
  EXPECT_EQ(
      found.functions,
      (Uses{{30001, WrittenBy::Owner}, {30002, WrittenBy::Owner}, {30003, WrittenBy::Author}}));
  EXPECT_EQ(found.relations, (Uses{{20001, WrittenBy::Author}, {20002, WrittenBy::Author}}));
  EXPECT_EQ(found.operators, std::set<Oid32>{40001});
  EXPECT_EQ(found.types, std::set<Oid32>{4096});
  EXPECT_FALSE(found.unknown);
}

TEST(ResolvedStatement, KnowsTargetsColumnsAndSequences) {
  ResolvedStatement found;
  ASSERT_TRUE(found.add_rewritten(
      "({QUERY :commandType 3 :resultRelation 1 :rtable ({RTE :rtekind 0 :relid 20001 :relkind r "
      ":inh false}) :targetList ({TARGETENTRY :resno 2 :expr {FUNCEXPR :funcid 1574 :args ({CONST "
      ":consttype 2205 :constvalue 4 [ 58 64 0 0 0 0 0 0 ]})}} {TARGETENTRY :resno 3 :expr "
      "{NEXTVALUEEXPR :seqid 20009}}) :onConflict {ONCONFLICTEXPR :onConflictSet ({TARGETENTRY "
      ":resno 4})}})"));
  EXPECT_EQ(found.targets, (std::map<Oid32, std::set<unsigned>>{{20001, {2, 3}}}));
  EXPECT_EQ(found.written_columns.at(20001), (std::set<unsigned>{2, 3, 4}));
  EXPECT_EQ(found.sequences, (std::set<Oid32>{16442, 20009}));
  EXPECT_TRUE(found.only.empty());
}

TEST(ResolvedStatement, SaysWhatItDoesNotKnow) {
  for (const char* text :
       {"({QUERY :commandType 1 :targetList ({SUBPLAN :x 1})})",
        "({QUERY :commandType 6 :utilityStmt ?})", "({QUERY :commandType 4 :resultRelation 0})",
        "({QUERY :commandType 1 :targetList ({FUNCEXPR :funcid 1574 :args ({VAR :varattno "
        "1})})})"}) {
    ResolvedStatement found;
    ASSERT_TRUE(found.add_rewritten(text)) << text;
    EXPECT_TRUE(found.unknown) << text;
  }
}

}  // namespace
}  // namespace ba::sql

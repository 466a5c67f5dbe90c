// SPDX-License-Identifier: Apache-2.0
#include "tests/contract/artifact_store/artifact_store_contract.hpp"

#include <algorithm>
#include <iterator>

#include "pipeline/core/tool/artifact.hpp"
#include "pipeline/text/semantic/semantic_key.hpp"

namespace ba {

std::string ArtifactStoreContract::keep(LedgerJobId job, const std::string& data,
                                        const Position& call, const std::string& tenant) {
  const TenantId owner(tenant);
  const std::string id = artifact_id(owner, sha256_hex_of(data));
  const auto kept = await<ArtifactKept>([&](auto done) {
    rig_->store().keep({id, owner, job, call, data}, std::move(done));
  });
  EXPECT_TRUE(kept) << kept.error().message;
  kept_ = kept ? *kept : ArtifactKept::Stored;
  return id;
}

std::string ArtifactStoreContract::told(LedgerJobId job, const std::string& data,
                                        const Position& call) {
  const std::string id = keep(job, data, call);
  rig_->call(job, call, id);
  return id;
}

std::optional<std::string> ArtifactStoreContract::read(const std::string& id, LedgerJobId job,
                                                       const std::string& tenant) {
  const auto read = ask({id, TenantId(tenant), job});
  return read ? std::optional(read->data) : std::nullopt;
}

std::optional<ArtifactData> ArtifactStoreContract::ask(ArtifactQuestion question) {
  const auto data =
      await<ArtifactData>([&](auto done) { rig_->store().read(question, std::move(done)); });
  if (data) return *data;
  EXPECT_EQ(data.error().code, ErrorCode::NotFound) << data.error().message;
  return std::nullopt;
}

std::string ArtifactStoreContract::put(const std::string& upload, int items,
                                       const std::string& tenant) {
  std::string array = "[";
  for (int first = 0; first < items; first += 2) {
    DataChunk chunk{first / 2, first, std::min(2, items - first), std::to_string(first)};
    if (chunk.items == 2) chunk.data += "," + std::to_string(first + 1);
    array += (first > 0 ? "," : "") + chunk.data;
    EXPECT_TRUE(await<void>([&](auto done) {
      rig_->store().put({upload, TenantId(tenant), chunk}, std::move(done));
    }));
  }
  return array + "]";
}

Result<ArtifactKept> ArtifactStoreContract::keep_upload(LedgerJobId job, const std::string& upload,
                                                        const std::string& data, int chunks) {
  Artifact artifact;
  artifact.tenant = TenantId("acme");
  artifact.id = artifact_id(artifact.tenant, sha256_hex_of(data));
  artifact.job = job;
  artifact.position = {1, 1, 0};
  artifact.upload = upload;
  artifact.chunks = chunks;
  artifact.bytes = static_cast<std::int64_t>(data.size());
  return await<ArtifactKept>([&](auto done) { rig_->store().keep(artifact, std::move(done)); });
}

ArtifactCleaning ArtifactStoreContract::clean(const ArtifactRules& rules) {
  rig_->pass(Milliseconds(5));
  const auto cleaned =
      await<ArtifactCleaning>([&](auto done) { rig_->store().clean(rules, std::move(done)); });
  EXPECT_TRUE(cleaned) << cleaned.error().message;
  return cleaned ? *cleaned : ArtifactCleaning{};
}

// ---- reading -----------------------------------------------------------------------------------

TEST_P(ArtifactStoreContract, WhatIsKeptIsReadAsItWas) {
  const LedgerJobId job = rig_->job("acme", "talk");
  for (const std::string& data :
       {std::string(R"([{"käse":"\u0000"},"☃"])"), "\"" + std::string(3'000'000, 'x') + "\""})
    EXPECT_EQ(read(keep(job, data), job), data);
}

TEST_P(ArtifactStoreContract, TheSameContentIsStoredOnceAndKeepingItAgainIsSafe) {
  const LedgerJobId job = rig_->job("acme", "talk");
  const std::string id = keep(job, "[1]");
  EXPECT_EQ(kept_, ArtifactKept::Stored);
  EXPECT_EQ(keep(job, "[1]"), id);
  EXPECT_EQ(kept_, ArtifactKept::Again);
  EXPECT_EQ(keep(job, "[1]", {1, 2, 0}), id);
  EXPECT_EQ(kept_, ArtifactKept::Again);
  keep(job, "[2]", {1, 2, 1});
  EXPECT_EQ(kept_, ArtifactKept::Stored);
  EXPECT_EQ(read(id, job), "[1]");
  rig_->finish(job);
  EXPECT_EQ(clean(rules()).removed(), 2);
}

TEST_P(ArtifactStoreContract, OnlyTheConversationOfACallThatGaveItReadsAnArtifact) {
  const LedgerJobId job = rig_->job("acme", "talk");
  const LedgerJobId later = rig_->job("acme", "talk");
  const LedgerJobId stranger = rig_->job("acme", "other");
  const std::string id = keep(job, "[1]");
  EXPECT_EQ(read(id, later), "[1]");
  EXPECT_EQ(read(id, stranger), std::nullopt);
  EXPECT_EQ(keep(stranger, "[1]"), id);
  EXPECT_EQ(read(id, stranger), "[1]");
}

TEST_P(ArtifactStoreContract, AnotherTenantReadsNothingWhateverItNames) {
  const LedgerJobId job = rig_->job("acme", "talk");
  const LedgerJobId theirs = rig_->job("globex", "talk");
  const std::string id = keep(job, "[1]");
  EXPECT_EQ(read(id, theirs, "globex"), std::nullopt);
  EXPECT_EQ(read(id, theirs, "acme"), std::nullopt);
  EXPECT_EQ(read(id, job, "globex"), std::nullopt);
  EXPECT_NE(keep(theirs, "[1]", {1, 1, 0}, "globex"), id) << "the same content, another tenant's";
  EXPECT_EQ(read(id, theirs, "globex"), std::nullopt);
}

TEST_P(ArtifactStoreContract, ThereIsNoArtifactOfAnIdThatNobodyGave) {
  const LedgerJobId job = rig_->job("acme", "talk");
  EXPECT_EQ(read(artifact_id(TenantId("acme"), sha256_hex_of("x")), job), std::nullopt);
  EXPECT_EQ(read("", job), std::nullopt);
}

// ---- what came in chunks -----------------------------------------------------------------------

TEST_P(ArtifactStoreContract, ChunksAreReadAsTheArrayThatTheyAre) {
  const LedgerJobId job = rig_->job("acme", "talk");
  const std::string data = put("u1", 7);
  const std::string id = artifact_id(TenantId("acme"), sha256_hex_of(data));
  EXPECT_EQ(read(id, job), std::nullopt) << "nothing names them yet";
  EXPECT_EQ(keep_upload(job, "u1", data, 4).value(), ArtifactKept::Stored);
  EXPECT_EQ(read(id, job), data);
  EXPECT_EQ(read(id, rig_->job("acme", "other")), std::nullopt);
  put("u1", 7);  // repeated, after a lost answer
  EXPECT_EQ(read(id, job), data);
}

TEST_P(ArtifactStoreContract, OfChunksOnlyThoseOfARangeAreRead) {
  const LedgerJobId job = rig_->job("acme", "talk");
  const std::string data = put("u1", 7);
  ASSERT_TRUE(keep_upload(job, "u1", data, 4));
  const std::string id = artifact_id(TenantId("acme"), sha256_hex_of(data));
  const auto part = [&](std::int64_t first, std::int64_t count) {
    return ask({id, TenantId("acme"), job, ItemRange{first, count, 0}}).value();
  };
  EXPECT_EQ(part(3, 2).data, "[2,3,4,5]");
  EXPECT_EQ(part(3, 2).part, (ItemRange{2, 4, 7}));
  EXPECT_EQ(part(6, 100).data, "[6]");
  EXPECT_EQ(part(6, 100).part, (ItemRange{6, 1, 7}));
  EXPECT_EQ(part(7, 1).data, "[]");
  EXPECT_EQ(part(7, 1).part, (ItemRange{7, 0, 7}));
}

TEST_P(ArtifactStoreContract, WhatIsLargerThanAskedForIsHeldBackWithItsSize) {
  const LedgerJobId job = rig_->job("acme", "talk");
  const std::string data = put("u1", 7);
  ASSERT_TRUE(keep_upload(job, "u1", data, 4));
  const std::string id = artifact_id(TenantId("acme"), sha256_hex_of(data));
  const auto small = ask({id, TenantId("acme"), job, std::nullopt, std::ssize(data) - 1}).value();
  EXPECT_TRUE(small.held_back);
  EXPECT_EQ(small.data, "");
  EXPECT_EQ(small.bytes, std::ssize(data));
  EXPECT_EQ(ask({id, TenantId("acme"), job, std::nullopt, std::ssize(data)}).value().data, data);
}

TEST_P(ArtifactStoreContract, ChunksOfContentThatIsThereAlreadyAddOnlyAReference) {
  const LedgerJobId job = rig_->job("acme", "talk");
  const std::string data = put("u1", 4);
  ASSERT_EQ(keep_upload(job, "u1", data, 2).value(), ArtifactKept::Stored);
  const LedgerJobId other = rig_->job("acme", "other");
  put("u2", 4);
  EXPECT_EQ(keep_upload(other, "u2", data, 2).value(), ArtifactKept::Again);
  const std::string id = keep(rig_->job("acme", "third"), data);
  EXPECT_EQ(kept_, ArtifactKept::Again) << "the same, however it came";
  clean(rules());
  EXPECT_EQ(read(id, job), data);
  EXPECT_EQ(read(id, other), data);
}

TEST_P(ArtifactStoreContract, KeepingChunksASecondTimeIsSafe) {
  const LedgerJobId job = rig_->job("acme", "talk");
  const std::string data = put("u1", 4);
  ASSERT_EQ(keep_upload(job, "u1", data, 2).value(), ArtifactKept::Stored);
  ASSERT_EQ(keep_upload(job, "u1", data, 2).value(), ArtifactKept::Again) << "its answer was lost";
  ArtifactRules rules = this->rules();
  rules.uploads_after = Milliseconds(0);
  EXPECT_EQ(clean(rules).orphans, 0);
  const std::string id = artifact_id(TenantId("acme"), sha256_hex_of(data));
  EXPECT_EQ(read(id, job), data);
  EXPECT_EQ(ask({id, TenantId("acme"), job, ItemRange{2, 1, 0}}).value().data, "[2,3]");
}

TEST_P(ArtifactStoreContract, WhatCameWholeIsHeldBackToo) {
  const LedgerJobId job = rig_->job("acme", "talk");
  const std::string id = keep(job, "[1,2,3]");
  const auto held = ask({id, TenantId("acme"), job, std::nullopt, 6}).value();
  EXPECT_TRUE(held.held_back);
  EXPECT_EQ(held.bytes, 7);
  EXPECT_EQ(ask({id, TenantId("acme"), job, std::nullopt, 7}).value().data, "[1,2,3]");
}

TEST_P(ArtifactStoreContract, WhatCameWholeStaysWhenTheSameComesInChunks) {
  const LedgerJobId job = rig_->job("acme", "talk");
  const std::string data = put("u1", 4);
  const std::string id = keep(job, data);
  EXPECT_EQ(keep_upload(job, "u1", data, 2).value(), ArtifactKept::Again);
  EXPECT_EQ(read(id, job), data);
}

TEST_P(ArtifactStoreContract, AChunkThatIsPutAgainHasTheSameData) {
  const auto put_one = [&](const std::string& data) {
    return await<void>([&](auto done) {
      rig_->store().put({"u1", TenantId("acme"), DataChunk{0, 0, 1, data}}, std::move(done));
    });
  };
  EXPECT_TRUE(put_one("1"));
  EXPECT_TRUE(put_one("1")) << "its answer was lost";
  EXPECT_EQ(put_one("2").error().code, ErrorCode::Conflict) << "two runs in one artifact";
}

TEST_P(ArtifactStoreContract, NothingIsKeptOfChunksThatAreNotAllThere) {
  const LedgerJobId job = rig_->job("acme", "talk");
  const std::string data = put("u1", 4);
  EXPECT_EQ(keep_upload(job, "u1", data, 3).error().code, ErrorCode::NotFound);
  EXPECT_EQ(keep_upload(job, "u2", data, 2).error().code, ErrorCode::NotFound);
  put("u3", 4, "globex");
  EXPECT_EQ(keep_upload(job, "u3", data, 2).error().code, ErrorCode::NotFound) << "theirs";
  EXPECT_EQ(read(artifact_id(TenantId("acme"), sha256_hex_of(data)), job), std::nullopt);
}

TEST_P(ArtifactStoreContract, ChunksThatNoArtifactNamesGoWhenTheyAreOld) {
  const LedgerJobId job = rig_->job("acme", "talk");
  put("u1", 4);  // then its worker died
  const std::string data = put("u2", 6);
  ASSERT_TRUE(keep_upload(job, "u2", data, 3));
  ArtifactRules rules = this->rules();
  clean(rules);
  EXPECT_TRUE(keep_upload(job, "u1", put("u1", 4), 2)) << "they were young";
  put("u3", 4);
  rig_->pass(Milliseconds(20));
  rules.uploads_after = Milliseconds(1);
  EXPECT_EQ(clean(rules).orphans, 1);
  EXPECT_EQ(keep_upload(job, "u3", "[0,1,2,3,4]", 2).error().code, ErrorCode::NotFound);
  EXPECT_EQ(read(artifact_id(TenantId("acme"), sha256_hex_of(data)), job), data);
}

TEST_P(ArtifactStoreContract, ChunksGoWithTheirArtifact) {
  const LedgerJobId job = rig_->job("acme", "talk");
  const std::string data = put("u1", 4);
  ASSERT_TRUE(keep_upload(job, "u1", data, 2));
  rig_->call(job, {1, 1, 0}, artifact_id(TenantId("acme"), sha256_hex_of(data)));
  rig_->finish(job);
  ArtifactRules rules = this->rules();
  rules.max_age = Milliseconds(0);
  const ArtifactCleaning cleaning = clean(rules);
  EXPECT_EQ(cleaning.removed(), 1);
  EXPECT_EQ(cleaning.bytes, std::ssize(data));
  EXPECT_EQ(cleaning.orphans, 0);
  EXPECT_EQ(keep_upload(rig_->job("acme", "talk"), "u1", data, 2).error().code,
            ErrorCode::NotFound);
}

// ---- cleaning up -------------------------------------------------------------------------------

TEST_P(ArtifactStoreContract, WhatIsTooOldGoes) {
  const LedgerJobId job = rig_->job("acme", "talk");
  const std::string old = told(job, "[1]");
  rig_->finish(job);
  rig_->pass(Milliseconds(4000));
  const LedgerJobId next = rig_->job("acme", "next");
  const std::string fresh = told(next, "[2]");
  rig_->finish(next);
  ArtifactRules rules = this->rules();
  rules.max_age = Milliseconds(3500);  // 3.5 s for what comes behind the pause
  const ArtifactCleaning cleaning = clean(rules);
  EXPECT_EQ(cleaning.aged, 1);
  EXPECT_EQ(cleaning.removed(), 1);
  EXPECT_EQ(cleaning.bytes, 3);
  EXPECT_EQ(read(old, job), std::nullopt);
  EXPECT_EQ(read(fresh, next), "[2]");
}

TEST_P(ArtifactStoreContract, WhatIsMadeAgainIsYoungAgain) {
  const LedgerJobId job = rig_->job("acme", "talk");
  const std::string id = told(job, "[1]");
  rig_->pass(Milliseconds(4000));
  told(job, "[1]", {1, 2, 0});
  rig_->finish(job);
  ArtifactRules rules = this->rules();
  rules.max_age = Milliseconds(3500);
  EXPECT_EQ(clean(rules).removed(), 0);
  EXPECT_EQ(read(id, job), "[1]");
}

TEST_P(ArtifactStoreContract, WhatAnUnfinishedJobsConversationRefersToStaysHoweverOld) {
  const LedgerJobId job = rig_->job("acme", "talk");
  const std::string id = told(job, "[1]");
  rig_->finish(job);
  const LedgerJobId next = rig_->job("acme", "talk");
  ArtifactRules rules = this->rules();
  rules.max_age = Milliseconds(0);
  rules.remove_when_closed = true;
  rules.bytes_max = 0;
  EXPECT_EQ(clean(rules).removed(), 0);
  EXPECT_EQ(read(id, next), "[1]");
  rig_->finish(next);
  EXPECT_EQ(clean(rules).removed(), 1);
  EXPECT_EQ(read(id, next), std::nullopt);
}

TEST_P(ArtifactStoreContract, ANamedConversationIsNeverClosedAndItsArtifactsGoByAge) {
  const LedgerJobId job = rig_->job("acme", "talk");
  const LedgerJobId own = rig_->job("acme", "job:own");
  const std::string id = told(job, "[1]");
  const std::string shared = told(own, "[2]");
  EXPECT_EQ(told(job, "[2]", {1, 2, 0}), shared);
  rig_->finish(job);
  rig_->finish(own);
  ArtifactRules rules = this->rules();
  rules.remove_when_closed = true;
  EXPECT_EQ(clean(rules).removed(), 0);
  EXPECT_EQ(read(id, rig_->job("acme", "talk")), "[1]") << "its next job reads what it was told of";
  rules.max_age = Milliseconds(0);
  EXPECT_EQ(clean(rules).removed(), 0) << "that job is unfinished";
}

TEST_P(ArtifactStoreContract, AClosedConversationsGoWhereThatIsTheRule) {
  const LedgerJobId job = rig_->job("acme", "job:one");
  const LedgerJobId other = rig_->job("acme", "job:other");
  const std::string id = told(job, "[1]");
  const std::string shared = told(job, "[2]", {1, 2, 0});
  EXPECT_EQ(told(other, "[2]"), shared);
  rig_->finish(job);
  EXPECT_EQ(clean(rules()).removed(), 0);
  ArtifactRules closing = rules();
  closing.remove_when_closed = true;
  const ArtifactCleaning cleaning = clean(closing);
  EXPECT_EQ(cleaning.closed, 1);
  EXPECT_EQ(cleaning.removed(), 1);
  EXPECT_EQ(read(id, job), std::nullopt);
  EXPECT_EQ(read(shared, other), "[2]") << "another conversation goes on with it";
}

TEST_P(ArtifactStoreContract, WhatNoCallTellsOfGoes) {
  const LedgerJobId job = rig_->job("acme", "talk");
  const std::string first = keep(job, "[1]");  // then its worker died
  rig_->call(job, {1, 1, 0}, std::nullopt);
  EXPECT_EQ(clean(rules()).removed(), 0) << "the call is under way";
  const std::string second = told(job, "[2]");  // ran again, and gave something else
  const ArtifactCleaning cleaning = clean(rules());
  EXPECT_EQ(cleaning.unreferenced, 1);
  EXPECT_EQ(cleaning.removed(), 1);
  EXPECT_EQ(read(first, job), std::nullopt);
  EXPECT_EQ(read(second, job), "[2]");
}

TEST_P(ArtifactStoreContract, WhatACallOfAnEndedJobNeverToldGoes) {
  const LedgerJobId job = rig_->job("acme", "talk");
  const std::string id = keep(job, "[1]");
  rig_->call(job, {1, 1, 0}, std::nullopt);
  rig_->finish(job);
  EXPECT_EQ(clean(rules()).removed(), 1);
  EXPECT_EQ(read(id, job), std::nullopt);
}

TEST_P(ArtifactStoreContract, WhatWasJustMadeIsLeftAlone) {
  const LedgerJobId job = rig_->job("acme", "talk");
  const std::string id = told(job, "[1]");
  rig_->finish(job);
  ArtifactRules rules = this->rules();
  rules.max_age = Milliseconds(0);
  rules.settled_after = Milliseconds(60'000);
  EXPECT_EQ(clean(rules).removed(), 0);
  EXPECT_EQ(read(id, job), "[1]");
}

TEST_P(ArtifactStoreContract, ForRoomTheLeastRecentlyUsedGoDownToFourFifths) {
  const LedgerJobId job = rig_->job("acme", "talk");
  std::vector<std::string> ids;
  for (int i = 0; i < 6; ++i) {
    ids.push_back(told(job, "\"" + std::string(98, static_cast<char>('a' + i)) + "\"", {1, 1, i}));
    rig_->pass(Milliseconds(5));
  }
  EXPECT_TRUE(read(ids[0], job));  // used again
  rig_->finish(job);
  ArtifactRules rules = this->rules();
  rules.bytes_max = 500;
  const ArtifactCleaning cleaning = clean(rules);
  EXPECT_EQ(cleaning.unused, 2) << "600 bytes, at most 500: down to 400";
  EXPECT_EQ(cleaning.bytes, 200);
  EXPECT_TRUE(read(ids[0], job));
  EXPECT_FALSE(read(ids[1], job));
  EXPECT_FALSE(read(ids[2], job));
  EXPECT_TRUE(read(ids[3], job));
  EXPECT_EQ(clean(rules).unused, 0);
}

TEST_P(ArtifactStoreContract, CleansInBatchesAndSaysThatThereIsMore) {
  const LedgerJobId job = rig_->job("acme", "talk");
  for (int i = 0; i < 3; ++i) told(job, std::to_string(i), {1, 1, i});
  rig_->finish(job);
  ArtifactRules rules = this->rules();
  rules.max_age = Milliseconds(0);
  rules.batch_rows_max = 2;
  const ArtifactCleaning first = clean(rules);
  EXPECT_EQ(first.removed(), 2);
  EXPECT_TRUE(first.more);
  const ArtifactCleaning second = clean(rules);
  EXPECT_EQ(second.removed(), 1);
  EXPECT_FALSE(second.more);
}

TEST_P(ArtifactStoreContract, WhoKeepsWhileItIsCleanedUpFindsItAfterwards) {
  ArtifactRules rules = this->rules();
  rules.max_age = Milliseconds(0);
  rules.settled_after = Milliseconds(100);
  for (int i = 0; i < 30; ++i) {
    const LedgerJobId job = rig_->job("acme", "talk " + std::to_string(i));
    const std::string id = told(job, "[" + std::to_string(i) + "]");
    rig_->finish(job);
    rig_->pass(Milliseconds(110));
    const LedgerJobId next = rig_->job("acme", "next " + std::to_string(i));
    bool kept = false;
    bool cleaned = false;
    rig_->store().clean(rules, [&](const auto&) { cleaned = true; });
    rig_->store().keep({id, TenantId("acme"), next, {1, 1, 0}, "[" + std::to_string(i) + "]"},
                       [&](const auto& result) { kept = bool(result); });
    ASSERT_TRUE(rig_->run_until([&] { return kept && cleaned; }));
    ASSERT_EQ(read(id, next), "[" + std::to_string(i) + "]") << i;
  }
}

}  // namespace ba

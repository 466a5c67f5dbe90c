// SPDX-License-Identifier: Apache-2.0
#include "storage/ledger/skill_rows.hpp"

#include "pipeline/text/message/langchain_json.hpp"
#include "storage/ledger/shared_columns.hpp"

namespace ba::storage {
namespace {

// Locks the row in any case, so that it isn't removed before its use is there. used_at is not
// written each time.
constexpr Statement kKeepContents{"keep_skill_contents", R"sql(
  INSERT INTO skill_contents AS known (hash, content)
  SELECT * FROM unnest($1::text[], $2::text[])
  ON CONFLICT (hash) DO UPDATE SET used_at = now()
  WHERE known.used_at < now() - interval '1 hour')sql"};

constexpr Statement kInsertUses{"insert_skill_uses", R"sql(
  INSERT INTO skill_uses (job, round, step, idx, activation_id, skill, hash, depth)
  SELECT * FROM unnest($1::bigint[], $2::integer[], $3::integer[], $4::integer[], $5::text[],
                       $6::text[], $7::text[], $8::integer[])
  ON CONFLICT DO NOTHING)sql"};

constexpr Statement kEndUses{"end_skill_uses", R"sql(
  UPDATE skill_uses u SET done_step = d.done_step
  FROM unnest($1::bigint[], $2::integer[], $3::integer[], $4::integer[], $5::integer[])
    AS d (job, round, step, idx, done_step)
  WHERE u.job = d.job AND u.round = d.round AND u.step = d.step AND u.idx = d.idx
    AND u.done_step IS NULL)sql"};

constexpr Statement kInject{"inject_messages", R"sql(
  INSERT INTO injected_messages (job, round, step, idx, message)
  SELECT * FROM unnest($1::bigint[], $2::integer[], $3::integer[], $4::integer[], $5::json[])
  ON CONFLICT DO NOTHING)sql"};

constexpr Statement kLoadUses{"load_skill_uses", R"sql(
  SELECT u.round, u.step, u.idx, u.activation_id, u.skill, u.hash, u.depth, u.done_step,
         CASE WHEN $2::boolean AND u.first THEN
           (SELECT c.content FROM skill_contents c WHERE c.hash = u.hash) ELSE '' END AS content
  FROM (SELECT *, row_number() OVER (PARTITION BY hash ORDER BY round, step, idx) = 1 AS first
        FROM skill_uses WHERE job = $1) AS u
  ORDER BY u.round, u.step, u.idx)sql"};

constexpr Statement kRemoveUnused{"retention_skills", R"sql(
  DELETE FROM skill_contents c
  WHERE c.used_at < now() - interval '1 day'
    AND NOT EXISTS (SELECT 1 FROM skill_uses u WHERE u.hash = c.hash))sql"};

StoredSkillUse skill_use_of(const Row& row) {
  StoredSkillUse use;
  use.used.position = position_of(row);
  use.used.activation_id = row.text("activation_id");
  use.used.skill = row.text("skill");
  use.used.hash = row.text("hash");
  use.used.depth = row.number("depth");
  if (!row.is_null("done_step")) use.done_step = row.number("done_step");
  use.used.content = row.text_or_empty("content");  // null: nothing of it is kept
  return use;
}

}  // namespace

void SkillRows::add(const Delta& delta) {
  const std::int64_t job = delta.job.value;
  for (const SkillUsed& used : delta.skills_used) {
    if (!used.content.empty()) contents_.emplace(used.hash, used.content);
    const Position& at = used.position;
    uses_.add(job, at.round, at.step, at.index, used.activation_id, used.skill, used.hash,
              used.depth);
  }
  for (const SkillDone& done : delta.skills_done)
    ends_.add(job, done.used.round, done.used.step, done.used.index, done.step);
  for (const MessageRow& row : delta.messages_injected)
    injected_.add(job, row.position.round, row.position.step, row.position.index,
                  message_to_json(row.message));
}

void SkillRows::write(Transaction& transaction) const {
  RowArrays<Text, Text> contents;
  for (const auto& [hash, content] : contents_) contents.add(hash, content);
  contents.write(transaction, kKeepContents);
  uses_.write(transaction, kInsertUses);
  ends_.write(transaction, kEndUses);
  injected_.write(transaction, kInject);
}

std::vector<StoredSkillUse> load_skill_uses(Transaction& transaction, LedgerJobId job,
                                            bool contents) {
  return read_all(transaction.run(kLoadUses, job.value, contents), skill_use_of);
}

void remove_unused_skills(Transaction& transaction) { transaction.run(kRemoveUnused); }

}  // namespace ba::storage

#pragma once
// SPDX-License-Identifier: Apache-2.0
// Dead letters of records that could not become jobs. On the topic a dead letter is the original
// record, byte for byte, with `ba.error.*` headers after its own (as Kafka Connect writes them:
// numbers as decimal text), so that it can be sent again unchanged. Pure functions.

#include <string>

#include "pipeline/contract/publication.hpp"
#include "pipeline/contract/record.hpp"

namespace ba {

/// The ledger's row and the record for the topic. Texts that quote the record are cut to 200
/// (field) and 1000 (message) characters and made storable.
DeadLetter make_dead_letter(const RecordView& record, DeadLetterReason reason,
                            const Publication& publication);

/// For `ba-agent`: a dead letter as JSON (schemas/ba/v1/dead_letter.proto; bytes as base64).
std::string dead_letter_to_json(const DeadLetter& letter);

}  // namespace ba

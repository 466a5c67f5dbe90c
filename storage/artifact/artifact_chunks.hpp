#pragma once
// SPDX-License-Identifier: Apache-2.0
// The chunks of artifacts that were too large to be held when they came: written each by itself,
// named by an artifact once all are there, read one after the other. Where a directory is given,
// each chunk's data is a file of its own. Throws PgFailure, inside a transaction.

#include <string>
#include <vector>

#include "pipeline/core/tool/artifact_store.hpp"
#include "storage/artifact/artifact_directory.hpp"
#include "storage/postgres/session.hpp"

namespace ba::storage {

/// What an artifact's row has as its file; and the upload that such a text names, "" for others.
std::string file_of_upload(const std::string& upload);
std::string upload_of_file(const std::string& file);

/// In a transaction of its own.
Result<void> put_chunk(Session& session, const ArtifactChunk& chunk,
                       const ArtifactDirectory* directory);

/// Whether all chunks of an upload are there; from then on they are as young as if they were new.
bool hold_upload(Transaction& transaction, const Artifact& artifact);

/// Whether what an artifact's row names can be read.
bool upload_is_whole(Transaction& transaction, const std::string& upload,
                     const ArtifactDirectory* directory);

/// From now on nobody needs those of them that no artifact names.
void give_up_uploads(Transaction& transaction, const std::vector<std::string>& uploads);

/// What the question asks for. NotFound: a file is gone; Corrupt: one isn't what it was.
Result<ArtifactData> read_chunks(Transaction& transaction, const std::string& upload,
                                 const ArtifactQuestion& question,
                                 const ArtifactDirectory* directory);

/// Removes the chunks that no artifact names and that are older than `age`, or were given up; some
/// at a time. How many uploads these were. Their files are orphans then.
Result<std::int64_t> remove_uploads(Session& session, Milliseconds age);

}  // namespace ba::storage

#pragma once
// SPDX-License-Identifier: Apache-2.0
// What `submit` was given, as validated jobs: a question, or JSON documents completed with the
// command line's fields.

#include <functional>
#include <string>
#include <vector>

#include "pipeline/base/error.hpp"
#include "pipeline/core/job/job.hpp"
#include "pipeline/text/contract/limits.hpp"
#include "worker/cli/jobs/job_arguments.hpp"

namespace ba::cli {

/// The documents of a text: one JSON object, a list of objects, or JSON lines.
Result<std::vector<std::string>> split_documents(const std::string& text);

/// `text` is the content of --file or of standard input. Every job passes the same checks as in a
/// worker of the same `limits`; the error names the document and the field. What the command line
/// gives wins over the document; a missing tenant is "default", a missing id comes from `new_id`.
Result<std::vector<Job>> jobs_of(const SubmitArguments& arguments, const std::string& text,
                                 const JobContractLimits& limits,
                                 const std::function<std::string()>& new_id);

}  // namespace ba::cli

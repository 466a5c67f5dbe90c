#!/usr/bin/python3 -I
# SPDX-License-Identifier: Apache-2.0
"""Protections of the product's own code that the simulation can leave out, one at a time.

Makes copies of the sources named below in which each protection has a switch, so that the product
itself has no trace of it and one build has all of them. A text that isn't found exactly once fails
the build: the table follows the product.

usage: protections.py ROOT OUT    writes OUT/<name>.cpp for each source, and OUT/protections.hpp
"""

import os
import sys
from collections import namedtuple

Protection = namedtuple("Protection", "name text without")

PROTECTIONS = {
    "pipeline/text/contract/replacement.cpp": (
        Protection(
            "letter-replaced-as-it-claims",
            "  if (header(record.headers, kTopicHeader)) return replace_record_letter(record, text);\n"
            '  const std::string type(header(record.headers, "ce_type").value_or(""));',
            '  const std::string type(header(record.headers, "ce_type").value_or(""));\n'
            "  if (header(record.headers, kTopicHeader) && !(LEFT_OUT && !type.empty()))\n"
            "    return replace_record_letter(record, text);",
        ),
        Protection(
            "letter-refused-as-it-claims",
            "if (record.headers.back().first == kRefusedHeader) return false;",
            "if (record.headers.back().first == kRefusedHeader ||\n"
            "      (LEFT_OUT && header(record.headers, kRefusedHeader)))\n    return false;",
        ),
        Protection(
            "letter-keeps-its-producers-headers",
            "Headers kept(ours.base() - 1, record.headers.end());",
            "Headers kept(LEFT_OUT ? record.headers.begin() : ours.base() - 1, record.headers.end());",
        ),
    ),
    "pipeline/core/cache/shared_cache.cpp": (
        Protection(
            "flights-not-joined",
            "if (const auto flight = flights_.find(key); flight != flights_.end()) {\n    ++counters_.waits;",
            "if (const auto flight = flights_.find(key); flight != flights_.end()) {\n"
            "    if (LEFT_OUT) waiter->patience.reset();\n"
            "    if (LEFT_OUT) return ports_.executor.post([waiter] { answer(waiter, CacheMiss{}); });\n"
            "    ++counters_.waits;",
        ),
        Protection(
            "shared-result-without-its-origin",
            "  const CacheHit hit{std::move(result.data), question.origin, now, std::move(result.note)};",
            "  const CacheHit hit{std::move(result.data), LEFT_OUT ? CacheOrigin{} : question.origin, now,\n"
            "                     std::move(result.note)};",
        ),
    ),
    "pipeline/core/conversation/machine.cpp": (
        Protection(
            "crash-in-flight-not-counted",
            "call_lost = state_.claim.after_crash && state_.calls.empty();",
            "call_lost = !LEFT_OUT && state_.claim.after_crash && state_.calls.empty();",
        ),
        Protection(
            "dropped-reply-not-counted",
            "    count_lost_call(state_);\n    end(ending);",
            "    if (!LEFT_OUT) count_lost_call(state_);\n    end(ending);",
        ),
        Protection(
            "stopped-call-not-counted",
            "    if (lost) count_lost_call(state_);",
            "    if (lost && !LEFT_OUT) count_lost_call(state_);",
        ),
        Protection(
            "stop-counts-without-a-call",
            "    const bool lost = state_.flow.model_in_flight && event.model_paid;",
            "    const bool lost = LEFT_OUT || (state_.flow.model_in_flight && event.model_paid);",
        ),
        Protection(
            "crash-in-tool-calls-counted",
            "state_.claim.after_crash && state_.calls.empty();",
            "state_.claim.after_crash && (LEFT_OUT || state_.calls.empty());",
        ),
        Protection(
            "lost-try-not-durable",
            "    commit(lost_call_delta(state_));",
            "    LEFT_OUT ? go_on_asking() : commit(lost_call_delta(state_));",
        ),
        Protection(
            "count-used-before-it-is-durable",
            "    state_.context.counts.push_back(std::move(event.row));\n    commit(std::move(delta));",
            "    state_.context.counts.push_back(std::move(event.row));\n"
            "    LEFT_OUT ? proceed() : commit(std::move(delta));",
        ),
        Protection(
            "refusal-not-durable",
            "    if (event.tokens) add_refused_context(state_, delta, event.refusal, *event.tokens);",
            "    if (event.tokens) add_refused_context(state_, delta, event.refusal, *event.tokens);\n"
            "    if (LEFT_OUT) delta.refused_contexts.clear();",
        ),
        Protection(
            "refused-call-is-counted-lost",
            "  void on(const event::ContextRefused& event) {\n    state_.flow.model_in_flight = false;",
            "  void on(const event::ContextRefused& event) {\n    state_.flow.model_in_flight = false;\n"
            "    if (LEFT_OUT) count_lost_call(state_);",
        ),
        Protection(
            "call-before-its-start-is-durable",
            "if (!pure && call.phase != CallPhase::Startable) return;",
            "if (!pure && call.phase != CallPhase::Startable &&\n"
            "        !(LEFT_OUT && call.phase == CallPhase::Starting)) return;",
        ),
        Protection(
            "lost-answer-told-to-the-model",
            "if (event.result.state == ToolCallState::Unknown)",
            "if (!LEFT_OUT && event.result.state == ToolCallState::Unknown)",
        ),
        Protection(
            "open-calls-unanswered-at-the-end",
            "      if (open(call)) finish_call(state_, call, endings::abandoned_call(call), moment_);",
            "      if (!LEFT_OUT && open(call))\n"
            "        finish_call(state_, call, endings::abandoned_call(call), moment_);",
        ),
    ),
    "pipeline/core/conversation/reply_steps.cpp": (
        Protection(
            "cut-calls-run",
            "    if (stop == StopReason::MaxTokens) {\n      // A cut call",
            "    if (!LEFT_OUT && stop == StopReason::MaxTokens) {\n      // A cut call",
        ),
    ),
    "pipeline/core/conversation/endings.cpp": (
        Protection(
            "abandoned-call-is-failure",
            "if (call.effect != EffectClass::Pure && started)",
            "if (!LEFT_OUT && call.effect != EffectClass::Pure && started)",
        ),
    ),
    "pipeline/core/conversation/resume.cpp": (
        Protection(
            "started-call-runs-again",
            "if (stored.effect != EffectClass::Once) {",
            "if (LEFT_OUT) {\n    call.phase = CallPhase::Startable;\n    return;\n  }\n"
            "  if (stored.effect != EffectClass::Once) {",
        ),
        Protection(
            "started-call-told-to-the-model",
            "leave_unknown(state, call, unknown_result(call.call.id), moment);",
            "if (LEFT_OUT) return finish_call(state, call, unknown_result(call.call.id), moment);\n"
            "  leave_unknown(state, call, unknown_result(call.call.id), moment);",
        ),
        Protection(
            "lost-summary-not-counted",
            "    if (row.state != SummaryState::Writing) continue;",
            "    if (row.state != SummaryState::Writing || LEFT_OUT) continue;",
        ),
        Protection(
            "counts-forgotten-at-a-resume",
            "  state.context.counts = std::move(input.stored.exact_counts);",
            "  if (!LEFT_OUT) state.context.counts = std::move(input.stored.exact_counts);",
        ),
        Protection(
            "observations-of-an-open-step-twice",
            "open_step && row.position.index > 0 &&",
            "!LEFT_OUT && open_step && row.position.index > 0 &&",
        ),
        Protection(
            "skills-messages-lost-at-a-resume",
            "if (held_back && injected(row, *reply)) state",
            "if (held_back && injected(row, *reply) && !LEFT_OUT) state",
        ),
        Protection(
            "skills-messages-twice-after-a-resume",
            "state.skills.injected.push_back(row.message);\n  }",
            "state.skills.injected.push_back(row.message);\n"
            "    if (LEFT_OUT && held_back && injected(row, *reply))\n"
            "      state.skills.injected.push_back(row.message);\n  }",
        ),
        Protection(
            "earlier-attempt-forgotten",
            "call.maybe_done = stored.effect != EffectClass::Pure;",
            "call.maybe_done = !LEFT_OUT && stored.effect != EffectClass::Pure;",
        ),
    ),
    "pipeline/core/conversation/run_losses.cpp": (
        Protection(
            "recorded-calls-told-twice",
            "+= before_ - recorded_;",
            "+= before_ - (LEFT_OUT ? 0 : recorded_);",
        ),
        Protection(
            "refused-reply-not-counted",
            "  before_ += writing_.replies;",
            "  if (!LEFT_OUT) before_ += writing_.replies;",
        ),
    ),
    "pipeline/core/conversation/run_protocol.cpp": (
        Protection(
            "pause-asks-the-model",
            "  void on(run::Pause) { run_.boundary_ = true; }",
            "  void on(run::Pause) { run_.boundary_ = run_.boundary_ || !LEFT_OUT; }",
        ),
        Protection(
            "cancel-forgotten-while-loading",
            "if (run_.cancelled_) return tell(event::Begin{endings::cancelled()});",
            "if (run_.cancelled_ && !LEFT_OUT) return tell(event::Begin{endings::cancelled()});",
        ),
        Protection(
            "overdue-job-runs",
            "if (run_.overdue_)",
            "if (run_.overdue_ && !LEFT_OUT)",
        ),
        Protection(
            "calls-of-sub-agents-not-counted",
            "lost > 0; --lost) count_lost_call(state());",
            "lost > 0; --lost)\n      if (!LEFT_OUT) count_lost_call(state());",
        ),
        Protection(
            "job-ends-while-sub-agents-write",
            "    if (!facts_.sub_agents) return alone();\n    run_.phase_ = run_.refusal_",
            "    if (LEFT_OUT || !facts_.sub_agents) return alone();\n    run_.phase_ = run_.refusal_",
        ),
        Protection(
            "handed-back-before-the-count",
            "    if (event.error.code == ErrorCode::Fenced) return end(RunEnd::Fenced);",
            "    if (LEFT_OUT && run_.phase_ == RunPhase::GivingBack) return recorded();\n"
            "    if (event.error.code == ErrorCode::Fenced) return end(RunEnd::Fenced);",
        ),
    ),
    "pipeline/core/conversation/skill_steps.cpp": (
        Protection(
            "forbidden-tool-runs",
            "return !allowed || allowed->contains",
            "return LEFT_OUT || !allowed || allowed->contains",
        ),
        Protection(
            "skills-outlive-their-round",
            "  state.skills.known.stack.clear();",
            "  if (!LEFT_OUT) state.skills.known.stack.clear();",
        ),
        Protection(
            "skills-messages-where-others-stand",
            "state.calls.size() + state.skills.injected.size()) + 1;",
            "state.calls.size() + (LEFT_OUT ? 0 : state.skills.injected.size())) + 1;",
        ),
    ),
    "pipeline/core/conversation/stored_skills.cpp": (
        Protection(
            "skills-forgotten-at-a-resume",
            "  state.skills.known.stack = stack_of(std::move(active), state.skills.known.offered);",
            "  if (!LEFT_OUT) state.skills.known.stack = stack_of(std::move(active), state.skills.known.offered);",
        ),
        Protection(
            "restrictions-forgotten-at-a-resume",
            "  state.skills.hold = hold_of(stack_of(std::move(held), state.skills.known.offered));",
            "  if (!LEFT_OUT) state.skills.hold = hold_of(stack_of(std::move(held), state.skills.known.offered));",
        ),
        Protection(
            "ended-skill-holds-after-a-resume",
            "    if (use.done_step) continue;",
            "    if (use.done_step && !LEFT_OUT) continue;",
        ),
        Protection(
            "skills-as-the-other-worker-has-them",
            "    if (skill != by_hash.end()) pinned",
            "    if (skill != by_hash.end() && !LEFT_OUT) pinned",
        ),
    ),
    "pipeline/text/semantic/semantic_key.cpp": (
        Protection(
            "key-without-tenant", '{"tenant", call.tenant},', '{"tenant", LEFT_OUT ? "" : call.tenant},'
        ),
    ),
    "pipeline/core/tool/call_ending.cpp": (
        Protection(
            "artifact-told-though-it-was-lost",
            "if (!stored) return kept(told(stored.error()));",
            "if (!stored && !LEFT_OUT) return kept(told(stored.error()));",
        ),
    ),
    "pipeline/core/tool/call_protocol.cpp": (
        Protection(
            "once-is-retried",
            "if (!repeatable(effect_) || !may_run_again(raw)) return settle(raw.error);",
            "if ((!LEFT_OUT && !repeatable(effect_)) || !may_run_again(raw)) return settle(raw.error);",
        ),
        Protection(
            "earlier-try-forgotten",
            "if (raw.outcome_unknown && effect_ != EffectClass::Pure) in_doubt_ = true;",
            "if (raw.outcome_unknown && effect_ != EffectClass::Pure) in_doubt_ = true;\n"
            "  if (LEFT_OUT && !raw.outcome_unknown) in_doubt_ = false;",
        ),
    ),
    "pipeline/core/tool/call_run.cpp": (
        Protection(
            "failures-shared",
            "  if (const auto claim = std::move(claim_)) claim->failed();\n  ending_.fail",
            "  if (const auto claim = std::move(claim_)) LEFT_OUT ? claim->keep(\"{}\") : claim->failed();\n"
            "  ending_.fail",
        ),
        Protection(
            "timeout-is-failure",
            "raw.outcome_unknown = effect_of(admission_) != EffectClass::Pure;",
            "raw.outcome_unknown = !LEFT_OUT && effect_of(admission_) != EffectClass::Pure;",
        ),
    ),
    "pipeline/text/contract/result_id.cpp": (
        Protection(
            "key-without-position",
            "std::to_string(call.step), std::to_string(call.index), tool}));",
            "LEFT_OUT ? std::string() : std::to_string(call.step),\n"
            "                        LEFT_OUT ? std::string() : std::to_string(call.index), tool}));",
        ),
    ),
    "storage/history/known_history.cpp": (
        Protection(
            "history-not-compared",
            "    if (newest >= mark) continue;",
            "    if (newest >= mark || LEFT_OUT) continue;",
        ),
    ),
    "pipeline/core/outbox/shard_protocol.cpp": (
        Protection(
            "tainted-producer-kept",
            "if (!committed.clean) return open(state);",
            "if (!committed.clean && !LEFT_OUT) return open(state);",
        ),
        Protection(
            "producer-kept-after-failure",
            "  ++state.failures;\n  return open(state);",
            "  ++state.failures;\n  state.open = LEFT_OUT;\n"
            "  return state.open ? fetch(state) : open(state);",
        ),
        Protection(
            "refused-record-sent-again",
            "if (failed.refused) state.refused_batch",
            "if (failed.refused && !LEFT_OUT) state.refused_batch",
        ),
        Protection(
            "receipt-not-believed",
            "state.ledger.published_batch = receipt;",
            "if (!LEFT_OUT) state.ledger.published_batch = receipt;",
        ),
    ),
    "worker/driver/engine.cpp": (
        Protection(
            "acknowledged-before-the-ledger",
            "  IntakeBatch batch = intake_.next_batch();",
            "  IntakeBatch batch = intake_.next_batch();\n"
            "  if (LEFT_OUT && source_) source_->acknowledge(0, next_offsets(intake_.batch()));",
        ),
        Protection(
            "requests-not-passed-on",
            "answer.value().requests) jobs_.ask_of(requested);",
            "answer.value().requests)\n    if (!LEFT_OUT) jobs_.ask_of(requested);",
        ),
    ),
    "worker/driver/job_loader.cpp": (
        Protection(
            "attempts-not-looked-at",
            "if (claimed_.attempt > limits.attempts_max)",
            "if (!LEFT_OUT && claimed_.attempt > limits.attempts_max)",
        ),
    ),
    "worker/driver/model_turn.cpp": (
        Protection(
            "summary-used-before-it-is-durable",
            "{now.history.messages, now.summaries.durable,",
            "{now.history.messages,\n"
            "                                       LEFT_OUT && !now.summaries.ended.empty()\n"
            "                                           ? now.summaries.ended\n"
            "                                           : now.summaries.durable,",
        ),
    ),
    "worker/driver/job_runner.cpp": (
        Protection(
            "spending-of-sub-agents-not-told",
            "hooks_.spent(now - std::exchange(reported_, now));",
            "if (!LEFT_OUT) hooks_.spent(now - std::exchange(reported_, now));",
        ),
        Protection(
            "paused-time-counts",
            "claimed_.first_claimed_at - claimed_.idle;",
            "claimed_.first_claimed_at - (LEFT_OUT ? Milliseconds(0) : claimed_.idle);",
        ),
    ),
    "worker/mcp/call.cpp": (
        Protection(
            "call-is-repeated-whatever-lost-it",
            "if (!lost.session_gone) return",
            "if (!lost.session_gone && !LEFT_OUT) return",
        ),
        Protection(
            "call-that-took-too-long-did-nothing",
            "  error.maybe_done = sent;",
            "  error.maybe_done = sent && !LEFT_OUT;",
        ),
    ),
    "worker/mcp/call_failures.cpp": (
        Protection(
            "lost-call-is-failure",
            "out.outcome_unknown = error.maybe_done;",
            "out.outcome_unknown = error.maybe_done && !LEFT_OUT;",
        ),
        Protection(
            "gateways-error-is-refusal",
            "if (status >= 500) return made(ErrorCode::Unavailable, true, status);",
            "if (status >= 500) return made(ErrorCode::Unavailable, !LEFT_OUT, status);",
        ),
    ),
    "worker/mcp/rpc_client.cpp": (
        Protection(
            "closed-connection-did-nothing",
            "  error.maybe_done = true;\n  for (auto& [id, pending] : lost)",
            "  error.maybe_done = !LEFT_OUT;\n  for (auto& [id, pending] : lost)",
        ),
        Protection(
            "silence-did-nothing",
            "  lost.error.maybe_done = true;",
            "  lost.error.maybe_done = !LEFT_OUT;",
        ),
    ),
    "worker/mcp/tool_listing.cpp": (
        Protection(
            "strangers-hints-believed",
            "return trusted && repeatable ?",
            "return (trusted || LEFT_OUT) && repeatable ?",
        ),
    ),
}


def switched(source, protections, number):
    """The source with a switch for each of its protections, the first of which has this number."""
    for offset, protection in enumerate(protections):
        if source.count(protection.text) != 1:
            sys.exit(
                f"protections.py: {protection.name}: found {source.count(protection.text)} times, "
                f"must be once:\n{protection.text}"
            )
        switch = f"::ba::sim::left_out({number + offset})"
        source = source.replace(protection.text, protection.without.replace("LEFT_OUT", switch))
    return source


def write(path, text):
    """Leaves the file alone, and its time, when it has that text already."""
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            if file.read() == text:
                return
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def main():
    root, out = sys.argv[1:]
    os.makedirs(out, exist_ok=True)
    names = []
    for path, protections in PROTECTIONS.items():
        with open(os.path.join(root, path), encoding="utf-8") as file:
            source = file.read()
        copy = switched(source, protections, len(names))
        head = f'#include "tests/simulation/mutants.hpp"\n#line 1 "{path}"\n'
        write(os.path.join(out, os.path.basename(path)), head + copy)
        names += [protection.name for protection in protections]
    listed = "".join(f'    "{name}",\n' for name in names)
    write(
        os.path.join(out, "protections.hpp"),
        "#pragma once\n#include <array>\n#include <string_view>\n\nnamespace ba::sim {\n"
        f"inline constexpr std::array<std::string_view, {len(names)}> kProtections{{\n{listed}}};\n"
        "}  // namespace ba::sim\n",
    )


if __name__ == "__main__":
    main()

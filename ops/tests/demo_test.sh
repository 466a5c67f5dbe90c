#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Tries ops/demo on stacks of its own: beside parts that ran before, kept running, interrupted, killed.
# Ends with "N passed, N failed". Needs what ops/setup installs; builds what the demo builds.
set -uo pipefail

OPS=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
readonly OPS
# shellcheck source=ops/lib/console.sh
source "$OPS/lib/console.sh"
# shellcheck source=ops/lib/process.sh
source "$OPS/lib/process.sh"
# shellcheck source=ops/tests/cases.sh
source "$OPS/tests/cases.sh"
unset ANTHROPIC_API_KEY OPENAI_API_KEY BA_LLM_BASE_URL

readonly kDeadlineSeconds=300

# The model at a URL answers all of the demo's questions.
a_named_provider_answers_everything() {
  local dir=$WORK/provider output=$WORK/demo.out provider url='' code=0
  "$OPS/../build/release/ba-scripted-model" --script "$OPS/tests/any_answer.yaml" --port 0 >"$WORK/provider.url" &
  provider=$!
  until read -r url <"$WORK/provider.url" && [[ -n $url ]]; do kill -0 "$provider"; sleep 0.05; done
  BA_STACK_DIR=$dir BA_LLM_BASE_URL=$url/v1 BA_LLM_MODEL=any "$OPS/demo" >"$output" 2>&1 || code=$?
  kill "$provider"
  [[ $code -eq 0 ]] || { cat "$output" && return 1; }
  grep -qF "Answers come from any at $url/v1 (BA_LLM_BASE_URL)" "$output"
  expect_equal 9 "$(grep -cE 'answered by [a-z-]+/any$' "$output")"
  grep -qF 'one result each on the topic, all completed' "$output"
  expect_said_in_order 'one result each' 'became a dead letter' "of $dir" \
    'Everything went well. What the demo started is stopped.' 'ops/demo --keep' 'ops/stack logs'
  expect_no_process "$dir"
}

# What the demo said has each of these, one after the other.
expect_said_in_order() {
  local text line last=0
  for text in "$@"; do
    line=$(grep -nF -e "$text" "$WORK/demo.out" | tail -n 1 | cut -d: -f1)
    [[ ${line:-0} -gt $last ]] || { printf "'%s' is not said, or too early\n" "$text" && cat "$WORK/demo.out" && return 1; }
    last=$line
  done
}

# In a session of its own, so that a signal to its group is what Ctrl-C is; a shell's background
# commands ignore that otherwise. Sets DEMO.
demo_in_background() {
  : >"$WORK/demo.out" # what an earlier one said is not this one's
  BA_STACK_DIR=$1 env --default-signal=INT setsid "$OPS/demo" >"$WORK/demo.out" 2>&1 </dev/null &
  DEMO=$!
}

# Until FILE of the demo's has TEXT, or a process is recorded there (no TEXT).
demo_has_come_to() {
  local file=$1 text=${2:-} deadline=$(($(now_ms) + kDeadlineSeconds * 1000))
  until if [[ -n $text ]]; then grep -qF "$text" "$file"; else process_alive "$file" >/dev/null; fi; do
    if ! process_id "$DEMO" >/dev/null || [[ $(now_ms) -gt $deadline ]]; then
      printf 'the demo has not come to %s %s\n' "$file" "$text"
      cat "$WORK/demo.out"
      return 1
    fi
    sleep 0.05
  done 2>/dev/null
}

expect_no_password_seen() {
  local watch=$1 seen
  kill "$watch"
  wait "$watch" || true
  seen=$(sed 1d "$WORK/seen")
  [[ -z $seen ]] || { printf 'a password was on a command line:\n%s\n' "$seen" && return 1; }
}

start_watch() {
  "$OPS/tests/watch_arguments.py" "$1" >"$WORK/seen" &
  WATCH=$!
  until [[ -s $WORK/seen ]]; do sleep 0.05; done
}

# A process as short as psql is; it need not be caught each time.
the_watch_sees_a_password() {
  local tries
  printf '127.0.0.1:*:*:nobody:not-a-real-password\n' >"$WORK/pgpass"
  start_watch "$WORK/pgpass"
  for ((tries = 0; tries < 50; tries++)); do
    /usr/bin/python3 -ISc 'import sys' postgresql://nobody:not-a-real-password@nowhere/
    if [[ $(wc -l <"$WORK/seen") -gt 1 ]]; then break; fi
  done
  if expect_no_password_seen "$WATCH"; then return 1; fi
}

# Kafka ran before: the demo uses it and leaves it.
a_kept_demo_says_where_it_is() {
  local dir=$WORK/kept output=$WORK/demo.out
  stack up --dir "$dir" --no-postgres --no-model
  start_watch "$dir/postgres/pgpass"
  BA_STACK_DIR=$dir "$OPS/demo" --keep >"$output" 2>&1 || { cat "$output" && return 1; }
  expect_said_in_order 'one result each' 'became a dead letter' 'Everything went well. It all keeps running.' \
    /demo/env 'ba-agent submit' 'ba-agent show' 'Where it is:' 'To stop what the demo started'
  expect_kept_as_printed "$dir" "$output"
  expect_no_password_seen "$WATCH"
}

expect_kept_as_printed() (
  eval "$(sed -n 's/^  \(eval .*\)/\1/p' "$2")"
  expect_equal "$1" "$BA_STACK_DIR"
  grep -qF "Kafka        $BA_KAFKA_BROKERS" "$2"
  grep -qF "PostgreSQL   127.0.0.1:$(cat "$1/postgres/ports")" "$2"
  grep -qF "$BA_LLM_BASE_URL (smollm2-135m)" "$2"
  grep -qF 'answered by local/smollm2-135m' "$2"
  grep -qF 'answered by local-messages/smollm2-135m' "$2"
  grep -q '^ba_' <<<"$(curl -fsS "$(sed -n 's/^  worker *\([^,]*\),.*/\1/p' "$2")")"
  # shellcheck disable=SC1090
  . "$(sed -n 's/^  \. //p' "$2")"
  expect_equal 9 "$(psql service=ba_agent -XAtc "SELECT count(*) FROM ba.jobs WHERE state = 'finished'")"
  ba-agent submit --tenant demo --wait 'How many flights left JFK in March?' | grep -F '9697 flights left JFK'
  expect_the_examples_of_submit_to_work
)

# As they stand in its help, with a file for the schema that one of them names.
expect_the_examples_of_submit_to_work() {
  local example
  cd "$WORK"
  cat >counts.json <<'EOF2'
{"type": "object", "required": ["EWR", "JFK", "LGA"], "additionalProperties": false,
 "properties": {"EWR": {"type": "integer"}, "JFK": {"type": "integer"}, "LGA": {"type": "integer"}}}
EOF2
  ba-agent submit --help | grep -E '^ +ba-agent submit --wait ("|--answer-schema)' >examples
  expect_equal 3 "$(wc -l <examples)"
  while read -r example; do
    eval "$example" </dev/null || return
  done <examples
}

the_printed_line_stops_what_the_demo_started() {
  local dir=$WORK/kept other code=0 status
  sleep 60 &
  other=$!
  printf '%s 1 %s\n' "$other" "$(cat /proc/sys/kernel/random/boot_id)" >"$dir/scripted/pid"
  eval "$(sed -n '/^To stop what the demo started (kafka ran before)/{n;p}' "$WORK/demo.out")"
  kill "$other" # fails if it is gone: its pid was not the scripted model's any more
  status=$(stack status --dir "$dir") || code=$?
  expect_equal 3 "$code"
  expect_equal kafka "$(awk '$2 == "ready" {print $1}' <<<"$status")"
  stack down --dir "$dir"
  expect_no_process "$dir"
}

down_ends_what_a_killed_demo_left() {
  local dir=$WORK/killed
  demo_in_background "$dir"
  demo_has_come_to "$dir/worker/pid"
  kill -KILL "$DEMO"
  wait "$DEMO" || true
  stack down --dir "$dir"
  expect_no_process "$dir"
}

# Killed with jobs under way; the next one uses the stack that it left, and stops it.
the_next_demo_takes_over_from_a_killed_one() {
  local dir=$WORK/killed kafka
  demo_in_background "$dir"
  demo_has_come_to "$WORK/demo.out" Sending
  kill -KILL "$DEMO"
  wait "$DEMO" || true
  kafka=$(cat "$dir/kafka/pid")
  BA_STACK_DIR=$dir "$OPS/demo" || return
  expect_no_process "$dir"
  [[ $(process_id "${kafka%% *}") != "$kafka" ]]
}

# interrupted_at FILE [TEXT]: Ctrl-C when the demo has come there.
interrupted_at() {
  local dir=$WORK/interrupted code=0
  rm -f "$dir"/{worker,scripted,kafka}/pid
  demo_in_background "$dir"
  demo_has_come_to "$@"
  kill -INT -- "-$DEMO"
  wait "$DEMO" || code=$?
  expect_equal 130 "$code"
  expect_no_process "$dir"
}

an_interrupted_demo_stops_what_it_started() {
  interrupted_at "$WORK/demo.out" 'build '
  interrupted_at "$WORK/interrupted/kafka/pid"
  interrupted_at "$WORK/interrupted/worker/pid"
  interrupted_at "$WORK/demo.out" Sending
}

test_case 'the watch sees a password on a command line' the_watch_sees_a_password
test_case 'a kept demo says where everything is, and no password is seen' a_kept_demo_says_where_it_is
test_case 'the printed line stops what the demo started' the_printed_line_stops_what_the_demo_started
test_case 'a named provider answers everything' a_named_provider_answers_everything
test_case 'down ends what a killed demo left' down_ends_what_a_killed_demo_left
test_case 'the next demo takes over from a killed one' the_next_demo_takes_over_from_a_killed_one
test_case 'an interrupted demo stops what it started' an_interrupted_demo_stops_what_it_started
test_summary

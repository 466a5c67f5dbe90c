#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Tries ops/stack with the real servers, in folders of its own: side by side, killed at bad moments,
# as root and as an ordinary user. Ends with "N passed, N failed". Needs what ops/setup installs.
set -uo pipefail

OPS=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
readonly OPS
# shellcheck source=ops/lib/console.sh
source "$OPS/lib/console.sh"
# shellcheck source=ops/lib/cache.sh
source "$OPS/lib/cache.sh"
# shellcheck source=ops/tests/cases.sh
source "$OPS/tests/cases.sh"

# Whether the servers of a stack do what they are for.
expect_serving() (
  eval "$(stack env --dir "$1")"
  expect_equal 336776 "$(psql service=analytics -XAtc 'SELECT count(*) FROM flights')"
  expect_equal ba_owner "$(psql service=ba_agent -XAtc 'SELECT current_user')"
  grep -qF "$BA_LLM_MODEL" <<<"$(curl -fsS "$BA_LLM_BASE_URL/models")"
  /usr/bin/python3 -IS "$OPS/kafka/probe.py" "${BA_KAFKA_BROKERS##*:}" 2
  [[ -r $BA_FILES_DIR/airlines.csv ]]
)

two_stacks_side_by_side() {
  stack up --dir "$WORK/a" &
  local first=$!
  stack up --dir "$WORK/b"
  wait "$first"
  stack status --dir "$WORK/a"
  stack status --dir "$WORK/b" --json | /usr/bin/python3 -c 'import json, sys; assert json.load(sys.stdin)["ready"]'
  expect_serving "$WORK/a"
  expect_serving "$WORK/b"
  # What ops/setup keeps of a broker is used: without it a start only takes twice as long.
  grep -qzE -- '^-XX:SharedArchiveFile=.*/broker\.jsa$' "/proc/$(cut -d ' ' -f 1 "$WORK/a/kafka/pid")/cmdline"
}

up_again_changes_nothing() {
  local before
  before=$(stack status --dir "$WORK/a")
  stack up --dir "$WORK/a"
  expect_equal "$before" "$(stack status --dir "$WORK/a")"
}

what_runs_on_a_stack_is_shown_and_what_is_down_is_said() {
  local guest said
  mkdir "$WORK/b/worker"
  echo 4711 >"$WORK/b/worker/ports"
  "$OPS/lib/record_and_run" "$WORK/b/worker/pid" sleep 60 &
  guest=$!
  until [[ -s $WORK/b/worker/pid ]]; do sleep 0.05; done
  expect_equal "running pid $guest 127.0.0.1:4711" \
    "$(stack status --dir "$WORK/b" | awk '$1 == "worker" {print $2, $3, $4, $5}')"
  stack status --dir "$WORK/b" --json | /usr/bin/python3 -c '
import json, sys; status = json.load(sys.stdin); assert status["ready"] and status["parts"]["worker"]["port"] == 4711'
  expect_equal "down: worker of $WORK/b" "$(stack down worker --dir "$WORK/b" | tail -n 1)"
  expect_equal 'kafka postgres model' "$(stack status --dir "$WORK/b" | awk '$2 == "ready" {print $1}' | xargs)"
  expect_equal 'down pid - 127.0.0.1:4711' \
    "$(stack status --dir "$WORK/b" | awk '$1 == "worker" {print $2, $3, $4, $5}')"
  stack status --dir "$WORK/b" --json | /usr/bin/python3 -c '
import json, sys; status = json.load(sys.stdin); assert status["ready"] and status["parts"]["worker"]["pid"] is None'
  stack down kafka --dir "$WORK/b"
  said=$(stack env --dir "$WORK/b" 2>&1 >"$WORK/env")
  expect_equal "stack: kafka is down in $WORK/b, its settings are left out; to start it: ops/stack up --dir $WORK/b" \
    "$said"
  grep -q BA_POSTGRES_URL "$WORK/env"
}

down_leaves_nothing_but_the_data() {
  local code=0
  expect_equal "down: $WORK/b" "$(stack down --dir "$WORK/b" | tail -n 1)"
  expect_no_process "$WORK/b"
  stack status --dir "$WORK/b" || code=$?
  expect_equal 3 "$code"
  stack status --dir "$WORK/a"
}

without_a_running_stack_there_are_no_settings() {
  local dir code said
  for dir in "$WORK/b" "$WORK/never"; do
    code=0
    said=$(BA_STACK_DIR=$dir stack env 2>&1 >"$WORK/env") || code=$?
    expect_equal 1 "$code"
    expect_equal "stack: nothing runs in $dir; to start it: ops/stack up" "$said"
    [[ ! -s $WORK/env && ! -e $WORK/never ]]
  done
}

killed_parts_come_back_on_their_ports() {
  local ports part
  eval "$(stack env --dir "$WORK/a")"
  unset BA_STACK_DIR
  psql service=ba_agent -Xqc 'CREATE TABLE kept AS SELECT 42 AS answer'
  "$OPS/kafka/run" topics --bootstrap-server "$BA_KAFKA_BROKERS" --create --topic kept --partitions 3
  ports=$(stack env --dir "$WORK/a")
  for part in kafka postgres model; do
    stack restart "$part" --kill --dir "$WORK/a" &
  done
  wait
  stack status --dir "$WORK/a"
  expect_equal "$ports" "$(stack env --dir "$WORK/a")"
  expect_equal 42 "$(psql service=ba_agent -XAtc 'SELECT answer FROM kept')"
  expect_equal kept "$("$OPS/kafka/run" topics --bootstrap-server "$BA_KAFKA_BROKERS" --list)"
}

stack_without_pid_files_is_stopped() {
  rm "$WORK"/a/*/pid
  stack down --dir "$WORK/a"
  expect_no_process "$WORK/a"
}

recycled_pid_is_not_killed() {
  local other
  sleep 60 &
  other=$!
  printf '%s 1 %s\n' "$other" "$(cat /proc/sys/kernel/random/boot_id)" >"$WORK/a/model/pid"
  stack down --dir "$WORK/a"
  kill "$other" # fails if it is gone
}

a_part_that_cannot_start_stops_the_others() {
  local code=0 output
  mv "$WORK/a/kafka/data/meta.properties" "$WORK/a/meta.properties"
  output=$(stack up --dir "$WORK/a" 2>&1) || code=$?
  mv "$WORK/a/meta.properties" "$WORK/a/kafka/data/meta.properties"
  expect_equal 1 "$code"
  grep -qF 'kafka ended while starting' <<<"$output"
  expect_no_process "$WORK/a"
}

reader_can_only_read() {
  stack up --dir "$WORK/b" --no-kafka --no-model
  eval "$(stack env --dir "$WORK/b")"
  local statement
  expect_equal 16 "$(psql service=analytics -XAtc 'SELECT count(*) FROM airlines')"
  # shellcheck disable=SC2016
  for statement in 'INSERT INTO airlines VALUES ($$XX$$, $$X$$)' 'CREATE TABLE t (i int)' \
    'CREATE TEMP TABLE t (i int)' 'SELECT lo_create(0)' 'SELECT pg_advisory_lock(1)' 'SELECT pg_sleep(0)' \
    "SELECT set_config('work_mem', '1GB', false)" "SELECT query_to_xml('SELECT 1', true, true, '')" \
    'DO $$BEGIN END$$' "SET temp_file_limit = '1TB'"; do
    if psql service=analytics -Xqc 'SET default_transaction_read_only = off' -c "$statement"; then
      printf 'was not refused: %s\n' "$statement"
      return 1
    fi
  done
  if psql 'service=analytics dbname=ba_agent' -Xqc 'SELECT 1'; then return 1; fi
}

# From here on a script that brings a stack up still has to wait for it, which takes a while.
wait_for_start_of_kafka() {
  local tries
  for ((tries = 0; tries < 400; ++tries)); do
    [[ ! -e $1/kafka/pid ]] || return 0
    sleep 0.02
  done
  printf 'Kafka was not started\n'
  return 1
}

# Kills the script with -9 after some time, then sees whether `down` finds everything it had started.
killed_script_leaves_nothing_behind() {
  local moment script
  for moment in 0.1 0.8 2.5; do
    setsid "$OPS/stack" up --dir "$WORK/c" >/dev/null 2>&1 9>&- &
    script=$!
    sleep "$moment"
    kill -KILL "$script" 2>/dev/null || true
    wait "$script" 2>/dev/null || true
    stack down --dir "$WORK/c"
    expect_no_process "$WORK/c"
  done
  "$OPS/stack" up --dir "$WORK/c" >/dev/null 2>&1 &
  script=$!
  wait_for_start_of_kafka "$WORK/c"
  kill -KILL "$script"
  wait "$script" 2>/dev/null || true
  stack up --dir "$WORK/c"
  expect_serving "$WORK/c"
}

interrupted_script_stops_what_it_started() {
  local code=0 script
  stack down --dir "$WORK/c"
  "$OPS/stack" up --dir "$WORK/c" & # not the function: the signal is for the script itself
  script=$!
  wait_for_start_of_kafka "$WORK/c"
  kill -TERM "$script"
  wait "$script" || code=$?
  expect_equal 130 "$code"
  expect_no_process "$WORK/c"
}

# Its children may outlive it for a while.
killed_postmaster_is_no_obstacle() {
  local pid
  stack up --dir "$WORK/d" --no-kafka --no-model
  read -r pid _ <"$WORK/d/postgres/pid"
  kill -KILL "$pid"
  stack down --dir "$WORK/d"
  expect_no_process "$WORK/d"
  stack up --dir "$WORK/d" --no-kafka --no-model
  stack status --dir "$WORK/d"
}

# Somebody else listens on the stack's ports by then.
taken_ports_are_left_to_others() {
  local other code=0
  stack down --dir "$WORK/d"
  /usr/bin/python3 -ISc 'import socket, sys, time
listener = socket.create_server(("127.0.0.1", int(sys.argv[1])))
print("listening", flush=True)
time.sleep(600)' "$(cat "$WORK/d/postgres/ports")" >"$WORK/listening" &
  other=$!
  until [[ -s $WORK/listening ]]; do sleep 0.05; done
  stack status --dir "$WORK/d" || code=$?
  expect_equal 3 "$code"
  stack down --dir "$WORK/d"
  stack up --dir "$WORK/d" --no-kafka --no-model
  stack status --dir "$WORK/d"
  kill "$other" # fails if it is gone
}

# With the folder, the pid files and the name of the cluster's place are gone.
a_stack_whose_folder_is_deleted_is_stopped() {
  local place
  stack up --dir "$WORK/d" --no-model
  place=$(cat "$WORK/d/postgres/place")
  rm -rf "$WORK/d"
  stack reset --dir "$WORK/d"
  expect_no_process "$WORK/d"
  [[ ! -e $WORK/d && ! -e $place ]]
}

reset_deletes_everything() {
  local place
  place=$(cat "$WORK/c/postgres/place")
  stack reset --dir "$WORK/c"
  [[ ! -e $WORK/c && ! -e $place ]]
}

# Its parts come back as they were, and a plain stack doesn't become one.
a_secure_stack_lets_in_whom_it_knows() {
  local dir=$WORK/secure
  stack up --secure --no-model --dir "$dir"
  stack restart kafka --kill --dir "$dir"
  stack down --dir "$dir"
  stack up --no-model --dir "$dir"
  stack status --dir "$dir"
  expect_equal 'gateway kafka postgres' "$(stack status --dir "$dir" | awk '$2 == "ready" {print $1}' | sort | xargs)"
  expect_equal '' "$(find "$dir/secure" "$dir/postgres/pgpass" -type f -perm /077)"
  (
    eval "$(stack env --dir "$dir" --as worker)"
    expect_equal worker "$BA__KAFKA__PROPERTIES__SASL__USERNAME"
    expect_equal 'ba_worker t' "$(psql service=ba_worker -XAtF ' ' -c 'SELECT usename, ssl FROM pg_stat_ssl
      JOIN pg_stat_activity USING (pid) WHERE pid = pg_backend_pid()')"
    ! psql 'service=ba_worker sslmode=disable' -XAtc 'SELECT 1' || return 1
    ! psql 'service=ba_worker sslcert=none sslkey=none' -XAtc 'SELECT 1' || return 1
    ! /usr/bin/python3 -IS "$OPS/kafka/probe.py" "${BA_KAFKA_BROKERS##*:}" 2 || return 1
    expect_equal 407 "$(curl -s -o /dev/null -w '%{http_connect}' --proxy "$BA_STACK_PROXY" \
      --cacert "$BA_STACK_SECURE/ca.pem" https://model.stack.test:1 || true)"
  ) || return
  ! stack env --as nobody --dir "$dir" || return 1
  stack reset --dir "$dir"
  [[ ! -e $dir ]]
  stack up --no-kafka --no-model --dir "$dir"
  ! stack up --secure --dir "$dir" || return 1
  stack reset --dir "$dir"
}

# For root that is nobody, who can read the scripts and the cache only where they are copied to.
works_as_ordinary_user() {
  mkdir "$WORK/user"
  cp -r "$OPS" "$WORK/ops"
  if [[ $(id -u) -ne 0 ]]; then
    run_as_user env
    return
  fi
  mkdir "$WORK/cache"
  local part
  for part in kafka model data; do
    cp -rl "$(cached "$part")" "$WORK/cache/" 2>/dev/null || cp -r "$(cached "$part")" "$WORK/cache/"
  done
  chown nobody:nogroup "$WORK/user"
  run_as_user setpriv --reuid=nobody --regid=nogroup --clear-groups --inh-caps=-all -- \
    env HOME="$WORK/user" PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
    "BA_CACHE_DIR=$WORK/cache"
}

run_as_user() {
  local dir=$WORK/user/stack
  "$@" "$WORK/ops/stack" up --dir "$dir"
  "$@" "$WORK/ops/stack" status --dir "$dir"
  "$@" "$WORK/ops/stack" restart postgres --kill --dir "$dir"
  expect_serving "$dir"
  "$@" "$WORK/ops/stack" reset --dir "$dir"
  expect_no_process "$dir"
  [[ ! -e $dir ]]
}

test_case 'two stacks run side by side' two_stacks_side_by_side
test_case 'up again changes nothing' up_again_changes_nothing
test_case 'what runs on a stack is shown, what is down is said' what_runs_on_a_stack_is_shown_and_what_is_down_is_said
test_case 'down leaves nothing but the data' down_leaves_nothing_but_the_data
test_case 'without a running stack there are no settings' without_a_running_stack_there_are_no_settings
test_case 'killed parts come back on their ports with their data' killed_parts_come_back_on_their_ports
test_case 'a stack without pid files is stopped' stack_without_pid_files_is_stopped
test_case 'a recycled pid is not killed' recycled_pid_is_not_killed
test_case 'a part that cannot start stops the others' a_part_that_cannot_start_stops_the_others
test_case 'the reader can only read' reader_can_only_read
test_case 'a killed script leaves nothing behind' killed_script_leaves_nothing_behind
test_case 'an interrupted script stops what it started' interrupted_script_stops_what_it_started
test_case 'a killed postmaster is no obstacle' killed_postmaster_is_no_obstacle
test_case 'taken ports are left to others' taken_ports_are_left_to_others
test_case 'a stack whose folder is deleted is stopped' a_stack_whose_folder_is_deleted_is_stopped
test_case 'a secure stack lets in whom it knows' a_secure_stack_lets_in_whom_it_knows
test_case 'reset deletes everything' reset_deletes_everything
test_case 'works as an ordinary user' works_as_ordinary_user
test_summary

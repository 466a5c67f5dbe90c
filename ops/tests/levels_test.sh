#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Tries how ops/test runs its levels, with stand-ins for them: side by side, in turn, failing, interrupted.
# Ends with "N passed, N failed".
# shellcheck disable=SC2016 # bodies of stand-ins
set -uo pipefail

OPS=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
readonly OPS
# shellcheck source=ops/lib/console.sh
source "$OPS/lib/console.sh"
# shellcheck source=ops/tests/cases.sh
source "$OPS/tests/cases.sh"
readonly TREE=$WORK/tree SAID=$WORK/said CALLS=$WORK/calls
readonly kPrograms=(tests/{simulation,mcp,postgres,domain,integration}/run ops/{tidy,fuzz,chaos} ops/tests/{stack,demo}_test.sh)

# stand_in PATH: a program of the tree whose body is on stdin. It first writes down how it was called.
stand_in() {
  mkdir -p "$TREE/$(dirname "$1")"
  {
    printf '#!/bin/bash\necho "%s $*" >>"%s"\n' "$1" "$CALLS"
    cat
  } >"$TREE/$1"
  chmod +x "$TREE/$1"
}

# A tree in which every level passes two tests; integration does on each of its stacks.
make_tree() {
  rm -rf "$TREE"
  mkdir -p "$TREE/ops"
  : >"$CALLS"
  cp -r "$OPS/lib" "$OPS/test" "$TREE/ops"
  local program
  for program in "${kPrograms[@]}"; do stand_in "$program" <<<'echo "2 passed, 0 failed"'; done
  stand_in ops/setup <<<'echo /usr'
  stand_in ops/stack <<<'[[ $1 != up ]] || mkdir -p "${@: -1}"; [[ $1 != up ]] || echo "database: ${BA_STACK_FSYNC:-}"; [[ $1 != env ]] || echo export BA_STAND_IN=1'
  stand_in bin/cmake <<<'[[ -z ${BA_BUILT:-} ]]' # beside the levels nothing is built
  stand_in bin/ctest <<<'while [[ $1 != --output-junit ]]; do shift; done
    echo "<testsuite><testcase status=\"run\"/><testcase status=\"run\"/></testsuite>" >"$2"'
}

# In the background of this script: sets TEST, the id of ops/test.
start() {
  env -u BA_BUILT --default-signal=INT PATH="$TREE/bin:$PATH" "$TREE/ops/test" "$@" >"$SAID" 2>&1 </dev/null &
  TEST=$!
}

# try ARGUMENT...: sets CODE.
try() {
  CODE=0
  start "$@"
  wait "$TEST" || CODE=$?
  cat "$SAID" "$CALLS"
}

was_said() { grep -qE -- "$1" "$SAID" || { printf 'not said: %s\n' "$1" && return 1; }; }

all_levels_are_counted() {
  make_tree
  try
  expect_equal 0 "$CODE"
  expect_equal '26 passed, 0 failed' "$(tail -n 1 "$SAID")"
  expect_equal 11 "$(sed '1,/^== summary/d' "$SAID" | grep -cE '^[a-z]+ +2 passed +0 failed +[0-9.]+ s$')"
  was_said '^integration +4 passed +0 failed'
  grep -q '^tests/integration/run --alone$' "$CALLS"
  grep -q '^tests/integration/run --shared$' "$CALLS"
  expect_equal 'database: off' "$(grep database "$TREE/build/test-logs/servers.log")"
  expect_equal 2 "$(grep -c '^ops/stack reset' "$CALLS")"
  grep -q '^ops/fuzz --build --jobs ' "$CALLS"
  expect_equal '' "$(sed -n '/^ops\/tidy/,$!p' "$CALLS" | grep -E '/run|chaos')" # tidy and quick are first
}

# Each waits for the other: in turn, neither would end.
lanes_run_side_by_side() {
  make_tree
  local meet='touch "$0.here"; for ((i = 0; i < 1200; i++)); do [[ ! -e $(dirname "$0")/../../OTHER.here ]] || break; sleep 0.05; done
    [[ $i -lt 1200 ]] && echo "1 passed, 0 failed"'
  stand_in tests/integration/run <<<"${meet/OTHER/ops\/tests\/stack_test.sh}"
  stand_in ops/tests/stack_test.sh <<<"${meet/OTHER/tests\/integration\/run}"
  try --level integration --level stack
  expect_equal 0 "$CODE"
  expect_equal '3 passed, 0 failed' "$(tail -n 1 "$SAID")"
}

in_turn_is_in_turn() {
  make_tree
  stand_in tests/simulation/run <<<'touch "$0.over"; echo "1 passed, 0 failed"'
  stand_in ops/chaos <<<'[[ -e $(dirname "$0")/../tests/simulation/run.over ]] && echo "word of chaos"; echo "1 passed, 0 failed"'
  try --in-turn --level chaos --level simulation
  expect_equal 0 "$CODE"
  was_said '^word of chaos$'
}

what_fails_in_a_lane_fails_the_whole() {
  make_tree
  stand_in tests/integration/run <<<'[[ $1 == --shared ]] || { echo "2 passed, 0 failed" && exit; }
    echo "FAILED  a case"; echo "1 passed, 1 failed"; exit 1'
  stand_in ops/chaos <<<'exit 0'
  stand_in ops/fuzz <<<'[[ $1 != --build ]] || exit 0
    echo "5 passed, 0 failed"; exit 3'
  try
  expect_equal 1 "$CODE"
  was_said '^FAILED  a case$'
  was_said '^integration +3 passed +1 failed'
  was_said 'level chaos executed nothing$'
  was_said 'level fuzz ended with exit code 3$'
  expect_equal '26 passed, 3 failed' "$(tail -n 1 "$SAID")"
  stand_in tests/integration/run <<<'[[ $1 == --shared ]] || exit 7
    echo "1 passed, 0 failed"' # the cases that want to be alone say nothing
  try --level integration # alone: on the screen
  expect_equal 1 "$CODE"
  was_said 'level integration ended with exit code 1$'
}

# What is left of an earlier run says nothing of this one.
an_interrupted_run_leaves_nothing_and_says_nothing_good() {
  make_tree
  try --quick
  stand_in tests/simulation/run <<<'touch "$0.here"; exec sleep 3600'
  stand_in ops/chaos <<<'touch "$0.here"; exec sleep 3600'
  start --level simulation --level chaos
  until [[ -e $TREE/tests/simulation/run.here && -e $TREE/ops/chaos.here ]]; do kill -0 "$TEST" && sleep 0.05; done
  kill -TERM "$TEST"
  CODE=0
  wait "$TEST" || CODE=$?
  expect_equal 130 "$CODE"
  if grep 'passed, 0 failed$' "$SAID"; then return 1; fi
  [[ ! -e $TREE/build/test-logs/simulation.result ]]
  local left tries
  for ((tries = 0; tries < 1200; tries++)); do # what was ended may take a moment to go
    left=$(grep -lzF -- "$TREE" /proc/[0-9]*/environ 2>/dev/null) || true # 2: another process has gone meanwhile
    [[ -n $left ]] || break
    sleep 0.05
  done
  expect_equal '' "$left"
}

# What ops/release takes: of a clean tree, whose commit it names, and of all levels.
all_levels_leave_a_proof() {
  make_tree
  printf 'build\n' >"$TREE/.gitignore"
  local git=(env -u GIT_DIR git -C "$TREE" -c user.name=a -c user.email=a@example.org) proof=$TREE/build/test-logs/proof.txt
  "${git[@]}" init -q && "${git[@]}" add -A && "${git[@]}" commit -qm x
  try
  expect_equal "commit $("${git[@]}" rev-parse HEAD) clean yes size small" "$(head -n 3 "$proof" | xargs)"
  expect_equal 12 "$(grep -cE '^level [a-z]+ [24] passed 0 failed$' "$proof")"
  try --quick
  [[ ! -e $proof ]]
  touch "$TREE/new"
  stand_in ops/chaos <<<'exit 1'
  try
  expect_equal 1 "$CODE"
  grep -qx 'clean no' "$proof"
  grep -qx 'level chaos 0 passed 1 failed' "$proof"
}

what_makes_no_sense_is_refused() {
  make_tree
  local words
  for words in '--level nothing' '--jobs x' '--debug' '--asan --debug' 'a_test --quick' 'a_test --level quick' '--wrong'; do
    # shellcheck disable=SC2086 # words
    try $words
    expect_equal 2 "$CODE"
    was_said '^try: ops/test --help$'
  done
}

test_case 'ops/test: all levels are counted' all_levels_are_counted
test_case 'ops/test: lanes run side by side' lanes_run_side_by_side
test_case 'ops/test: --in-turn' in_turn_is_in_turn
test_case 'ops/test: what fails in a lane fails the whole' what_fails_in_a_lane_fails_the_whole
test_case 'ops/test: interrupted' an_interrupted_run_leaves_nothing_and_says_nothing_good
test_case 'ops/test: all levels leave a proof' all_levels_leave_a_proof
test_case 'ops/test: what makes no sense is refused' what_makes_no_sense_is_refused
test_summary

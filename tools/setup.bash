# Shared by ./run, ./test, bench/run and tools: installs missing packages, builds a preset. Source it.
# Standard output belongs to the program that is run, so all messages go to standard error.
# CHASLES_BUILD names the folder of all builds, for checkouts that cannot be written; the default is build/.

root=$(CDPATH='' cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd -P)
name=$(realpath --relative-to="$root" -- "$0")
builds=$(realpath -m -- "${CHASLES_BUILD:-$root/build}")
log=$builds/${name//\//-}.log

build_packages=(cmake g++ libcli11-dev libcpp-httplib-dev libeigen3-dev libfmt-dev libjs-dygraphs libjs-three libtinyxml2-dev
                libyaml-cpp-dev ninja-build nlohmann-json3-dev)
test_packages=(clang-format-14 libgtest-dev librsvg2-bin liburdfdom-dev)
browser_packages=(chromium chromium-driver python3)  # without them the reports are not looked at
mesh_packages=(libassimp-dev)  # without it meshes of .dae, .gltf and .glb are not read
python_packages=(python3-dev python3-venv)  # without them the Python module is not built
bench_packages=(libbenchmark-dev nlohmann-json3-dev pkg-config)
peer_packages=(libbullet-dev libmujoco-dev liborocos-kdl-dev)
more_peer_packages=(libdart-dev libdart-external-ikfast-dev libsimbody-dev)

say() { printf '%s: %s\n' "$name" "$*" >&2; }
fail() { say "$@"; exit 1; }

# quietly COMMAND...: output to the log; on failure the first error in it to the user, and exit.
quietly() {
  local from=$(($(wc -l <"$log") + 1)) error='error:|^CMake Error|^E: |^sudo: |undefined reference'
  LC_ALL=C "$@" >>"$log" 2>&1 </dev/null && return
  tail -n "+$from" "$log" | grep -m1 -A8 -E "$error" >&2 || tail -n 20 "$log" >&2
  fail "failed; everything it said is in $log"
}

# time_left DONE ALL SECONDS: ", about 3 min left", if the steps to come take as long as those done in so many
# seconds; nothing while there are too few of them to tell.
time_left() {
  local left
  (($1 * 10 >= $2 && $1 < $2 && $3 >= 5)) || return 0
  left=$(($3 * ($2 - $1) / $1))
  if ((left < 50)); then
    printf ', about %d s left' $(((left + 9) / 10 * 10))
  else
    printf ', about %d min left' $(((left + 30) / 60))
  fi
}

# watch_steps: the progress of ninja, from its last line in the log: in place on a terminal, else a line for
# every tenth. Ends with the script.
watch_steps() {
  local step next=10 percent never from=$SECONDS
  exec {never}<> <(:)  # to wait by reading: no child outlives this
  while kill -0 $$ 2>/dev/null; do
    step=$(tail -n 1 "$log" 2>/dev/null | grep -oE '^\[[0-9]+/[0-9]+\]' | tr -d '[]') || step=
    if [[ $step ]]; then
      percent=$((100 * ${step%/*} / ${step#*/}))
      step+=$(time_left "${step%/*}" "${step#*/}" $((SECONDS - from)))
      if [[ -t 2 ]]; then
        printf '\r%s: %s\e[K' "$name" "$step" >&2
      elif ((percent >= next)); then
        say "$step"
        next=$((percent / 10 * 10 + 10))
      fi
    fi
    read -rt 0.5 -u "$never" || true
  done
}

# quietly_with_steps COMMAND...: the same, with progress; a build takes minutes.
quietly_with_steps() {
  watch_steps >&2 9>&- &
  local watcher=$!
  trap 'kill $watcher 2>/dev/null; [[ ! -t 2 ]] || printf "\r\e[K" >&2' EXIT
  quietly "$@"
  kill "$watcher" 2>/dev/null || true
  wait "$watcher" 2>/dev/null || true
  [[ ! -t 2 ]] || printf '\r\e[K' >&2
  trap - EXIT
}

# make_log: the folder of builds, and an empty log in it.
make_log() {
  { mkdir -p "$builds" && : >"$log" && : >>"$builds/.lock"; } 2>/dev/null ||
    fail "cannot write in $builds; name a folder of your own for builds: CHASLES_BUILD=~/chasles-build ./$name"
}

# apt COMMAND...: apt-get, as root; the most frequent failures in one sentence. Without a network, `update` only
# warns and `install` does not know the packages: the log is read from line `since`, where `update` began.
apt() {
  local said
  LC_ALL=C "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 "$@" \
    >>"$log" 2>&1 </dev/null && return
  said=$(tail -n "+$since" "$log")
  case $said in
  *'Temporary failure resolving'* | *'Could not resolve'* | *'Could not connect'* | *'Unable to connect'* | \
    *'Network is unreachable'*)
    fail "cannot download ${packages[*]}: there is no network; connect it and start again" ;;
  *'Could not get lock'* | *'Unable to acquire the dpkg frontend lock'*)
    fail "another program is installing packages; wait for it and start again" ;;
  *'Unable to locate package'* | *'has no installation candidate'*)
    fail "this system does not have all of ${packages[*]}; it takes Debian 12 or a release that has them ($log says which)" ;;
  *'No space left on device'*)
    fail "the disk is full; make room and start again" ;;
  esac
  grep -m1 -A8 -E '^E: |^sudo: ' <<<"$said" >&2 || tail -n 20 "$log" >&2
  fail "could not install ${packages[*]}; everything that was said is in $log"
}

# missing PACKAGE...: those of them that are not installed, on Debian.
missing() {
  local package installed
  command -v dpkg-query >/dev/null || return 0
  installed=" $(dpkg-query -W -f '${db:Status-Status}:${Package} ' "$@" 2>/dev/null)" || true
  for package; do
    [[ $installed == *" installed:$package "* ]] || echo "$package"
  done
}

# install PACKAGE...: those that are missing, on Debian; elsewhere CMake names the libraries it does not find.
install() {
  local command
  for command in $(command -v dpkg-query >/dev/null || echo c++ cmake ninja); do
    command -v "$command" >/dev/null || fail "there is no $command; install it, and the libraries: $*"
  done
  local packages as_root=() since
  mapfile -t packages < <(missing "$@")
  ((${#packages[@]})) || return 0

  if ((EUID)); then
    command -v sudo >/dev/null ||
      fail "packages are missing, and there is no sudo to install them; as root: apt-get install ${packages[*]}"
    sudo -n true 2>/dev/null || { [[ -t 2 ]] && sudo -v; } ||
      fail "packages are missing, and sudo wants a password; an administrator installs them by: sudo apt-get install ${packages[*]}"
    as_root=(sudo)
  fi
  since=$(($(wc -l <"$log") + 1))
  say "installing ${packages[*]}"
  apt update
  apt install --yes --no-install-recommends "${packages[@]}"
}

# install_optional STAMP PACKAGE...: the same, one by one, and goes on without what cannot be had.
# Removes the file STAMP, if there is one, if anything was installed.
install_optional() {
  local stamp=$1 package packages
  shift
  make_log
  mapfile -t packages < <(missing "$@")
  for package in "${packages[@]}"; do
    if (install "$package"); then
      rm -f "$stamp"
    else
      say "going on without $package"
    fi
  done
}

# python_environment: a virtual environment in build/python with the packages of bindings/requirements.txt, in which the
# Python module is built and tested. Sets `python` to its interpreter; empty: it cannot be had, and a line says so.
# CHASLES_PYTHON names the interpreter to make it from; default: that of the system.
python_environment() {
  local folder=$builds/python wanted=$root/bindings/requirements.txt from=${CHASLES_PYTHON:-/usr/bin/python3}
  [[ -x $from || $from != */* ]] || from=python3
  python=$folder/bin/python
  make_log
  {
    flock 9
    [[ -x $python ]] && cmp -s "$wanted" "$folder/installed.txt" && return
    say "installing packages of Python in $folder"
    rm -rf -- "$folder"
    if "$from" -c 'import sys; sys.exit(sys.version_info < (3, 10))' && "$from" -m venv "$folder" &&
      "$python" -m pip install --quiet --disable-pip-version-check --retries 1 --timeout 15 -r "$wanted" &&
      cp "$wanted" "$folder/installed.txt"; then
      return
    fi >>"$log" 2>&1 </dev/null
  } 9>>"$builds/.lock"
  say "going on without the Python module: $from with venv, or the packages of PyPI, cannot be had"
  rm -rf -- "$folder"
  python=
}

# build PRESET TESTS TARGET...: configures first if the tree is new, was moved, is older than the
# presets, or lacks the tests when TESTS is ON. Without them kernels are built for this processor alone.
# The Python module is part of the tree if `python` is set and not empty; if it is not set, as it was.
build() {
  local preset=$1 tests=$2 tree=$builds/$1 module=()
  shift 2
  [[ -z ${python+set} ]] || module=(-D CHASLES_BUILD_PYTHON=OFF)
  [[ -z ${python-} ]] || module=(-D CHASLES_BUILD_PYTHON=ON -D "Python_EXECUTABLE=$python")
  say "building $* ($preset)"
  if [[ ! $tree/build.ninja -nt $root/CMakePresets.json ]] ||
    ! grep -qsxF "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$tree/CMakeCache.txt" ||
    { [[ $tests == ON ]] && ! grep -qxF 'CHASLES_BUILD_TESTS:BOOL=ON' "$tree/CMakeCache.txt"; }; then
    rm -rf -- "$tree/CMakeCache.txt" "$tree/CMakeFiles"
    quietly cmake --preset "$preset" -S "$root" -B "$tree" "${module[@]}" -D "CHASLES_ALL_KERNELS=$tests" \
      -D "CHASLES_BUILD_TESTS=$tests"
  elif [[ ${python+set} ]] &&
    [[ ${python:+ON} != $(sed -n 's/^CHASLES_BUILD_PYTHON:BOOL=ON$/ON/p' "$tree/CMakeCache.txt") ]]; then
    quietly cmake -S "$root" -B "$tree" "${module[@]}"
  fi
  quietly_with_steps cmake --build "$tree" --parallel "$(nproc)" --target "$@"
}

# prepare PRESET TESTS TARGET... -- PACKAGE...: both, one caller at a time.
prepare() {
  local targets=()
  while [[ $1 != -- ]]; do targets+=("$1"); shift; done
  shift
  make_log
  {
    flock -n 9 || { say "waiting for another command that builds here"; flock 9; }
    : >"$log"
    install "$@"
    build "${targets[@]}"
  } 9>"$builds/.lock"
}

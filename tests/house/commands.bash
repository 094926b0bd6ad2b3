# ./run and ./test in a copy of their own, with stand-ins for the tools they call: what they install,
# when they configure, what reaches stdout. (The real ones would build the tree this test runs in.)
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
work=$(cd "$(mktemp -d)" && pwd -P)
trap 'rm -rf "$work"' EXIT
export PATH=$work/bin:$PATH copy="$work/a copy"
export tree=$copy/build/release work

for command in run test python .ci/run bench/run tests/fuzz/run tools/build-package tools/build-site tools/setup.bash tools/test-aarch64; do
  bash -n "$root/$command"
done

failures=0
expect() { # WHAT PATTERN TEXT
  [[ $3 == $2 ]] || { printf '%s\n  expected: %s\n  got:      %s\n' "$1" "$2" "$3"; ((++failures)); }
}
calls() { cat "$work/calls"; rm "$work/calls"; }
stand_in() { # NAME BODY: a program that notes its calls
  printf '#!/bin/bash\necho "%s $*" >>"$work/calls"\n%s\n' "$1" "$2" >"$work/bin/$1"
  chmod +x "$work/bin/$1"
}

mkdir -p "$work/bin" "$copy"
cd "$work"
mkdir "$copy/bench" "$copy/bindings"
cp -r "$root"/{run,test,python,tools} "$copy"
cp "$root/bindings/requirements.txt" "$copy/bindings"
cp "$root/bench/run" "$copy/bench"
touch -d '1 hour ago' "$copy/CMakePresets.json"
all='chromium chromium-driver clang-format-14 cmake g++ libassimp-dev libcli11-dev libcpp-httplib-dev libeigen3-dev libfmt-dev libgtest-dev
libjs-dygraphs libjs-three librsvg2-bin libtinyxml2-dev liburdfdom-dev libyaml-cpp-dev ninja-build nlohmann-json3-dev python3 python3-dev
python3-venv'
echo "$all" >installed

stand_in dpkg-query 'printf "installed:%s " $(<"$work/installed")'
stand_in apt-get 'echo noise'
stand_in sudo '[[ $1 != -n ]] || shift; exec "$@"'
stand_in ctest 'echo "ctest ran"'
stand_in cmake '
echo noise
if [[ $1 == --preset ]]; then
  mkdir -p "$tree/bin"
  touch "$tree/build.ninja"
  printf "%s\n" "CMAKE_HOME_DIRECTORY:INTERNAL=$copy" "${@: -1}" |
    sed "s/TESTS=/TESTS:BOOL=/" >"$tree/CMakeCache.txt"
  cp "$work/bin/echo_all" "$tree/bin/chasles"
  mkdir -p "$tree/bench" && cp "$work/bin/echo_all" "$tree/bench/kinematics"
elif [[ -e $work/slow ]]; then
  echo "[3/4] Building b.cpp"
  until grep -q 3/4 "$work/err"; do sleep 0.1; done
elif [[ -e $work/broken ]]; then
  printf "%s\n" "[1/2] a.cpp" "a.cpp:3:1: error: no such luck"
  exit 1
fi'
export CHASLES_PYTHON=offline_python
stand_in offline_python '[[ $* != *venv* ]]'
stand_in online_python '[[ $* != *venv* ]] || { mkdir -p "$3/bin" && cp "$work/bin/echo_all" "$3/bin/python"; }'
stand_in echo_all 'echo "${0##*/} in $PWD:" "$@"'

expect 'run passes its arguments, keeps the directory, and owns no stdout' \
  "chasles in $work: info a b.yaml" "$("$copy/run" info 'a b.yaml' 2>err)"
expect 'run says little' 'run: building chasles_program (release)' "$(<err)"
expect 'a new tree is configured without the tests, and only the program is built' \
  '*cmake --preset release *TESTS=OFF*cmake --build *--target chasles_program*' "$(calls)"
expect 'run alone simulates the bundled scenario' \
  "chasles in $work: simulate $copy/examples/scenarios/tumble.yaml --report $copy/build/tumble.html" \
  "$("$copy/run" 2>err)"
expect 'nothing is installed or configured twice' \
  'dpkg-query *ninja-build*?cmake --build *--target chasles_program*' "$(calls)"

"$copy/run" reproduce all >out 2>err
expect 'what only some commands need is built for them' '*--target chasles_program chasles_reproduce?*' "$(calls)"

touch slow
"$copy/run" >out 2>err
expect 'a build that takes time says how far it is' '*run: 3/4*' "$(<err)"
rm slow calls

expect 'test runs ctest' 'ctest ran' "$("$copy/test" -R lie 2>err)"
expect 'test wants the tests, and passes its arguments' '*cmake --preset *TESTS=ON*ctest *-R lie' "$(calls)"
expect 'without PyPI it says so, and goes on' '*test: going on without the Python module: *' "$(<err)"
"$copy/run" --version >out 2>err
expect 'run is content with a tree that has tests' \
  'dpkg-query *ninja-build*?cmake --build *' "$(calls)"

CHASLES_PYTHON=online_python "$copy/test" >out 2>err
expect 'with its environment, the Python module is added to the tree' \
  "*online_python -m venv $copy/build/python?*pip install *cmake -S *PYTHON=ON *Python_EXECUTABLE=*cmake --build *ctest *" "$(calls)"
echo CHASLES_BUILD_PYTHON:BOOL=ON >>"$tree/CMakeCache.txt"
expect 'python runs that interpreter with the module' \
  "python in $work: -c 'x'" "$(CHASLES_PYTHON=online_python "$copy/python" -c "'x'" 2>err)"
expect 'which is all that it builds, and nothing is installed twice' \
  'dpkg-query *dpkg-query *cmake --build *--target python_package?echo_all *' "$(calls)"
rm -r "$copy/build/python"
code=0
"$copy/python" 2>err || code=$?
expect 'without its environment python stops' '1 *python: there is no module to start Python with' "$code $(<err)"
rm calls

sed -i 's/DIRECTORY:INTERNAL=/&elsewhere/' "$tree/CMakeCache.txt"
"$copy/test" >out 2>err
expect 'a moved tree is configured afresh' '*cmake --preset *' "$(calls)"
touch -d '1 hour' "$copy/CMakePresets.json"
"$copy/run" >out 2>err
expect 'so is one older than the presets' '*cmake --preset *' "$(calls)"
touch -d '1 hour ago' "$copy/CMakePresets.json"

sed -i 's/libcli11-dev//; s/libgtest-dev//' installed
"$copy/test" >out 2>err
expect 'only what is missing is installed' \
  '*apt-get *update?*apt-get *install *--no-install-recommends libcli11-dev libgtest-dev?*' \
  "$(calls)"
expect 'and named' '*test: installing libcli11-dev libgtest-dev?*' "$(<err)"
expect 'and nothing of that is on stdout' 'ctest ran' "$(<out)"
echo "$all" >installed

echo "${all/chromium-driver/}" >installed
stand_in apt-get '[[ $* != *"install --yes"*chromium* ]] || { echo "E: no such package"; exit 100; }'
expect 'test goes on without a browser' 'ctest ran' "$("$copy/test" 2>err)"
expect 'and says so' '*installing chromium-driver?E: no such*going on without chromium-driver?*' "$(<err)"
stand_in apt-get 'echo noise'
rm calls
echo "$all" >installed

echo "${all/cmake/}" >installed
refusal() { # BODY of apt-get, PATTERN: one sentence, with the remedy
  stand_in apt-get "$1"
  code=0
  "$copy/run" 2>err || code=$?
  expect 'what apt says becomes a sentence' "1 run: installing cmake?run: $2" "$code $(<err)"
}
refusal 'echo "E: Temporary failure resolving deb.debian.org"; exit 100' 'cannot download cmake: there is no network;*'
refusal '[[ $* != *update ]] || { echo "W: Failed to fetch http://a/b  Temporary failure resolving a"; exit 0; }
  echo "E: Unable to locate package cmake"; exit 100' 'cannot download cmake: there is no network;*'
refusal 'echo "E: Could not get lock /var/lib/dpkg/lock-frontend"; exit 100' 'another program is installing packages;*'
refusal 'echo "E: Unable to locate package cmake"; exit 100' 'this system does not have all of cmake;*'
stand_in apt-get 'echo noise'
echo "$all" >installed
mv "$copy/build" "$copy/kept"
touch "$copy/build"
code=0
"$copy/run" 2>err || code=$?
expect 'a folder that cannot be written is named' \
  "1 run: cannot write in $copy/build; name a folder of your own for builds: CHASLES_BUILD=*" "$code $(<err)"
tree=$work/elsewhere/release CHASLES_BUILD=elsewhere "$copy/run" >out 2>err
expect 'CHASLES_BUILD is the folder of builds, logs and the report' \
  "simulate * --report $work/elsewhere/tumble.html" "$(cut -d: -f2- out | cut -c2-)"
expect 'and nothing but it is written' '*cmake --preset release *-B */elsewhere/release *' "$(calls)"
rm -r "$copy/build" elsewhere
mv "$copy/kept" "$copy/build"

# As a user who is not root; for root that is nobody.
as_user=()
((EUID)) || as_user=(setpriv --reuid=65534 --regid=65534 --clear-groups)
without_root() { # PATTERN
  mkdir -m 777 users
  code=0
  CHASLES_BUILD=$work/users "${as_user[@]}" "$copy/run" >out 2>err || code=$?
  expect 'users who cannot install are told what is missing' "1 run: packages are missing, $1" "$code $(<err)"
  rm -r users
}
chmod a+rx "$work"
touch calls && chmod a+w calls
echo "${all/cmake/}" >installed
stand_in sudo 'exit 1'
without_root 'and sudo wants a password; * apt-get install cmake'
mkdir less && for command in bash cat dirname env flock mkdir readlink realpath rm setpriv wc; do
  ln -s "$(command -v "$command")" less; done
cp bin/dpkg-query less
PATH=$work/less without_root 'and there is no sudo to install them; as root: apt-get install cmake'
stand_in sudo '[[ $1 != -n ]] || shift; exec "$@"'
echo "$all" >installed
rm -f calls

left=$(cd "$copy" && bash -c 'source tools/setup.bash; for s in "9 100 60" "15 100 30" "50 100 35" "100 100 60"; do
  printf "%s:%s; " "$s" "$(time_left $s)"; done' "$copy/run")
expect 'the time that is left follows from the time of the steps that are done' \
  '9 100 60:; 15 100 30:, about 3 min left; 50 100 35:, about 40 s left; 100 100 60:; ' "$left"

export tree=$copy/build/bench
echo "$all libbenchmark-dev pkg-config libmujoco-dev" >installed
stand_in apt-get '[[ $* != *"install --yes"*kdl* ]] || { echo "E: no such package"; exit 100; }'
"$copy/bench/run" kinematics a b >out 2>err
expect 'bench/run installs peers one by one, and goes on without those that cannot be had' \
  '*installing libbullet-dev?*installing liborocos-kdl-dev?E: no such*going on without liborocos-kdl-dev?*' \
  "$(<err)"
expect 'and runs the benchmark that is named, with its arguments' 'kinematics in * a b' "$(<out)"
expect 'which is all that it builds' '*cmake --build *--target bench_kinematics?echo_all a b' "$(calls)"
code=0
"$copy/bench/run" --qiuck 2>err || code=$?
expect 'an unknown option is an error' "1 *unknown option '--qiuck'*" "$code $(<err)"
code=0
"$copy/bench/run" lei 2>err || code=$?
expect 'so is an unknown benchmark' "1 *no benchmark 'lei'*" "$code $(<err)"
export tree=$copy/build/release
echo "$all" >installed

touch broken
code=0
"$copy/run" --version >out 2>err || code=$?
expect 'a failed build gives its first error and its log' \
  '*a.cpp:3:1: error: no such luck*build/run.log' "$(<err)"
expect 'and nothing on stdout' '' "$(<out)"
expect 'and exit 1' 1 "$code"

exit $((failures > 0))

# The contract of the program's command line: program.bash PROGRAM VERSION
program=$1 version=$2 failures=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# check CODE STDOUT STDERR ARGUMENT...: STDOUT and STDERR are patterns for the whole text.
check() {
  local code=$1 out=$2 err=$3 got
  shift 3
  "$program" "$@" >"$work/out" 2>"$work/err"
  got=$?
  [[ $got == "$code" && $(<"$work/out") == $out && $(<"$work/err") == $err ]] && return
  echo "chasles $*: exit $got, expected $code '$out' '$err'"
  cat "$work/out" "$work/err"
  ((++failures))
}

check 0 "chasles $version" '' --version
check 0 '*Usage: chasles *info*' '' --help
check 0 '*Usage: chasles info *MODEL*' '' info --help
check 2 '' '*Usage: chasles *info*'
check 2 '' "chasles: arm.yaml: there is no such file" info arm.yaml
check 2 '' "chasles info: *MODEL is required*" info

check 2 '' "chasles: unknown command 'inof'; did you mean 'info'[?]" inof
check 2 '' "chasles: unknown command 'inof'; did you mean 'info'[?]" inof arm.yaml --json
check 2 '' "chasles: unknown command 'gyroscope'; give bench, convert, *" gyroscope
check 2 '' "chasles: unknown command ''; give *" ''
check 2 '' "chasles: unknown option '--versoin'; did you mean '--version'[?]" --versoin
check 2 '' "chasles: unknown option '-x'" -x
check 2 '' "chasles info: unknown option '--hepl'; did you mean '--help'[?]" info --hepl
check 2 '' "chasles info: unknown option '--hepl'; did you mean '--help'[?]" info arm.yaml --hepl=3
check 2 '' "chasles info: unexpected argument 'leg.yaml'" info arm.yaml leg.yaml

# convert: to standard output, to a file, in a description; bad input is 2, a failed write 1.
examples=$(dirname "${BASH_SOURCE[0]}")/../../examples
check 0 'chasles: 1?name: puma560?*' '' convert "$examples/puma560.yaml"
check 0 '' '' convert "$examples/rcm.yaml" -o "$work/rcm.yaml" --describe body
check 0 '*in: body*in: parent*' '' convert "$work/rcm.yaml"
check 0 '*frames:*' '' convert "$work/rcm.yaml" --describe frames
printf '%s' "<robot name='r'><link name='a'/><odd/></robot>" >"$work/r.urdf"
check 0 '*type: fixed*' "warning: $work/r.urdf:1: robot: the element <odd> is not known*" convert "$work/r.urdf"
check 0 '*name: root_joint*type: floating*' 'warning: *' convert "$work/r.urdf" --floating-base
check 2 '' "chasles: $examples/rcm.yaml: a floating base *URDF only*" \
  convert "$examples/rcm.yaml" --floating-base
check 2 '' "chasles: convert: --describe 'wolrd'*; did you mean 'world'[?]" \
  convert "$examples/rcm.yaml" --describe wolrd
check 2 '' "chasles: none.yaml: there is no such file" convert none.yaml
check 2 '' "chasles: $work/none/a.yaml: cannot be written: No such file or directory" \
  convert "$examples/rcm.yaml" -o "$work/none/a.yaml"
check 2 '' "chasles convert: unknown option '--descrieb'; did you mean '--describe'[?]" \
  convert "$examples/rcm.yaml" --descrieb world

# JSON is JSON whatever a file is called.
odd=$work/'a"b\c'$'\xff'.json
echo '{"states": [{"q": [0.3, 0, 0]}]}' >"$odd"
check 0 $'*"warnings": *a\\\\"b\\\\\\\\c\xEF\xBF\xBD.json: states*' 'warning: *' \
  eval "$examples/four_bar.yaml" --states "$odd" --compute com

# reproduce calls a program of its own, which is not always built.
cp "$program" "$work/alone"
program=$work/alone check 1 '' "chasles: reproduce: there is no program chasles-reproduce in $work; *" reproduce rcm

# view, report and simulate --report: whole pages, or reasons.
check 0 '' '' view "$examples/puma560.yaml" -o "$work/puma.html"
check 0 '*</html>' '' view "$examples/puma560.yaml" -o -
check 2 '' "chasles: $work/puma.txt: views are written as .html*" view "$examples/puma560.yaml" -o "$work/puma.txt"
check 2 '' "chasles view: --output is required*" view "$examples/puma560.yaml"
scenario=$examples/scenarios/tumble.yaml
check 0 "*report in $work/run.html" '' simulate "$scenario" --report "$work/run.html" -o "$work/run.json"
check 2 '' "chasles: $work/run.pdf: reports are written as .html*" simulate "$scenario" --report "$work/run.pdf"
check 0 '' '' report "$work/run.json" "$work/run.json" -o "$work/both.html"
check 2 '' "chasles: $work/none.json: there is no such recorded run" report "$work/none.json" -o "$work/both.html"
check 2 '' "chasles: $work/run.txt: a recorded run ends in .csv or .json" report "$work/run.txt" -o "$work/both.html"
check 2 '' "chasles: $work/run.json: is not a run of this model*" \
  report "$work/run.json" --model "$examples/puma560.yaml" -o "$work/both.html"
"$program" simulate "$scenario" -o "$work/alone.csv" >"$work/out"
"$program" simulate "$scenario" -o "$work/beside.csv" --report "$work/run.html" >"$work/out"
cmp "$work/alone.csv" "$work/beside.csv" || ((++failures)) # what is recorded does not depend on it

# help, for people, man and bash; methods.
check 0 '*Usage: chasles *info*simulate*' '' help
check 0 '*Usage: chasles simulate *SCENARIO*' '' help simulate
check 2 '' "chasles: help: there is no command 'simulat'; did you mean 'simulate'[?]" help simulat
check 0 'method *order*mk4 * 4 *fixed* step, chart *dop853 * 8 *adaptive*tolerance*' '' methods
check 0 '*"name": "verlet"*"needs": "a mechanism"*' '' methods --json
check 0 '.TH CHASLES 1 *.SS simulate*.B \\-o, \\-\\-output*EXIT STATUS*' '' help --man
if command -v man >/dev/null; then
  "$program" help --man >"$work/chasles.1"
  warnings=$(LC_ALL=C.UTF-8 MANWIDTH=100 man --warnings -l "$work/chasles.1" 2>&1 >/dev/null)
  [[ $warnings ]] && { echo "man: $warnings"; ((++failures)); }
fi
"$program" help --completion >"$work/completion"
complete_chasles() { # WORD...: what completes the last of them
  bash -c 'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _chasles; echo "${COMPREPLY[*]}"' \
    _ "$work/completion" chasles "$@"
}
[[ $(complete_chasles sim) == simulate ]] || { echo "completion of sim"; ((++failures)); }
[[ $(complete_chasles eval --st) == --states ]] || { echo "completion of --st"; ((++failures)); }
[[ $(complete_chasles help me) == methods ]] || { echo "completion of help me"; ((++failures)); }
[[ $(complete_chasles info x) == '' ]] || { echo "completion of a file"; ((++failures)); }

exit $((failures > 0))

#!/usr/bin/env bash
# The names that the library exports are those of a list: what is added, renamed or removed is a decision.
#   public_symbols.bash LIBRARY LIST [--update]
set -euo pipefail
library=$1 list=$2
# Global symbols of default visibility that are defined here, as qualified names without parameters.
names() {
  readelf -sW "$library" | awk '$5 == "GLOBAL" && $6 == "DEFAULT" && $7 != "UND" { print $8 }' |
    c++filt -p | sed -E 's/\[abi:[a-z0-9]+\]//g' | grep -E '^chasles::' | LC_ALL=C sort -u
}
if [[ ${3-} == --update ]]; then
  names > "$list"
  exit
fi
diff -u "$list" <(names) || {
  echo "The exported names changed. If that is meant, run"
  echo "  tests/house/public_symbols.bash $library $list --update"
  echo "and name the change in CHANGELOG.md; VERSIONING.md says which changes a version may have."
  exit 1
}
echo "$(wc -l < "$list") exported names"

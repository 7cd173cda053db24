#!/usr/bin/env bash
# Measures the models of another checkout, then the models of this folder, on one machine. Exits
# with code 1 if a model has surely become slower. Environment variables: BASE, the other checkout;
# MODELS, files or patterns; ROWS, FAIL_ABOVE and TRIALS, as in `brezel bench`; BREZEL, the command,
# if it is not in node_modules.
set -euo pipefail
shopt -s nullglob globstar

brezel=${BREZEL:-$PWD/node_modules/.bin/brezel}
out=${RUNNER_TEMP:-$(mktemp -d)}
flags=(--trials "${TRIALS:-5}" --no-rival)
if [[ -n ${ROWS:-} ]]; then flags+=(--rows "$(realpath "$ROWS")"); fi # both use these rows

read -ra patterns <<< "$MODELS"
# Prints the files that match the patterns in a folder, each followed by a zero byte.
expand() {
  cd "$1"
  local pattern file
  for pattern in "${patterns[@]}"; do
    # shellcheck disable=SC2086 # the shell must expand the pattern
    for file in $pattern; do
      if [[ -e $file ]]; then printf '%s\0' "$file"; fi
    done
  done
}
mapfile -d '' here < <(expand .)
mapfile -d '' there < <(expand "$BASE")
if [[ ${#here[@]} -eq 0 ]]; then echo "no file here is called $MODELS" >&2; exit 2; fi
if [[ ${#there[@]} -eq 0 ]]; then echo "no file in $BASE is called $MODELS: nothing to compare"; exit 0; fi

echo "the target branch:"
(cd "$BASE" && "$brezel" bench "${there[@]}" "${flags[@]}" --save "$out/base.json")
echo "this change:"
"$brezel" bench "${here[@]}" "${flags[@]}" --baseline "$out/base.json" --fail-above "${FAIL_ABOVE:-10%}"

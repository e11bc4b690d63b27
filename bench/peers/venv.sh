# Read by run.sh of a bench: the peers live in an environment of their own, made anew when their versions change.
# Sets python; root is the repository.
venv=${BENCH_VENV:-$root/.cache/bench-venv}
python=$venv/bin/python

peers() {
  cmp -s "$root/bench/requirements.txt" "$venv/installed" && return
  echo "installing the peers in $venv ..." >&2
  rm -rf "$venv"
  python3 -m venv "$venv" || {
    echo "run.sh: needs Python's venv: apt-get install python3-venv" >&2
    exit 1
  }
  "$venv/bin/pip" install --quiet --disable-pip-version-check -r "$root/bench/requirements.txt"
  cp "$root/bench/requirements.txt" "$venv/installed"
}

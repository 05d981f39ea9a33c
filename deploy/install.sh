#!/bin/sh
# Install or update the class server in a folder, as an ordinary user: `make hub` does it.
# Settings, passwords and students' work in that folder are kept.
set -eu
cd "$(dirname "$0")/.."
umask 022
mkdir -p "$1"
hub=$(cd "$1" && pwd)
[ -x "$hub/env/bin/python" ] || "${PYTHON:-python3}" -m venv --without-pip "$hub/env"
.venv/bin/uv pip install --quiet --compile-bytecode --python "$hub/env/bin/python" --reinstall-package linlib \
  --requirement requirements-grader.lock --requirement deploy/requirements.txt .
npm install --prefix "$hub" --no-audit --no-fund --silent --ignore-scripts configurable-http-proxy@5.3.0
.venv/bin/python -m lincourse student >/dev/null
rm -rf "$hub/lectures" "$hub/lab"
cp -r build/student/notebooks "$hub/lectures"
rm -r "$hub/lectures/homework" # homework comes through the exchange
cp -r build/student/lincourse/lab "$hub/lab"
mkdir -p "$hub/env/etc/jupyter"
cp deploy/nbgrader_config.py "$hub/env/etc/jupyter/"
cp deploy/jupyterhub_config.py deploy/passwords.py deploy/start.sh "$hub/"
chmod +x "$hub/start.sh"
[ -e "$hub/class.toml" ] || cp deploy/class.toml "$hub/"
[ -e "$hub/exchange" ] || mkdir -m 1777 "$hub/exchange"

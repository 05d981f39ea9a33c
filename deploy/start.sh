#!/bin/sh
# A student's server, started as the student: copies the lectures that are not there yet, then serves.
here=$(dirname "$0")
mkdir -p ~/course/homework/release
cp -rn "$here/lectures/." ~/course 2>/dev/null # never over a student's work; a full disk keeps nobody out
JUPYTER_RUNTIME_DIR=$(mktemp -d)               # short, because the paths of sockets are limited
export JUPYTER_RUNTIME_DIR JUPYTER_CONFIG_PATH="$here/lab" PYTHONNOUSERSITE=1 PATH="$here/env/bin:/usr/bin:/bin"
# Kernels listen on files of the student's, not on ports that every account of the machine reaches.
exec python "$here/env/bin/jupyterhub-singleuser" "$@" --KernelManager.transport=ipc \
  --LabApp.extension_manager=readonly --LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate

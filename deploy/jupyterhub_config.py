"""The class server: JupyterHub's own parts, set from class.toml. Nothing here but settings."""

import dbm
import os
import sys
import tomllib
from pathlib import Path
from typing import Any

c: Any = get_config()  # type: ignore[name-defined]  # noqa: F821
here = Path(__file__).resolve().parent
settings = tomllib.loads((here / "class.toml").read_text(encoding="utf-8"))
spawner, address, port = settings["spawner"], settings["address"], settings["port"]
members = {settings["instructor"], *settings["students"]}

# Who may log in: the class list, with passwords that passwords.py made before the hub started.
c.JupyterHub.authenticator_class = settings.get("authenticator", "firstuse")
c.Authenticator.allowed_users = members
c.Authenticator.admin_users = {settings["instructor"]}
c.Authenticator.allow_all = False
c.Authenticator.allow_existing_users = False  # whoever leaves the list is out
c.FirstUseAuthenticator.dbm_path = str(here / "state/passwords.dbm")
c.FirstUseAuthenticator.create_users = False
c.FirstUseAuthenticator.min_password_length = 10
if "authenticator" not in settings:
    with dbm.open(c.FirstUseAuthenticator.dbm_path, "c", 0o600) as passwords:
        if missing := sorted(name for name in members if name.encode() not in passwords):
            sys.exit(f"No password for {', '.join(missing)}: run passwords.py first.")

# Addresses. Caddy adds TLS. On a subdomain each, no student's page can act for another student.
c.JupyterHub.bind_url = f"http://127.0.0.1:{port}"
c.JupyterHub.hub_bind_url = f"http://127.0.0.1:{port + 1}"
c.ConfigurableHTTPProxy.api_url = f"http://127.0.0.1:{port + 2}"
c.ConfigurableHTTPProxy.command = [str(here / "node_modules/.bin/configurable-http-proxy")]
c.JupyterHub.subdomain_host = address
c.JupyterHub.cookie_host_prefix_enabled = address.startswith("https:")
c.JupyterHub.db_url = f"sqlite:///{here}/state/jupyterhub.sqlite"
c.JupyterHub.cookie_secret_file = str(here / "state/cookie_secret")
c.ConfigurableHTTPProxy.pid_file = str(here / "state/proxy.pid")

# A student's server.
if spawner == "simple" and os.getuid() == 0:
    sys.exit('As root, students would be root: be an ordinary user, or set spawner = "systemd".')
c.JupyterHub.spawner_class = spawner
c.JupyterHub.cleanup_servers = spawner != "systemd"  # these outlive a restart of the hub
c.Spawner.cmd = [str(here / "start.sh")]
c.Spawner.notebook_dir = "~/course"
c.Spawner.default_url = "/lab/tree/00-start-here.ipynb"
c.Spawner.env_keep = ["LANG", "LC_ALL"]  # nothing else of the hub's environment
c.Spawner.environment = {"CLASS_INSTRUCTOR": settings["instructor"]}
c.Spawner.mem_limit = settings["memory"]
c.Spawner.cpu_limit = settings["cpu"]
c.Spawner.start_timeout = c.Spawner.http_timeout = 120
c.SimpleLocalProcessSpawner.home_dir_template = str(here / "homes/{username}")
c.SystemdSpawner.isolate_tmp = True
c.SystemdSpawner.isolate_devices = True
c.SystemdSpawner.disable_user_sudo = True
c.SystemdSpawner.default_shell = "/bin/bash"
c.SystemdSpawner.unit_extra_properties = {
    "TasksMax": "200",
    "UMask": "0077",
    "ProtectProc": "invisible",
}

# Servers that nobody uses are stopped by JupyterHub's own culler, which may do just that.
idle = f"--timeout={60 * settings['idle_minutes']}"
command = [sys.executable, "-m", "jupyterhub_idle_culler", idle]
c.JupyterHub.services = [{"name": "idle-culler", "command": command}]
scopes = ["list:users", "read:users:activity", "read:servers", "delete:servers"]
c.JupyterHub.load_roles = [{"name": "idle-culler", "scopes": scopes, "services": ["idle-culler"]}]

for part, traits in settings.get("settings", {}).items():
    for name, value in traits.items():
        c[part][name] = value

"""The hub's own configuration, made from hub.toml and class.txt each time the hub starts."""

import os
import sys
from typing import Any

from tornado import web

from deploy import accounts
from deploy.limits import end_all
from deploy.settings import here, size, threads
from deploy.walls import WalledSpawner

c: Any = get_config()  # type: ignore[name-defined]  # noqa: F821
place = here()
settings = place.settings()
students = place.class_list()
port = os.environ.get("LINLIB_HUB_PORT", "8000")
hub_port = int(port) + 1
members = {settings.instructor, *students}
for name in members:
    accounts.ensure(place, name)
if not all(os.path.ismount(place.home(name)) for name in members):
    print("The size of homes is not limited: this machine mounts no disks for them.", flush=True)
end_all(*({*accounts.members(place)} - members))  # struck from the list

# Addresses: everything on the loopback address; a web server with TLS stands before it.
c.JupyterHub.bind_url = f"http://127.0.0.1:{port}"
c.JupyterHub.hub_ip = "127.0.0.1"
c.JupyterHub.hub_port = hub_port
c.ConfigurableHTTPProxy.api_url = f"http://127.0.0.1:{int(port) + 2}"
c.ConfigurableHTTPProxy.should_start = False  # deploy.up starts it, so that a hub may restart
c.JupyterHub.last_activity_interval = settings.restart_seconds  # also looks at the routes
c.JupyterHub.cleanup_servers = False
c.JupyterHub.cleanup_proxy = False

# Secrets and state, in a folder that only root can enter.
c.JupyterHub.db_url = f"sqlite:///{place.hub / 'jupyterhub.sqlite'}"
c.JupyterHub.cookie_secret_file = str(place.hub / "cookie_secret")

# Who may come in: the class list and the instructor, whatever the authenticator says.
c.JupyterHub.authenticator_class = settings.authenticator
c.Authenticator.allowed_users = members
c.Authenticator.admin_users = {settings.instructor}
c.Authenticator.allow_existing_users = False  # who is struck from the list is out
c.Authenticator.allow_all = False
c.FirstUseAuthenticator.dbm_path = str(place.hub / "passwords.dbm")
c.FirstUseAuthenticator.create_users = False
c.FirstUseAuthenticator.min_password_length = 10


def only_members(spawner: Any) -> None:
    """Refuse a server to who is logged in still, but no longer on the list."""
    if spawner.user.name not in members:
        raise web.HTTPError(403, "You are not on the class list.")


# What a student gets.
c.Spawner.pre_spawn_hook = only_members
c.JupyterHub.spawner_class = WalledSpawner
c.WalledSpawner.group_label = f"linlib-hub-{port}"
c.WalledSpawner.warm = str(place.hub / "warm.socket") if settings.tuned else ""
c.Spawner.cmd = [str(place.python), "-I", str(place.server / "begin.py")]
c.Spawner.env_keep = ["LANG", "LC_ALL"]  # nothing of the hub's environment
c.Spawner.environment = {
    "PATH": f"{place.env / 'bin'}:/usr/bin:/bin",
    "JUPYTER_CONFIG_PATH": str(place.server),
    "LINLIB_HUB": str(place.folder),
    "LINLIB_TUNED": str(int(settings.tuned)),
    **threads(settings.cpu),
}
c.Spawner.default_url = "/lab/tree/00-start-here.ipynb"
c.Spawner.mem_limit = size(settings.memory)
c.Spawner.cpu_limit = settings.cpu
c.WalledSpawner.process_limit = settings.processes
c.WalledSpawner.file_limit = size(settings.file)
c.Spawner.http_timeout = c.Spawner.start_timeout = 120
c.JupyterHub.allow_named_servers = False

# Services: stop what idles; show the instructor who runs and what it takes.
python = ["setpriv", "--pdeathsig", "KILL", sys.executable, "-m"]  # they end with their hub
c.JupyterHub.services = [
    {
        "name": "idle",
        "command": [
            *python,
            "jupyterhub_idle_culler",
            f"--timeout={int(settings.idle_minutes * 60)}",
        ],
    },
    {
        "name": "class",
        "url": f"http://127.0.0.1:{int(port) + 3}",
        "command": [*python, "deploy.watch"],
        "environment": {name: os.environ[name] for name in ("PYTHONPATH", "LINLIB_HUB")},
        "oauth_no_confirm": True,
    },
]
c.JupyterHub.load_roles = [
    {
        "name": "idle",
        "scopes": ["list:users", "read:users:activity", "read:servers", "delete:servers"],
        "services": ["idle"],
    },
    {
        "name": "class",
        "scopes": ["list:users", "read:users:activity", "read:servers", "delete:servers"],
        "services": ["class"],
    },
    {
        "name": "instructor",
        "scopes": ["access:services!service=class", "access:servers", "admin-ui"],
        "users": [settings.instructor],
    },
]
for class_name, traits in settings.traits.items():
    for trait, value in traits.items():
        c[class_name][trait] = value

"""Who may come in, and as which number they run: executed by the chart's hub (hub.extraConfig).

All pods share one exchange for homework. With one number for everybody each student could read and
change what others hand in; with a number each, the file system keeps them apart as on one machine.
"""

from typing import Any

from tornado import web

c: Any = c  # type: ignore[name-defined]  # noqa: F821
numbers: dict[str, int] = get_config("custom.class")  # type: ignore[name-defined]  # noqa: F821
instructor: str = get_config("custom.instructor")  # type: ignore[name-defined]  # noqa: F821

c.Authenticator.allowed_users = set(numbers)
c.Authenticator.admin_users = {instructor}


def number_of(spawner: Any) -> int:
    """Return the number that owns a student's processes and files."""
    return numbers[spawner.user.name]


def only_members(spawner: Any) -> None:
    """Refuse a server to who is logged in still, but no longer on the list."""
    if spawner.user.name not in numbers:
        raise web.HTTPError(403, "You are not on the class list.")


c.KubeSpawner.uid = number_of
c.KubeSpawner.gid = number_of
c.KubeSpawner.pre_spawn_hook = only_members

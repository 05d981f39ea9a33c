"""The instructor's page: who runs, how much memory it takes, stop one."""

from __future__ import annotations

import html
import json
import os
import urllib.request
from typing import Any
from urllib.parse import urlparse

from jupyterhub.services.auth import HubOAuthCallbackHandler, HubOAuthenticated
from tornado import ioloop, web

from deploy.limits import memory_of
from deploy.settings import here

PREFIX = os.environ.get("JUPYTERHUB_SERVICE_PREFIX", "/services/class/")
POLICY = "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'"
PAGE = """<!doctype html>
<html lang="en"><meta charset="utf-8"><meta http-equiv="refresh" content="20"><title>Class</title>
<style>
body {{ font: 16px system-ui; margin: 2em; max-width: 60em }}
table {{ border-collapse: collapse }}
th, td {{ padding: .3em 1em; text-align: left; border-bottom: 1px solid #999 }}
td.n {{ text-align: right }}
</style>
<h1>Class</h1>
<p>{summary} Open a server, add or delete somebody: <a href="/hub/admin">the hub's page</a>.</p>
<table>
<thead><tr><th>Name<th>Server<th>Last seen<th>Memory<th>Stop</tr></thead>
<tbody>{rows}</tbody>
</table>
"""


def api(path: str, method: str = "GET") -> Any:
    """Ask the hub, with the service's own token."""
    request = urllib.request.Request(os.environ["JUPYTERHUB_API_URL"] + path, method=method)
    request.add_header("Authorization", f"token {os.environ['JUPYTERHUB_API_TOKEN']}")
    with urllib.request.urlopen(request, timeout=30) as answer:
        return json.loads(answer.read() or "null")


class Handler(HubOAuthenticated, web.RequestHandler):
    """Only who has the scope ``access:services!service=class``: the instructor."""

    allow_admin = True

    def set_default_headers(self) -> None:
        """Let the page load nothing, and nobody frame it."""
        self.set_header("Content-Security-Policy", POLICY)
        self.set_header("Cache-Control", "no-store")

    @web.authenticated
    async def get(self) -> None:
        """Show the class."""
        loop = ioloop.IOLoop.current()
        users = await loop.run_in_executor(None, api, "/users?limit=5000")
        known = {here().settings().instructor, *here().class_list()}
        rows, total, count = [], 0, 0
        for user in sorted(users, key=lambda user: (not user["servers"], user["name"])):
            name, running = user["name"], bool(user["servers"])
            used = await loop.run_in_executor(None, memory_of, name) if running else 0
            total, count = total + used, count + running
            button = (
                f'<form method="post"><input type="hidden" name="name" value="{html.escape(name)}">'
                f"{self.xsrf_form_html()}<button>Stop {html.escape(name)}</button></form>"
            )
            seen = (user["last_activity"] or "never").replace("T", " ")[:16]
            shown = "runs" if running else "" if name in known else "not on the class list"
            rows.append(
                f"<tr><td>{html.escape(name)}<td>{shown}<td>{seen}"
                + (f'<td class="n">{used / 1e6:.0f} MB<td>{button}' if running else "<td><td>")
            )
        summary = f"{count} of {len(users)} run, with {total / 1e6:.0f} MB together."
        self.finish(PAGE.format(summary=summary, rows="".join(rows)))

    @web.authenticated
    async def post(self) -> None:
        """Stop one."""
        name = self.get_body_argument("name")
        if name not in {here().settings().instructor, *here().class_list()}:
            raise web.HTTPError(404)
        await ioloop.IOLoop.current().run_in_executor(None, api, f"/users/{name}/server", "DELETE")
        self.redirect(PREFIX)


def main() -> None:
    """Serve the page on the loopback address."""
    address = urlparse(os.environ["JUPYTERHUB_SERVICE_URL"])
    handlers = [(PREFIX, Handler), (PREFIX + "oauth_callback", HubOAuthCallbackHandler)]
    app = web.Application(handlers, cookie_secret=os.urandom(32), xsrf_cookies=True)
    app.listen(address.port, address.hostname)
    ioloop.IOLoop.current().start()


if __name__ == "__main__":
    main()

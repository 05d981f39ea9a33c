"""Lets pip install the course from a checkout only: without its notebooks it could do nothing."""

from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class FromCheckout(BuildHookInterface):  # type: ignore[misc]  # hatchling is there in builds only
    """Refuses whatever is not an editable install."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """End a build that would take lincourse away from its course."""
        if version != "editable":
            raise SystemExit(
                "lincourse makes the course that lies beside it, and is installed from a checkout "
                "only. In the folder of the course: pip install -e . -e nbsame -e lincourse"
            )

"""Makes the student templates, and grades what comes back.

The order of the modules is the order of the work: ``release`` makes the templates; ``submission``
finds what was handed in, ``reading`` reads it and ``template_merge`` merges it with the template;
``session`` runs it cell by cell in a ``sandbox``, where it can do no harm (``bwrap`` and
``system_calls`` are the walls, ``inside`` is the program behind them); ``judge`` runs it and asks
the hidden cases, here or on another machine (``workers``); ``scoring`` compares the replies with
what ``question`` expects; ``report`` and its neighbours write it all down. README.md beside this
file says what the sandbox promises and what it does not.
"""

SOME_FAILED = 3  # the exit code if some of the work could not be done; 1 is a refusal


class RefusedError(Exception):
    """A command that cannot be carried out, and why, in words for whoever gave it."""

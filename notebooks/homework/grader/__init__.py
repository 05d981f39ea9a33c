"""Makes the student templates, and grades what comes back.

The order of the modules is the order of the work: ``release`` makes the templates; ``submission``
finds what was handed in, ``reading`` and ``layout`` read it and lay it on the template; ``sandbox``
runs it in rooms where it can do no harm (``inside`` is the program behind the walls); ``judge``
shows it and asks the hidden cases, here or on another machine (``work``); ``grading`` compares the
replies with what ``question`` expects; ``report`` and its neighbours write it all down.
"""

import sys

# jsonschema would build a grammar of internationalised addresses, a second in every process, for a
# format that no notebook has; it does without if the package seems missing.
sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]

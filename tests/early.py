"""Loaded before all other plugins, by ``-p tests.early``.

jsonschema, which nbformat needs, would build a grammar of internationalised addresses: a second in
every process, for a format that no notebook has. It does without if the package seems missing.
"""

import sys

sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]

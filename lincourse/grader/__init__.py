"""Makes the student templates, and grades what comes back.

The order of the modules is the order of the work: ``release`` makes the templates; ``submission``
finds what was handed in, ``reading`` and ``layout`` read it and lay it on the template; ``sandbox``
runs it in sandboxes where it can do no harm (``inside`` is the program behind the walls); ``judge``
shows it and asks the hidden cases, here or on another machine (``work``); ``grading`` compares the
replies with what ``question`` expects; ``report`` and its neighbours write it all down.
"""

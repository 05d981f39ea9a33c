"""Makes the student templates, and grades what comes back.

The order of the modules is the order of the work: ``release`` makes the templates; ``submission``
finds what was handed in and lays it on the template; ``sandbox`` runs it where it can do no harm;
``judge`` compares what the student's functions return, outside their interpreter, with what
``question`` expects; ``course`` keeps the grades with nbgrader; ``report`` writes them down.
"""

"""What is measured, one module a section: ``TITLE`` and ``run(quick)``, which returns a Part."""

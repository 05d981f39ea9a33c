"""The course for readers: site, slides and book, made from the stored notebooks."""

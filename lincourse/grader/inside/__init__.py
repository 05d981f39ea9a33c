"""What runs in the sandbox: not trusted, without secrets; it imports only ``lincourse.markup``."""

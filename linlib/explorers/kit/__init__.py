"""What all explorers share."""

"""How fast linlib's learners are beside their peers."""

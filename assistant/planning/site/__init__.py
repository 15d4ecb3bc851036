"""Networks, storage, services and facility around a count of servers, their bill and their cost."""

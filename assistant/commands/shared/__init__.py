"""What several commands take: fetching of configurations, the helper's second reading."""

"""HTTP: connections, limits, headers, guards, sessions, problems, pages of lists."""

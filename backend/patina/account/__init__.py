"""Accounts: who may use this server, how they sign in, and what their role allows."""

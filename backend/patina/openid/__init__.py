"""Sign-in through a provider of OpenID Connect: its identities, and the requests that are under way there."""

"""The provider of OpenID Connect: discovery, its keys, and what it says about a user (OpenID Connect Core 1.0).

Authlib and joserfc make the requests and check the answers.
"""

import ssl
import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, cast

import httpx2
from authlib.integrations.base_client import OAuthError
from authlib.integrations.httpx_client import AsyncOAuth2Client
from authlib.oidc.core import CodeIDToken
from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import KeySet, KeySetSerialization
from joserfc.jws import JWSRegistry

from patina.errors import NotFound, PatinaError
from patina.settings import Settings, settings

TIMEOUT_S = 10.0
KEPT_S = 3600.0
LEEWAY_S = 60  # between the clocks of the two servers
TITLE_CHARS = 200
DETAIL_CHARS = 300
# Signatures by a key that the provider alone has: never `none`, and never a secret that both have.
ALGORITHMS = frozenset({"RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "Ed25519"})
_ENDPOINTS = ("authorization_endpoint", "token_endpoint", "jwks_uri")

OpenidOff = NotFound.of("openid_off", "This server uses no provider")
ProviderUnreachable = PatinaError.of("provider_unreachable", "The provider cannot be reached", status=503)
ProviderRefused = PatinaError.of("provider_refused", "The provider refused", status=403)
ProviderInvalid = PatinaError.of("provider_invalid", "The answer of the provider is not valid", status=502)
IdentityNotAllowed = PatinaError.of("identity_not_allowed", "This server does not accept this identity", status=403)


@dataclass(frozen=True)
class Claims:
    """What the provider says about a user."""

    issuer: str
    subject: str
    title: str
    names: tuple[str, ...]  # for an account, the best first; as the provider wrote them


@dataclass(frozen=True)
class _Known:
    metadata: dict[str, Any]
    keys: KeySet
    until: float


class Provider:
    """A provider, with its metadata and keys, which are fetched when they are needed and kept for an hour."""

    def __init__(self, configured: Settings) -> None:
        self.name = configured.openid_name
        self.issuer = configured.openid_issuer
        self._configured = configured
        self._found: _Known | None = None

    async def address_for(self, *, state: str, nonce: str, verifier: str, redirect_uri: str) -> str:
        """Returns the address that a browser opens to sign in. Raises ProviderUnreachable, ProviderInvalid."""
        known = await self._known()
        async with self._client(known, redirect_uri) as client:
            url, _ = client.create_authorization_url(
                known.metadata["authorization_endpoint"], state=state, nonce=nonce, code_verifier=verifier
            )
            return str(url)

    async def claims_of(self, *, code: str, nonce: str, verifier: str, redirect_uri: str) -> Claims:
        """Exchanges the code for a checked ID token. Returns what it says, with the answer of the user info endpoint.

        Raises ProviderUnreachable, ProviderRefused, ProviderInvalid, and IdentityNotAllowed.
        """
        known = await self._known()
        async with self._client(known, redirect_uri) as client:
            try:
                token = await client.fetch_token(
                    known.metadata["token_endpoint"], code=code, code_verifier=verifier, grant_type="authorization_code"
                )
            except OAuthError as error:
                raise refusal(error.error, error.description) from error
            except (httpx2.HTTPError, OSError) as error:
                raise self._unreachable(error) from error
            except (ValueError, httpx2.InvalidURL) as error:
                raise self._invalid(error) from error
        checked = await self._checked(known, token, nonce)
        claims = await self._user_info(known, token, checked["sub"]) | checked
        self._require_allowed(claims)
        names = [claims[key] for key in ("preferred_username", "email", "name") if isinstance(claims.get(key), str)]
        title = next((claims[key] for key in ("email", "preferred_username", "name") if claims.get(key) in names), "")
        return Claims(self.issuer, claims["sub"], (title or claims["sub"])[:TITLE_CHARS], tuple(names))

    def require_answer_of_this(self, issuer: str | None) -> None:
        """Raises ProviderInvalid if the address that the browser came back with names another issuer (RFC 9207)."""
        if issuer is not None and issuer != self.issuer:
            raise ProviderInvalid(f"The answer is of another issuer than {self.issuer}. Sign in again.")

    def _client(self, known: _Known, redirect_uri: str) -> AsyncOAuth2Client:
        methods = known.metadata.get("token_endpoint_auth_methods_supported", ["client_secret_basic"])
        return AsyncOAuth2Client(
            self._configured.openid_client_id,
            self._configured.openid_client_secret.get_secret_value(),
            "client_secret_basic" if "client_secret_basic" in methods else "client_secret_post",
            scope=self._configured.openid_scope,
            redirect_uri=redirect_uri,
            code_challenge_method="S256",
            **_transport(),
        )

    async def _known(self) -> _Known:
        if self._found is None or time.monotonic() > self._found.until:
            self._found = await self._find()
        return self._found

    async def _find(self) -> _Known:
        """Fetches metadata and keys."""
        async with _http() as client:
            metadata = await self._fetch(client, f"{self.issuer.rstrip('/')}/.well-known/openid-configuration")
            if metadata.get("issuer") != self.issuer:
                raise ProviderInvalid(
                    f"{self.issuer} calls itself {metadata.get('issuer')!r}. Set PATINA_OPENID_ISSUER to that name."
                )
            missing = [name for name in _ENDPOINTS if not isinstance(metadata.get(name), str)]
            if missing:
                raise ProviderInvalid(f"The metadata of {self.issuer} lacks {', '.join(missing)}.")
            keys = await self._fetch(client, metadata["jwks_uri"])
        try:
            return _Known(metadata, KeySet.import_key_set(cast(KeySetSerialization, keys)), time.monotonic() + KEPT_S)
        except _BAD_TOKEN as error:
            raise self._invalid(error) from error

    async def _fetch(self, client: httpx2.AsyncClient, url: str, **options: Any) -> dict[str, Any]:
        try:
            answer = await client.get(url, **options)
            answer.raise_for_status()
            found = answer.json()
        except (httpx2.HTTPError, OSError) as error:
            raise self._unreachable(error) from error
        except (ValueError, httpx2.InvalidURL) as error:
            raise self._invalid(error) from error
        if not isinstance(found, dict):
            raise ProviderInvalid(f"The provider sent no JSON object from {url}.")
        return found

    async def _checked(self, known: _Known, token: Mapping[str, Any], nonce: str) -> dict[str, Any]:
        """Returns the claims of the ID token: signature, algorithm, issuer, audience, times and nonce are right."""
        if not isinstance(token.get("id_token"), str):
            raise ProviderInvalid("The provider sent no ID token. Add the scope openid to PATINA_OPENID_SCOPE.")
        supported = known.metadata.get("id_token_signing_alg_values_supported", ["RS256"])
        registry = JWSRegistry(algorithms=[name for name in supported if name in ALGORITHMS], strict_check_header=False)
        try:
            try:
                decoded = jwt.decode(token["id_token"], known.keys, registry=registry)
            except JoseError:  # perhaps by a key that is newer than those that are kept
                self._found = await self._find()
                decoded = jwt.decode(token["id_token"], self._found.keys, registry=registry)
            client_id = self._configured.openid_client_id
            claims = CodeIDToken(
                decoded.claims,
                decoded.header,
                {
                    "iss": {"essential": True, "value": self.issuer},
                    "sub": {"essential": True},
                    "aud": {"essential": True, "value": client_id},
                },
                {"nonce": nonce, "client_id": client_id, "access_token": token.get("access_token")},
            )
            claims.validate(leeway=LEEWAY_S)
        except _BAD_TOKEN as error:
            raise self._invalid(error) from error
        if not isinstance(claims["sub"], str):
            raise ProviderInvalid("The subject of the ID token is no text.")
        return dict(claims)

    async def _user_info(self, known: _Known, token: Mapping[str, Any], subject: str) -> dict[str, Any]:
        """Returns the claims of the user info endpoint; empty if there is none."""
        endpoint = known.metadata.get("userinfo_endpoint")
        if not isinstance(endpoint, str):
            return {}
        async with _http() as client:
            headers = {"Authorization": f"Bearer {token.get('access_token')}"}
            found = await self._fetch(client, endpoint, headers=headers)
        if found.get("sub") != subject:
            raise ProviderInvalid("The provider sent the user info of another user. Sign in again.")
        return found

    def _require_allowed(self, claims: dict[str, Any]) -> None:
        """Raises IdentityNotAllowed unless the settings accept the claims."""
        domains = self._configured.openid_domains_list
        if domains:
            domain = str(claims.get("email", "")).rpartition("@")[2].lower()
            if claims.get("email_verified") is not True or domain not in domains:
                raise IdentityNotAllowed(
                    f"{self.name} states no confirmed e-mail address in {' or '.join(domains)} for you. Sign in there "
                    "with another account, or ask an owner of this server."
                )
        name, _, value = self._configured.openid_claim.partition("=")
        found = claims.get(name)
        if name and value not in (found if isinstance(found, list) else [found]):
            raise IdentityNotAllowed(
                f"{self.name} does not state {name} {value} for you. Ask an owner of this server who may sign in."
            )

    def _unreachable(self, error: Exception) -> PatinaError:
        return ProviderUnreachable(
            f"{self.issuer} did not answer as expected ({_short(error)}). Try again later, or sign in with a password."
        )

    def _invalid(self, error: Exception) -> PatinaError:
        return ProviderInvalid(
            f"What {self.issuer} sent failed a check ({_short(error)}). Sign in again; an owner of this server finds "
            "what to check in docs/operations.md."
        )


_BAD_TOKEN = (JoseError, ValueError, KeyError, TypeError)


def _transport() -> dict[str, Any]:
    """Returns options of HTTP: the certificates of the system, and no proxy."""
    return {"verify": ssl.create_default_context(), "trust_env": False, "timeout": TIMEOUT_S}


def _http() -> httpx2.AsyncClient:
    return httpx2.AsyncClient(**_transport())


def refusal(error: str, description: str | None) -> PatinaError:
    """Returns the refusal that an error of the provider is."""
    said = f"{error}: {description}" if description else error
    return ProviderRefused(f"The provider said: {said[:DETAIL_CHARS]}. Sign in again, or ask an owner of this server.")


def _short(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"[:DETAIL_CHARS]


@lru_cache(maxsize=1)
def _provider_of(configured: Settings) -> Provider:
    return Provider(configured)


def forget_provider() -> None:
    """Forgets what was fetched from the provider."""
    _provider_of.cache_clear()


def configured_provider() -> Provider | None:
    """Returns the provider of the settings; None if there is none."""
    return _provider_of(settings()) if settings().openid_issuer else None


def require_provider() -> Provider:
    """Returns the provider of the settings. Raises OpenidOff."""
    found = configured_provider()
    if found is None:
        raise OpenidOff("No provider is configured. Sign in with name and password.")
    return found

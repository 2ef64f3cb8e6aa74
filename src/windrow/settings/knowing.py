"""Who is known beside the machine's own token and login links: an OpenID Connect issuer."""

from pydantic import Field
from pydantic_settings import BaseSettings

from windrow.settings.fields import Name, Words


class Knowing(BaseSettings):
    """Who is known beside the machine's own token and login links: an OpenID Connect issuer."""

    oidc_issuer: str | None = Field(
        None,
        pattern=r"^https?://[^?#@\s]+$",
        description="The issuer that vouches for people and programs, by the letter as its tokens name it (`iss`). Nobody is asked when not set.",
    )
    oidc_name: str | None = Field(
        None, max_length=40, description="What the console's button calls it; its host when not set."
    )
    oidc_client_id: str | None = Field(
        None, description="What the console is to the issuer. When set, people can log in there."
    )
    oidc_client_secret_ref: str | None = Field(
        None, description="The `credential_ref` of that client's secret; a public client has none."
    )
    oidc_scopes: Words = Field(
        ("openid", "profile", "email"), description="What the console asks the issuer for, several between spaces."
    )
    oidc_audience: Words = Field(
        (),
        description="The audience that tokens for the API are made out to. When set, the API takes the issuer's tokens. Further words are audiences that may stand beside it, such as Keycloak's `account`.",
    )
    oidc_tenant_claim: str = Field("tenant_id", description="The claim that names the tenant; `a.b` is `b` within `a`.")
    oidc_project_claim: str = Field("project_id", description="The claim that names the project.")
    oidc_roles_claim: str = Field(
        "roles", description="The claim that lists the roles, such as Keycloak's `realm_access.roles`."
    )
    oidc_subject_claim: str | None = Field(
        None,
        description="The claim by which people are called here; a verified e-mail, else `sub`, when not set. Name none that people can change themselves.",
    )
    oidc_tenant: Name | None = Field(
        None, description="The tenant of everybody whom the issuer vouches for, in place of a claim."
    )
    oidc_project: Name | None = Field(None, description="Their project, in place of a claim.")
    oidc_roles: Words = Field(
        (),
        description="What the issuer calls our roles: `NAME=reader`, `NAME=writer`, `NAME=admin`, several between spaces; as we do when not set.",
    )
    oidc_operators: str | None = Field(
        None,
        description="The role, by the issuer's name, whose holders may look at every tenant in the console; nobody when not set.",
    )
    oidc_session_hours: int = Field(
        12,
        ge=1,
        le=168,
        description="How long a login at the issuer lasts at the most, whatever happens there meanwhile.",
    )

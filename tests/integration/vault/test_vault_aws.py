"""`aws-sm:` references against a Secrets Manager that speaks the real protocol."""

import logging
import socket
import sys
from collections.abc import Iterator
from typing import Any

import boto3
import pytest
from botocore.exceptions import ClientError, NoRegionError
from moto.server import ThreadedMotoServer
from tests.conftest import Said

from windrow.contracts.errors import Code, Fatal, RateLimited, RetryableTransient, ValidationFailure, classify
from windrow.vault import Grants, Secret, Vault
from windrow.vault.aws import AwsSecretsManager

CANARY = "aws-canary-9e27"
IDENTITY = {"region": "eu-west-1", "access_key_id": "key"}


@pytest.fixture(scope="module")
def endpoint() -> Iterator[str]:
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = ThreadedMotoServer("127.0.0.1", port=0)
    server.start()
    host, port = server.get_host_and_port()
    yield f"http://{host}:{port}"
    server.stop()


@pytest.fixture(scope="module")
def aws(endpoint: str) -> Any:
    """The operator's own access, to put secrets there."""
    client = boto3.session.Session().client(
        "secretsmanager",
        endpoint_url=endpoint,
        region_name="eu-west-1",
        aws_access_key_id="key",
        aws_secret_access_key="key-canary-1",
    )
    client.create_secret(Name="windrow/acme/github", SecretString=CANARY)
    client.create_secret(Name="windrow/acme/service", SecretString='{"user": "windrow", "password": "pw-canary"}')
    client.create_secret(Name="windrow/acme/binary", SecretBinary=b"\x00\x01")
    client.create_secret(Name="windrow/other/github", SecretString="not yours")
    return client


@pytest.fixture
def vault(endpoint: str, aws: Any) -> Vault:
    backend = AwsSecretsManager(endpoint_url=endpoint, secret_access_key=Secret("key-canary-1"), **IDENTITY)
    return Vault([backend], Grants.parse(["aws-sm:windrow/{tenant}/*"]))


@pytest.mark.req("HV-3")
async def test_a_secret_is_read_whole_and_by_field(vault: Vault) -> None:
    assert (await vault.resolve("aws-sm:windrow/acme/github", "acme")).reveal() == CANARY
    assert (await vault.resolve("aws-sm:windrow/acme/service#password", "acme")).reveal() == "pw-canary"


async def test_a_rotated_secret_is_read_after_the_old_one_was_refused(vault: Vault, aws: Any) -> None:
    aws.create_secret(Name="windrow/acme/rotating", SecretString="before-rotation")
    refused = await vault.resolve("aws-sm:windrow/acme/rotating", "acme")
    aws.put_secret_value(SecretId="windrow/acme/rotating", SecretString="after-rotation")

    assert (await vault.resolve("aws-sm:windrow/acme/rotating", "acme")) == refused
    assert (await vault.refresh("aws-sm:windrow/acme/rotating", "acme")).reveal() == "after-rotation"


@pytest.mark.req("HV-3")
async def test_another_tenants_secret_is_refused(vault: Vault) -> None:
    with pytest.raises(Fatal) as raised:
        await vault.resolve("aws-sm:windrow/other/github", "acme")

    assert raised.value.code is Code.FORBIDDEN


async def test_a_secret_that_does_not_exist_is_a_missing_credential(vault: Vault) -> None:
    with pytest.raises(Fatal) as raised:
        await vault.resolve("aws-sm:windrow/acme/absent", "acme")

    assert raised.value.code is Code.CREDENTIAL_MISSING
    assert "aws-sm:windrow/acme/absent" in raised.value.message


async def test_a_secret_of_bytes_is_refused(vault: Vault) -> None:
    with pytest.raises(ValidationFailure, match="bytes and not text"):
        await vault.resolve("aws-sm:windrow/acme/binary", "acme")


async def test_a_secrets_manager_that_is_away_is_transient() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        backend = AwsSecretsManager(
            endpoint_url=f"http://127.0.0.1:{taken.getsockname()[1]}",
            secret_access_key=Secret("key-canary-1"),
            **IDENTITY,
        )
        with pytest.raises(RetryableTransient) as raised:
            await Vault([backend], Grants.parse(["aws-sm:*"])).resolve("aws-sm:x", "acme")

    assert raised.value.code is Code.NETWORK


async def test_without_boto3_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "boto3", None)

    with pytest.raises(Fatal) as raised:
        await Vault([AwsSecretsManager()], Grants.parse(["aws-sm:*"])).resolve("aws-sm:x", "acme")

    assert raised.value.hint == "pip install 'windrow[aws]'"


@pytest.mark.req("HV-3", "HV-40", "LT-3")
async def test_the_value_is_in_no_log_even_at_the_librarys_most_talkative(vault: Vault, aws: Any, said: Said) -> None:
    aws.create_secret(Name="windrow/acme/unseen", SecretString="unseen-canary-that-no-redactor-knows-yet")
    logging.getLogger().setLevel(logging.DEBUG)
    try:
        await vault.refresh("aws-sm:windrow/acme/unseen", "acme")
    finally:
        logging.getLogger().setLevel(logging.WARNING)

    assert said.raw
    assert not [line for line in said.raw if "canary" in line]


@pytest.mark.parametrize(
    ("answered", "kind", "code"),
    [
        ("AccessDeniedException", Fatal, Code.FORBIDDEN),
        ("ExpiredTokenException", Fatal, Code.UNAUTHORIZED),
        ("InvalidRequestException", Fatal, Code.CREDENTIAL_MISSING),
        ("InvalidParameterException", ValidationFailure, Code.REFUSED),
        ("ThrottlingException", RateLimited, Code.RATE_LIMITED),
        ("InternalServiceError", RetryableTransient, Code.UNAVAILABLE),
    ],
)
def test_what_aws_answers_is_told_in_our_family(vault: Vault, answered: str, kind: type[Exception], code: Code) -> None:
    import windrow.vault.aws_errors  # noqa: F401 - as the backend does once it has connected

    error = classify(ClientError({"Error": {"Code": answered, "Message": "…"}}, "GetSecretValue"))

    assert type(error) is kind
    assert error.code is code
    assert answered in error.message


def test_a_process_without_a_region_is_told_to_set_one() -> None:
    import windrow.vault.aws_errors  # noqa: F401

    error = classify(NoRegionError())

    assert (error.code, error.hint) == (Code.CONFIGURATION, "set AWS_REGION for this process")

"""`aws-sm:NAME`: a secret of AWS Secrets Manager. Needs boto3, which comes with `windrow[aws]`."""

import asyncio
import logging
from typing import Any

from windrow.contracts.errors import Code, Fatal, ValidationFailure, classify
from windrow.vault.backend import missing
from windrow.vault.grants import Permitted
from windrow.vault.reference import Reference
from windrow.vault.secret import Secret


class AwsSecretsManager:
    """Asks with the given identity or, where none is given, with what boto3 finds for the process (role, profile …).

    boto3 knows only blocking calls, so they run in threads; the vault sees to it that there are few of them.
    """

    scheme = "aws-sm"

    def __init__(
        self,
        *,
        region: str | None = None,
        endpoint_url: str | None = None,
        access_key_id: str | None = None,
        secret_access_key: Secret | None = None,
    ) -> None:
        self._region, self._endpoint_url = region, endpoint_url
        self._access_key_id, self._secret_access_key = access_key_id, secret_access_key
        self._client: Any = None
        self._connecting = asyncio.Lock()

    async def read(self, permitted: Permitted) -> str:
        async with self._connecting:
            if self._client is None:
                self._client = await asyncio.to_thread(self._connect)
        return await asyncio.to_thread(_read, self._client, permitted.reference)

    def _connect(self) -> Any:
        # at DEBUG botocore logs whole responses, before anybody could know what in them is secret
        logging.getLogger("botocore").setLevel(logging.INFO)
        try:
            import boto3
            from botocore.config import Config

            from windrow.vault import aws_errors  # noqa: F401 - registers with classify, once botocore is there
        except ImportError as error:
            raise Fatal(
                "aws-sm: credentials need boto3, which is not installed",
                code=Code.CONFIGURATION,
                hint="pip install 'windrow[aws]'",
            ) from error
        secret = self._secret_access_key
        try:
            return boto3.session.Session().client(
                "secretsmanager",
                region_name=self._region,
                endpoint_url=self._endpoint_url,
                aws_access_key_id=self._access_key_id,
                aws_secret_access_key=secret.reveal() if secret else None,
                # a hiccup is retried here, once; whatever lasts longer has another owner
                config=Config(connect_timeout=3, read_timeout=5, retries={"total_max_attempts": 2, "mode": "standard"}),
            )
        except Exception as error:
            raise classify(error) from error


def _read(client: Any, reference: Reference) -> str:
    try:
        answer = client.get_secret_value(SecretId=reference.name)
    except client.exceptions.ResourceNotFoundException as error:
        raise missing(reference, "create the secret in AWS Secrets Manager, or check its name and region") from error
    except Exception as error:
        raise classify(error) from error
    if "SecretString" not in answer:
        raise ValidationFailure(
            f"{reference} holds bytes and not text", code=Code.INVALID_VALUE, hint="store it as a SecretString"
        )
    return str(answer["SecretString"])

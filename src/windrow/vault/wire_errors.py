"""What `requests` raises, in our family. Imported once it is known to be installed."""

from requests.exceptions import InvalidURL, MissingSchema, RequestException, SSLError, Timeout

from windrow.contracts.errors import Code, Fatal, RetryableTransient, WindrowError, classify


@classify.register
def _(error: RequestException) -> WindrowError:
    # without its words, which quote addresses
    return RetryableTransient(f"the vault cannot be reached ({type(error).__name__})", code=Code.NETWORK)


@classify.register
def _(error: Timeout) -> WindrowError:
    return RetryableTransient(f"the vault did not answer in time ({type(error).__name__})", code=Code.TIMEOUT)


@classify.register
def _(error: SSLError) -> WindrowError:  # noqa: ARG001 - its words quote the address
    return RetryableTransient(
        "the vault's certificate is not accepted", code=Code.NETWORK, hint="name who signed it (WINDROW_VAULT_CA)"
    )


@classify.register(InvalidURL)
@classify.register(MissingSchema)
def _(error: RequestException) -> WindrowError:
    return Fatal(f"the vault's address is none ({type(error).__name__})", code=Code.CONFIGURATION, hint="check it")

"""Certificates for loopback, made for one test: an authority, and what it has signed."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from ipaddress import IPv4Address
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID


@dataclass(frozen=True)
class Certified:
    """A certificate and its private key, in PEM."""

    cert: bytes
    key: bytes

    def written(self, folder: Path) -> tuple[Path, Path]:
        """As files: `ssl` loads no other."""
        cert, key = folder / "cert.pem", folder / "key.pem"
        cert.write_bytes(self.cert)
        key.write_bytes(self.key)
        return cert, key


class Authority:
    """Signs certificates."""

    def __init__(self, name: str = "an authority of the tests") -> None:
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = _named(name)
        self._cert = (
            _draft(self._name, self._name, self._key.public_key())
            .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
            .sign(self._key, hashes.SHA256())
        )

    @property
    def cert(self) -> bytes:
        return self._cert.public_bytes(serialization.Encoding.PEM)

    def certify(self, *names: str) -> Certified:
        """For these host names or addresses."""
        key = ec.generate_private_key(ec.SECP256R1())
        alternatives: list[x509.GeneralName] = [
            x509.IPAddress(IPv4Address(name)) if name[0].isdigit() else x509.DNSName(name) for name in names
        ]
        signed = (
            _draft(_named(names[0]), self._name, key.public_key())
            .add_extension(x509.SubjectAlternativeName(alternatives), critical=False)
            .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
            .sign(self._key, hashes.SHA256())
        )
        private = key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
        return Certified(signed.public_bytes(serialization.Encoding.PEM), private)


def _named(name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])


def _draft(subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePublicKey) -> x509.CertificateBuilder:
    now = datetime.now(UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key)
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(hours=1))
        .not_valid_after(now + timedelta(days=1))
    )

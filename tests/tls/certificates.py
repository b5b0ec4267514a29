"""Writes certificates that a test's authority issued to PEM files."""

import os
from dataclasses import dataclass
from pathlib import Path

import trustme
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
)


@dataclass(frozen=True, slots=True)
class Certificate:
    """Files of a certificate: its chain, its private key (PKCS#8), and both together."""

    chain: Path
    key: Path
    both: Path


def write_certificate(folder: Path, name: str, made: trustme.LeafCert) -> Certificate:
    """Writes the files of a certificate. Their names begin with `name`."""
    written = Certificate(folder / f"{name}-chain.pem", folder / f"{name}-key.pem", folder / f"{name}.pem")
    chain = b"".join(each.bytes() for each in made.cert_chain_pems)
    # Kafka reads only private keys in PKCS#8, but trustme writes an older format.
    parsed = load_pem_private_key(made.private_key_pem.bytes(), password=None)
    key = parsed.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    for path, text in ((written.chain, chain), (written.key, key), (written.both, key + chain)):
        path.write_bytes(text)
        os.chmod(path, 0o600)
    return written


def write_authority(folder: Path, name: str, authority: trustme.CA) -> Path:
    """Writes the authority's certificate, for clients that trust it. Returns the file's path."""
    path = folder / f"{name}.pem"
    authority.cert_pem.write_to_path(str(path))
    return path

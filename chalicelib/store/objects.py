"""Files that are too large for an answer: put into a bucket that forgets them within a day, and fetched there, for some
minutes, by whoever has the address.

Access patterns: put under a name that says what it is, so that the same text is put over itself; sign an address.
"""

from typing import IO, Final

from chalicelib.settings.core import core_settings
from chalicelib.store import client

ADDRESS_SECONDS: Final = 600
KEPT_SECONDS: Final = 86_400.0  # an object is there for so long


def share(name: str, text: bytes, media_type: str, file_name: str) -> str:
    """Store a text, and give the address where anybody can fetch it for ten minutes. Raises botocore's errors.

    ``file_name``: what browsers save it as.
    """
    put(name, text, media_type)
    return address_of(name, file_name)


def put(name: str, content: bytes | IO[bytes], media_type: str) -> None:
    """Store an object, of which a file is read bit by bit. Raises botocore's errors."""
    client.s3().put_object(Bucket=core_settings().exports_bucket, Key=name, Body=content, ContentType=media_type)


def delete(name: str) -> None:
    """Delete an object, if there is one. Raises botocore's errors."""
    client.s3().delete_object(Bucket=core_settings().exports_bucket, Key=name)


def address_of(name: str, file_name: str) -> str:
    """The address where anybody can fetch an object for ten minutes. Asks nobody whether it is there."""
    bucket = core_settings().exports_bucket
    disposition = f'attachment; filename="{file_name}"'
    address: str = client.s3().generate_presigned_url(
        "get_object",
        Params={"Bucket": bucket, "Key": name, "ResponseContentDisposition": disposition},
        ExpiresIn=ADDRESS_SECONDS,
    )
    return address

"""Files that are too large for an answer. They are stored in a bucket whose objects expire within a day. Anyone who has
a file's signed address can download the file for ten minutes.

Access patterns
- put a file under a name that is made from its content, so that the same content is stored only once
- sign an address
"""

from typing import IO, Final

from chalicelib.settings.core import core_settings
from chalicelib.store import client

ADDRESS_SECONDS: Final = 600
KEPT_SECONDS: Final = 86_400.0  # how long an object exists


def share(name: str, text: bytes, media_type: str, file_name: str) -> str:
    """Store a text, and return the address from which anyone can download it for ten minutes. ``file_name``: the name
    under which browsers save it. Raises botocore's errors.
    """
    put(name, text, media_type)
    return address_of(name, file_name)


def put(name: str, content: bytes | IO[bytes], media_type: str) -> None:
    """Store an object. A file is read piece by piece. Raises botocore's errors."""
    client.s3().put_object(Bucket=core_settings().exports_bucket, Key=name, Body=content, ContentType=media_type)


def delete(name: str) -> None:
    """Delete an object, if there is one. Raises botocore's errors."""
    client.s3().delete_object(Bucket=core_settings().exports_bucket, Key=name)


def address_of(name: str, file_name: str) -> str:
    """Return the address from which anyone can download an object for ten minutes. This does not check whether the
    object exists."""
    bucket = core_settings().exports_bucket
    disposition = f'attachment; filename="{file_name}"'
    address: str = client.s3().generate_presigned_url(
        "get_object",
        Params={"Bucket": bucket, "Key": name, "ResponseContentDisposition": disposition},
        ExpiresIn=ADDRESS_SECONDS,
    )
    return address

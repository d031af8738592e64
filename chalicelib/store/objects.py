"""Texts that are too large for an answer: put into a bucket that forgets them within a day, and fetched there, for some
minutes, by whoever has the address.

Access patterns: put under a name that says what it is, so that the same text is put over itself; sign an address.
"""

from typing import Final

from chalicelib.settings.core import core_settings
from chalicelib.store import client

ADDRESS_SECONDS: Final = 600


def share(name: str, text: bytes, media_type: str, file_name: str) -> str:
    """Store a text, and give the address where anybody can fetch it for ten minutes. Raises botocore's errors.

    ``file_name``: what browsers save it as.
    """
    bucket = core_settings().exports_bucket
    client.s3().put_object(Bucket=bucket, Key=name, Body=text, ContentType=media_type)
    disposition = f'attachment; filename="{file_name}"'
    address: str = client.s3().generate_presigned_url(
        "get_object",
        Params={"Bucket": bucket, "Key": name, "ResponseContentDisposition": disposition},
        ExpiresIn=ADDRESS_SECONDS,
    )
    return address

"""The image store on a bucket of an S3. It needs the extra `s3`: import it where one is used."""

from adsvc.storage.s3.bucket import Bucket, Location
from adsvc.storage.s3.store import S3ImageStore

__all__ = ["Bucket", "Location", "S3ImageStore"]

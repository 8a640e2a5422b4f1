"""Pictures to upload, and the form in which they go up."""

import io
import json
from random import Random

from PIL import Image, ImageFilter

from adsvc.kit.pictures.normalise import normalise

BOUNDARY = "a-boundary-that-no-picture-contains"
CONTENT_TYPE = f"multipart/form-data; boundary={BOUNDARY}"
MEGAPIXELS_12 = (4000, 3000)
# As photographs of twelve megapixels are stored.
STORED_BYTES = 500_000
NEAR = 0.02
MAX_PIXELS = 40_000_000


def photo(size: tuple[int, int], *, quality: int = 90) -> bytes:
    """About as hard to decode and to encode as a photograph: large shapes, edges and grain."""
    random = Random(7)
    coarse = Image.frombytes("RGB", (24, 18), random.randbytes(24 * 18 * 3))
    fine = Image.frombytes("RGB", (400, 300), random.randbytes(400 * 300 * 3))
    grain = Image.effect_noise(size, 24).convert("RGB")
    shapes = coarse.resize(size, Image.Resampling.BICUBIC)
    edges = fine.filter(ImageFilter.ModeFilter(5)).resize(size, Image.Resampling.BILINEAR)
    picture = Image.blend(Image.blend(shapes, edges, 0.3), grain, 0.12)
    output = io.BytesIO()
    picture.save(output, "JPEG", quality=quality)
    return output.getvalue()


def picture_stored_as(wanted: int = STORED_BYTES) -> bytes:
    """One of which about so many bytes are left when the service has made it fit for the web."""
    lowest, highest = 64, 2048
    while True:
        width = (lowest + highest) // 2
        picture = photo((width, width * 3 // 4))
        stored = len(normalise(picture, max_pixels=MAX_PIXELS).data)
        if abs(stored - wanted) <= wanted * NEAR or highest - lowest <= 1:
            return picture
        lowest, highest = (width, highest) if stored < wanted else (lowest, width)


# No search of the benchmark finds it, however many ads are posted before.
TITLE = "Copper kettle"


def ad_form(picture: bytes) -> bytes:
    properties = {"title": TITLE, "price": 100, "description": "As posted by a person."}
    return b"".join(
        [
            _part('name="properties"', "application/json", json.dumps(properties).encode()),
            _part('name="image"; filename="photo.jpg"', "image/jpeg", picture),
            f"--{BOUNDARY}--\r\n".encode(),
        ]
    )


def _part(name: str, content_type: str, content: bytes) -> bytes:
    head = (
        f"--{BOUNDARY}\r\nContent-Disposition: form-data; {name}\r\n"
        f"Content-Type: {content_type}\r\n\r\n"
    )
    return head.encode() + content + b"\r\n"

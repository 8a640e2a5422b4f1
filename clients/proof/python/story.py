"""A walk through the service with the client that openapi-generator makes for Python.

Arguments: the service's address, a picture, a user name.
"""

import sys
from pathlib import Path

import adsvc_generated as adsvc

PASSWORD = "correct horse battery"  # noqa: S105 - of an account of this walk


def expect(wanted: object, got: object) -> None:
    if got != wanted:
        raise SystemExit(f"{got!r} instead of {wanted!r}")


def walk(address: str, picture: str, name: str) -> None:
    configuration = adsvc.Configuration(host=address)
    with adsvc.ApiClient(configuration) as client:
        auth = adsvc.AuthApi(client)
        auth.register(adsvc.Register(username=name, password=PASSWORD))
        pair = auth.login(adsvc.Login(username=name, password=PASSWORD))
        configuration.access_token = pair.access_token

        ads = adsvc.AdsApi(client)
        oak = adsvc.CreateAd(
            title="Oak table, seats six", price=150, description="Solid oak, oiled."
        )
        ad = ads.create_ad(oak, [("oak.jpg", Path(picture).read_bytes())])
        listed = {each.pk: each.title for each in ads.list_ads(sort=adsvc.Sort("-price")).results}
        expect(oak.title, listed.get(ad.pk))
        expect(oak.title, ads.get_ad(ad.pk).title)
        changed = ads.update_ad(ad.pk, adsvc.CreateOrUpdateAd(title="Oak table, oiled"))
        expect("Oak table, oiled", changed.title)
        ads.delete_ad(ad.pk)
        try:
            ads.get_ad(ad.pk)
            raise SystemExit("a deleted ad is there")
        except adsvc.exceptions.NotFoundException as error:
            expect(404, error.status)

        # A value that a later version may answer.
        me = adsvc.UsersApi(client).get_me().to_dict() | {"role": "AUDITOR"}
        expect("AUDITOR", adsvc.User.from_dict(me).role)
    print("walked")


walk(*sys.argv[1:])

"""What has to be there before a sample of the document can be run as it stands."""

import os
import subprocess
import sys
from dataclasses import dataclass
from typing import Any

import httpx

from adsvc.settings import Settings
from support.pictures import samples as pictures
from support.scene.api import ad_form

# As the examples have them.
USERNAME, PASSWORD, NEW_PASSWORD = (
    "anna@example.com",
    "correct horse battery",
    "another horse, another staple",
)

ADMIN = "admin@example.com"

# The step that an ad has to have taken before another one is possible.
BEFORE = {"releaseAd": "reserve"}


@dataclass(frozen=True)
class Scene:
    """Whose sample it is, and what its path names."""

    username: str
    password: str
    # None where the account is still to be made.
    token: str | None
    values: dict[str, Any]

    def in_place(self, sample: str) -> str:
        """With the pictures that the ad has instead of those of the example."""
        [first, second] = self.values["images"]
        return sample.replace("18, 17", f"{second}, {first}")


class Stage:
    def __init__(self, url: str, settings: Settings) -> None:
        self._http = httpx.Client(base_url=url, timeout=30)
        self._settings = settings

    def close(self) -> None:
        self._http.close()

    def build(self) -> None:
        """Categories, and an administrator."""
        self._operate("categories", "load", "--starter")
        self._register(ADMIN)
        self._operate("users", "promote", ADMIN)

    def _operate(self, *command: str) -> None:
        environment = {**os.environ, **self._settings.to_environment()}
        arguments = [sys.executable, "-m", "adsvc", *command]
        subprocess.run(arguments, env=environment, capture_output=True, check=True)

    def prepare(self, operation_id: str) -> Scene:
        """The example's account as if it were new, with an ad that has two pictures."""
        self._remove_account()
        # An earlier sample may have deleted the category.
        username = ADMIN if "Categor" in operation_id else USERNAME
        if username == USERNAME:
            self._register(username)
        token = self._log_in(username, PASSWORD)
        assert token is not None
        headers = {"Authorization": f"Bearer {token}"}
        values = self._ad(operation_id, headers)
        if username == ADMIN:
            definition = {"parent": "home", "name": "Furniture"}
            self._done(self._http.put("/categories/furniture", json=definition, headers=headers))
        sessions = self._done(self._http.get("/users/me/sessions", headers=headers)).json()
        if operation_id == "endMySession":
            values["id"] = sessions["results"][0]["id"]
        if operation_id == "register":
            self._remove_account()
            token = None
        return Scene(username, PASSWORD, token, values)

    def _ad(self, operation_id: str, headers: dict[str, str]) -> dict[str, Any]:
        parts = [("image", ("a.jpg", pictures.jpeg(), "image/jpeg"))] * 2
        status = "draft" if operation_id == "publishAd" else "active"
        properties = ad_form(status=status)["properties"]
        form: Any = [("properties", properties), *parts]
        ad = self._done(self._http.post("/ads", files=form, headers=headers)).json()
        path = f"/ads/{ad['pk']}"
        text = {"text": "Is it still there?"}
        values = {"id": ad["pk"], "name": ad["image"].rpartition("/")[2]}
        if status == "active":
            sent = self._done(self._http.post(f"{path}/comments", json=text, headers=headers))
            values["commentId"] = sent.json()["pk"]
        if operation_id in BEFORE:
            self._done(self._http.post(f"{path}/{BEFORE[operation_id]}", headers=headers))
        told = self._done(self._http.get(path, headers=headers)).json()
        values["images"] = [image["id"] for image in told["images"]]
        values["imageId"] = values["images"][0]
        return values

    @staticmethod
    def _done(answer: httpx.Response) -> httpx.Response:
        assert answer.is_success, answer.text
        return answer

    def _register(self, username: str) -> None:
        account = {"username": username, "password": PASSWORD}
        self._done(self._http.post("/register", json=account))

    def _log_in(self, username: str, password: str) -> str | None:
        answer = self._http.post("/login", json={"username": username, "password": password})
        return answer.json()["access_token"] if answer.is_success else None

    def _remove_account(self) -> None:
        for password in (PASSWORD, NEW_PASSWORD):
            token = self._log_in(USERNAME, password)
            if token is not None:
                headers = {"Authorization": f"Bearer {token}"}
                sent = {"currentPassword": password}
                self._done(self._http.request("DELETE", "/users/me", json=sent, headers=headers))

from typing import Literal

SettingSource = Literal["command", "default", "environment", "file"] | str


def check_setting_source(value: str) -> SettingSource:
    """As it came: a service that is newer than this client may know more values."""
    return value

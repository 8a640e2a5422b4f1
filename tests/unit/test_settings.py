import re
from pathlib import Path

import pytest
from pydantic import SecretStr

from adsvc.errors import ConfigurationError
from adsvc.kit.db.database import Database
from adsvc.kit.invalidation import InvalidationBus
from adsvc.kit.settings.validators import sender_address, smtp_server
from adsvc.settings import (
    AdEditors,
    LogFormat,
    Settings,
    async_database_url,
    load_settings,
)
from documents import settings_page

SECRET = "0123456789abcdefghijklmnopqrstuvwxyz"


def test_nothing_has_to_be_set() -> None:
    settings = load_settings()
    assert (settings.host, settings.port, settings.workers) == ("127.0.0.1", 8080, 1)
    assert settings.uses_embedded_database
    assert settings.data_dir == Path("data")
    assert settings.image_dir == Path("data/images")
    assert settings.ad_editors is AdEditors.AUTHOR
    assert settings.log_format is LogFormat.CONSOLE


def test_the_limits_are_those_of_the_contract() -> None:
    settings = load_settings()
    assert (settings.username_min_length, settings.username_max_length) == (4, 254)
    assert (settings.password_min_length, settings.password_max_length) == (8, 128)
    assert settings.name_max_length == 64
    assert (settings.phone_min_length, settings.phone_max_length) == (5, 32)
    assert (settings.phone_min_digits, settings.phone_max_digits) == (5, 15)
    assert (settings.title_min_length, settings.title_max_length) == (4, 150)
    assert (settings.description_min_length, settings.description_max_length) == (8, 8000)
    assert settings.price_max == 2_147_483_647
    assert settings.json_body_max_bytes == 64 * 1024
    assert settings.image_max_bytes == 10 * 1024 * 1024
    assert settings.image_max_pixels == 40_000_000
    assert (settings.page_size_default, settings.page_size_max) == (100, 1000)
    assert settings.access_token_seconds == 15 * 60


def test_overrides_outrank_the_environment_which_outranks_the_file(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".env").write_text("ADSVC_PORT=1\nADSVC_HOST=::1\nADSVC_WORKERS=2\nOTHER=x\n")
    monkeypatch.setenv("ADSVC_PORT", "2")
    monkeypatch.setenv("ADSVC_HOST", "0.0.0.0")  # noqa: S104 - nothing listens
    settings = load_settings(port=3, host=None)
    assert (settings.port, settings.host, settings.workers) == (3, "0.0.0.0", 2)  # noqa: S104


def test_a_variable_that_is_empty_is_not_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ADSVC_PORT", "")
    monkeypatch.setenv("ADSVC_DATABASE_URL", "")
    settings = load_settings()
    assert settings.port == 8080
    assert settings.uses_embedded_database


BAD = [
    ("PORT", "abc"),
    ("PORT", "65536"),
    ("PORT", "-1"),
    ("WORKERS", "0"),
    ("WEBHOOK_NETWORKS", "10.0.0.1/8"),
    ("WEBHOOK_NETWORKS", "example.com"),
    ("WEBHOOK_PROXY", "https://proxy.example.com:3128"),
    ("WEBHOOK_PROXY", "http://proxy.example.com:3128/path"),
    ("WEBHOOK_PROXY", "http://proxy.example.com:99999"),
    ("AD_EDITORS", "everybody"),
    ("LOG_FORMAT", "xml"),
    ("RATE_LIMITS", "maybe"),
    ("TITLE_MAX_LENGTH", "0"),
    ("IMAGE_MAX_BYTES", "-1"),
    ("PRICE_MAX", str(2**31)),
    ("PAGE_SIZE_MAX", "1000000"),
    ("DATABASE_URL", "mysql://adsvc@localhost/adsvc"),
    ("DATABASE_URL", "localhost"),
    ("DATABASE_URL", "sqlite:///adsvc.db"),
    ("JWT_SECRET", "short"),
    ("JWT_SECRET", "a" * 64),
    ("JWT_SECRET", "abcabcabcabcabcabcabcabcabcabcabcabc"),
    ("JWT_SECRET", "please-change-me-0123456789-abcdefgh"),
    ("JWT_SECRET", "CHANGE-ME-0123456789-abcdefghijklmno"),
    ("CURRENCY", "EURO"),
    ("CURRENCY", "eur"),
    ("LANGUAGES", ","),
    ("LANGUAGES", "de,english"),
    ("CORS_ORIGINS", "*"),
    ("TRUSTED_PROXIES", "everybody"),
]


# Each would start, and then fail for everybody or for some, or never come into force.
USELESS = {
    "CORS_ORIGINS": (
        "https://Example.com", "https://example.com:443", "http://example.com:80",
        "https://example.com:99999", "https://example.com/app", "https://example..com",
        "https://[::0:1]", "HTTPS://example.com", "null", "https://example.com https://b.example",
    ),
    "DATABASE_URL": (
        "postgresql://one:x,two/ads", "postgresql://one,,two/ads", "postgresql://one:1,/ads",
        "postgresql://db/ads?target_session_attrs=standby",
        "postgresql://db/ads?target_session_attrs=primry",
    ),
    "USERNAME_MAX_LENGTH": ("501", "1000"),
    "DATABASE_TIMEOUT_SECONDS": ("inf", "nan", "0.0001", "1e9"),
    "IMAGE_SECONDS": ("inf", "nan", "1e300"),
    "HEADER_TIMEOUT_SECONDS": ("inf",),
    "REFRESH_TOKEN_SECONDS": (str(10**15),),
    "ACCESS_TOKEN_SECONDS": (str(10**15),),
    "LOGIN_WINDOW_SECONDS": (str(10**15),),
    "SESSIONS_PER_USER": (str(2**63),),
    "COUNT_BOUND": (str(2**63),),
    "FACET_BOUND": (str(2**63),),
    "PASSWORD_MEMORY_KIB": (str(2**32),),
    "PASSWORD_ITERATIONS": (str(2**32),),
    "IMAGE_MEMORY_BYTES": ("1", str(32 * 1024 * 1024)),
    "JSON_BODY_MAX_BYTES": ("1",),
    "HEADER_MAX_BYTES": ("1",),
    "DESCRIPTION_MAX_LENGTH": ("2000000",),
    "TITLE_MAX_LENGTH": ("2000000",),
}  # fmt: skip


@pytest.mark.heavy
def test_a_setting_that_could_only_fail_later_is_refused_at_start(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name, values in USELESS.items():
        for value in values:
            with monkeypatch.context() as patch:
                patch.setenv(f"ADSVC_{name}", value)
                with pytest.raises(ConfigurationError) as refused:
                    load_settings()
            assert f"ADSVC_{name}: " in str(refused.value), value


@pytest.mark.heavy
def test_origins_are_taken_as_browsers_send_them() -> None:
    for origin in (
        "https://example.com", "http://localhost:3000", "https://xn--bcher-kva.example:8443",
        "http://[::1]:3000", "capacitor://localhost", "http://127.0.0.1", "https://a_b.example",
    ):  # fmt: skip
        assert load_settings(cors_origins=origin).cors_origins == (origin,)
        assert load_settings(cors_origins=f"{origin}/").cors_origins == (origin,)


@pytest.mark.parametrize(("name", "value"), BAD)
def test_a_variable_that_cannot_work_is_named_but_not_quoted(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    monkeypatch.setenv(f"ADSVC_{name}", value)
    with pytest.raises(ConfigurationError) as refused:
        load_settings()
    assert f"ADSVC_{name}: " in str(refused.value)
    if name in {"JWT_SECRET", "DATABASE_URL"}:
        assert value not in str(refused.value)


def test_all_variables_at_fault_are_named_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ADSVC_PORT", "abc")
    monkeypatch.setenv("ADSVC_JWT_SECRET", "short")
    with pytest.raises(ConfigurationError, match=r"(?s)ADSVC_PORT.*ADSVC_JWT_SECRET"):
        load_settings()


@pytest.mark.parametrize(
    ("lower", "upper"),
    [("title_min_length", "title_max_length"), ("page_size_default", "page_size_max")],
)
def test_a_range_with_nothing_in_it_is_refused(lower: str, upper: str) -> None:
    with pytest.raises(ConfigurationError, match=f"ADSVC_{lower.upper()} is above"):
        load_settings(**{lower: 9, upper: 8})
    assert getattr(load_settings(**{lower: 8, upper: 8}), upper) == 8


def test_a_secret_is_measured_in_bytes() -> None:
    for secret in ("é" * 6 + "0123456789abcdefghij", "0123456789abcdefghijklmnopqrstuv"):
        assert load_settings(jwt_secret=SecretStr(secret)).required_jwt_secret() == secret
    with pytest.raises(ConfigurationError, match="32 bytes"):
        load_settings(jwt_secret=SecretStr("0123456789abcdefghijklmnopqrstu"))


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("postgres://u:p@db:5433/ads", "postgresql+asyncpg://u:p@db:5433/ads"),
        ("postgresql://u:p@db/ads", "postgresql+asyncpg://u:p@db/ads"),
        ("postgresql+asyncpg://u:p@db/ads", "postgresql+asyncpg://u:p@db/ads"),
        ("postgresql://u@db/ads?sslmode=require", "postgresql+asyncpg://u@db/ads?ssl=require"),
        ("postgresql://u@/ads?host=/run/pg", "postgresql+asyncpg://u@/ads?host=%2Frun%2Fpg"),
        ("postgresql://u:a%40b@db/ads", "postgresql+asyncpg://u:a%40b@db/ads"),
    ],
)
def test_a_database_s_address_is_taken_as_hosting_services_write_it(
    given: str, expected: str
) -> None:
    url = async_database_url(given)
    assert url.render_as_string(hide_password=False) == expected


@pytest.mark.heavy
def test_an_address_that_would_lead_elsewhere_or_nowhere_is_refused_without_its_password() -> None:
    for address, told in (
        # Read as they stand, they would name a host, or a port, by a part of the password.
        ("postgresql://u:12/hush@db/ads", "%2F"),
        ("postgresql://u:p@ss/hush?%#@db/ads", "%2F"),
        ("postgresql://u:12?hush@db:5432/ads", "%3F"),
        ("postgresql://u:hush@db:65536/ads", "port"),
        ("postgresql://u:hush@db:1,two:65536/ads", "database URL"),
        ("postgresql://u:hush@/ads?host=db&port=0", "port"),
        ("postgresql://u:hush@/ads?host=one,two", "several hosts"),
        ("postgresql://u:hush@db/ads?sslmode=require&channel_binding=require", "channel_binding"),
        ("postgresql://u:hush@db/ads?connect_timeout=5&keepalives=1", "connect_timeout, keepaliv"),
    ):
        for name in ("database_url", "database_listen_url", "database_replica_url"):
            with pytest.raises(ConfigurationError, match=told) as refusal:
                load_settings(**{name: SecretStr(address)})
            assert "hush" not in str(refusal.value), address


def test_a_pooler_that_lends_for_a_transaction_needs_a_way_around_it() -> None:
    pooled, direct = "postgresql+asyncpg://u@pooler/ads", "postgresql+asyncpg://u@db/ads"
    lent = {"database_url": SecretStr(pooled), "database_pooling": "transaction"}
    with pytest.raises(ConfigurationError, match="ADSVC_DATABASE_LISTEN_URL"):
        load_settings(**lent)
    settings = load_settings(**lent, database_listen_url=SecretStr(direct))
    assert str(settings.required_database_url()) == pooled
    assert str(settings.database_session_url()) == direct
    assert str(load_settings(database_url=SecretStr(pooled)).database_session_url()) == pooled


@pytest.mark.heavy
def test_pictures_do_not_lead_to_themselves() -> None:
    site, elsewhere = "https://ads.example.com", "https://cdn.example.com/images"
    for address in (elsewhere, f"{site}/cdn"):
        load_settings(site_url=site, image_redirect_url=address)
    for address in (f"{site}/images", f"{site}/images/"):
        with pytest.raises(ConfigurationError, match="ADSVC_IMAGE_REDIRECT_URL"):
            load_settings(site_url=f"{site}/", image_redirect_url=address)


@pytest.mark.heavy
def test_the_address_of_a_picture_may_have_a_place_for_its_name() -> None:
    template = "https://img.example.com/insecure/plain/s3://bucket/ads/{name}@avif"
    for address, found in (
        (template, template.replace("{name}", "a.jpg")),
        ("https://cdn.example.com/ads/", "https://cdn.example.com/ads/a.jpg"),
        (None, "https://ads.example.com/images/a.jpg"),
    ):
        settings = load_settings(site_url="https://ads.example.com", image_redirect_url=address)
        assert settings.picture_address("a.jpg") == found
    for wrong in (f"{template}?x=1", f"{template}/{{name}}", "https://a.test/{size}"):
        with pytest.raises(ConfigurationError, match="ADSVC_IMAGE_REDIRECT_URL"):
            load_settings(image_redirect_url=wrong)


def test_what_is_needed_and_missing_is_named() -> None:
    settings = load_settings()
    with pytest.raises(ConfigurationError, match="ADSVC_DATABASE_URL"):
        settings.required_database_url()
    with pytest.raises(ConfigurationError, match="ADSVC_JWT_SECRET"):
        settings.required_jwt_secret()


def test_secrets_do_not_show_when_settings_are_printed() -> None:
    url = SecretStr("postgresql://u:hush@db/ads")
    settings = load_settings(jwt_secret=SecretStr(SECRET), database_url=url)
    assert SECRET not in repr(settings)
    assert "hush" not in repr(settings)


def test_another_process_reads_the_same_settings_from_the_environment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    settings = load_settings(
        jwt_secret=SecretStr(SECRET),
        database_url=SecretStr("postgresql://u:a%40b@db/ads"),
        ad_editors="authenticated",
        log_format="json",
        data_dir=Path("/somewhere"),
        database_timeout_seconds=0.5,
        port=0,
        cors_origins="https://a.example,https://b.example",
        trusted_proxies="",
        http_basic=True,
    )
    for name, value in settings.to_environment().items():
        monkeypatch.setenv(name, value)
    assert load_settings() == settings
    assert load_settings().required_jwt_secret() == SECRET


def test_every_setting_is_in_the_sample_file() -> None:
    sample = (Path(__file__).parents[2] / ".env.example").read_text()
    told = re.findall(r"^#(ADSVC_\w+)=", sample, re.MULTILINE)
    assert sorted(told) == sorted(f"ADSVC_{name.upper()}" for name in Settings.model_fields)


@pytest.mark.heavy
def test_the_page_about_settings_is_made_of_them() -> None:
    page = settings_page()
    for name in Settings.model_fields:
        assert page.count(f"\n| `ADSVC_{name.upper()}` |") == 1, name
    told = (Path(__file__).parents[2] / "docs/settings.md").read_text()
    assert told == f"{page}\n", "make format"


def test_settings_cannot_be_changed_under_way() -> None:
    with pytest.raises(ValueError, match="frozen"):
        load_settings().port = 1  # type: ignore[misc]


def test_the_address_of_a_mail_server_is_read_with_its_encryption() -> None:
    for text, expected in (
        ("smtp://mail.example.com", ("mail.example.com", 587, None, None, "starttls")),
        ("smtps://u:p@[::1]", ("::1", 465, "u", "p", "tls")),
        ("smtp://a%40b:c%2Fd@m:25/?tls=off", ("m", 25, "a@b", "c/d", "")),
    ):
        server = smtp_server(text)
        encryption = "tls" * server.tls + "starttls" * server.starttls
        found = server.host, server.port, server.user, server.password, encryption
        assert found == expected


def test_a_bad_mail_server_address_is_refused_and_not_repeated() -> None:
    for text in (
        *("", "mail.example.com", "http://m", "smtp://", "smtp://m:99999", "smtp://m/path"),
        *("smtp://secret@m", "smtp://m?tls=on", "smtps://m?tls=off", "smtp://m?x", "smtp://m#x"),
    ):
        with pytest.raises(ValueError, match="must be like") as raised:
            smtp_server(text)
        assert "secret" not in str(raised.value), text


def test_a_sender_is_an_address_with_or_without_a_name() -> None:
    assert str(sender_address("Ads <no@ads.example.com>")) == "Ads <no@ads.example.com>"
    assert sender_address("no@bücher.example.com").domain == "xn--bcher-kva.example.com"
    for text in ("", "Ads", "a@b", "a@example.com\nBcc: b@example.com", "a@example.com, b@c.com"):
        with pytest.raises(ValueError, match="must be a mail address"):
            sender_address(text)


@pytest.mark.parametrize("size", [1, 10, 11])
async def test_as_many_connections_are_counted_as_pools_may_have(size: int) -> None:
    address = "postgresql://a@127.0.0.1:1/a"
    alone = load_settings(database_url=address, database_pool_size=size, jwt_secret=SECRET)
    replicated = load_settings(
        database_url=address, database_pool_size=size, jwt_secret=SECRET,
        database_replica_url=address,
    )  # fmt: skip
    for settings, single in ((alone, 3), (replicated, 4)):
        database = Database.of(settings, InvalidationBus(), pool_size=size)
        pools = sum(usage.size for usage in database.pools.values())
        await database.close()
        # Beside them: one listens, one is for /readyz, one is the sequencer's, and one reads how
        # far a replica must be.
        assert settings.database_connections == pools + single
    assert alone.replica_connections == 0
    assert replicated.primary_connections == alone.primary_connections + 1

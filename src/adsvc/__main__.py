def main() -> None:
    # Not above: processes that the supervisor starts import this module again, and need no more.
    from adsvc_ops.cli import main as run  # noqa: PLC0415

    run()


if __name__ == "__main__":
    main()

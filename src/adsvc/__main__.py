def main() -> None:
    # Not above: processes that decode pictures import this module too, and need nothing of it.
    from adsvc_ops.cli import main as run  # noqa: PLC0415

    run()


if __name__ == "__main__":
    main()

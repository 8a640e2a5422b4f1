from adsvc.cli import main

# Processes that decode pictures import this module too.
if __name__ == "__main__":
    main()

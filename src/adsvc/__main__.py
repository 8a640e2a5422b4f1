from adsvc.cli import main

main()

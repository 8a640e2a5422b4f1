module adsvc/proof

go 1.25

module codeberg.org/go-latex/latex

go 1.26.0

require golang.org/x/image v0.47.0

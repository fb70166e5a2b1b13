package templates

//go:generate go tool templ generate

// Package templates holds all HTML and SVG, as templ components with view models shaped like the page.
package templates

// Package web draws what people see: it turns what core knows into view models and renders templates with them. It
// starts no goroutines.
package web

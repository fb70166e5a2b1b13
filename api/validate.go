package api

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	nethttpmiddleware "github.com/oapi-codegen/nethttp-middleware"

	"termbay/core"
)

// validator is the middleware that refuses what openapi.yaml does not allow and fills in its defaults.
// Its own errors are texts that hold the schema and the value; refusal makes one sentence of them.
func (c *contract) validator(problems problems) func(http.Handler) http.Handler {
	return nethttpmiddleware.OapiRequestValidatorWithOptions(c.doc, &nethttpmiddleware.Options{
		Options: openapi3filter.Options{
			AuthenticationFunc: openapi3filter.NoopAuthenticationFunc, // the guard has looked
			SchemaValidationOptions: []openapi3.SchemaValidationOption{
				openapi3.WithStringFormatValidator("byte", openapi3.NewCallbackValidator(checkBase64)),
			},
		},
		DoNotValidateServers: true,
		ErrorHandlerWithOpts: func(_ context.Context, err error, w http.ResponseWriter, r *http.Request, opts nethttpmiddleware.ErrorHandlerOpts) {
			if opts.MatchedRoute == nil { // chi finds a call in a path with an empty part
				problems.notFound(w, r)
				return
			}
			problems.write(w, r, refusal(err))
		},
	})
}

// checkBase64 decodes as the handler will: the validator's own check is a pattern that knows no padding.
func checkBase64(s string) error {
	_, err := base64.StdEncoding.DecodeString(s)
	return err
}

// checkQuery refuses parameters that the operation does not have, that are given twice, or that cannot be read.
func checkQuery(op operation, raw string) error {
	query, err := url.ParseQuery(raw)
	if err != nil {
		return &core.Error{Code: core.Invalid, Detail: "The query string cannot be read; escape its values."}
	}
	for _, name := range slices.Sorted(maps.Keys(query)) {
		switch {
		case !slices.Contains(op.query, name):
			return invalid(name, "is not a parameter of this call", didYouMean(name, op.query))
		case len(query[name]) > 1:
			return invalid(name, "is given twice; give it once")
		}
	}
	return nil
}

// refusal is a validation error as a problem.
func refusal(err error) error {
	var request *openapi3filter.RequestError
	if !errors.As(err, &request) {
		return err // a fault of ours: it becomes internal
	}
	var path []string
	var schema *openapi3.Schema
	if p := request.Parameter; p != nil {
		path, schema = append(path, p.Name), p.Schema.Value
	}
	var flaw *openapi3.SchemaError
	switch {
	case errors.As(err, &flaw):
		return wrong(append(path, flaw.JSONPointer()...), flaw)
	case errors.Is(err, openapi3filter.ErrInvalidEmptyValue):
		return invalid(strings.Join(path, "."), "may not be empty")
	case schema != nil:
		return invalid(strings.Join(path, "."), "must be "+expected(schema))
	}
	return err
}

// wrong says in one sentence what a schema error means, without the schema and without the value.
func wrong(path []string, flaw *openapi3.SchemaError) *core.Error {
	field, schema := strings.Join(path, "."), flaw.Schema
	value, _ := flaw.Value.(string)
	switch flaw.SchemaField {
	case "required":
		return invalid(field, "is missing")
	case "properties":
		name, known := unknownProperty(flaw)
		return invalid(strings.Join(append(path, name), "."), "is not a field of this request", didYouMean(name, known))
	case "minLength":
		return invalid(field, "may not be empty")
	case "maxLength":
		return invalid(field, fmt.Sprintf("may have at most %d characters", *schema.MaxLength))
	case "maxItems":
		return invalid(field, fmt.Sprintf("may have at most %d items", *schema.MaxItems))
	case "format":
		return invalid(field, "must be base64 with padding")
	case "pattern":
		if strings.ContainsRune(value, 0) {
			return invalid(field, "may not contain NUL characters")
		}
		return invalid(field, "must match "+schema.Pattern)
	case "enum":
		e := invalid(field, "must be "+expected(schema), didYouMean(value, enumOf(schema)))
		e.Valid = enumOf(schema)
		return e
	}
	return invalid(field, "must be "+expected(schema))
}

// unknownProperty is the first name in an object that its schema does not have, and the names that it has.
func unknownProperty(flaw *openapi3.SchemaError) (name string, known []string) {
	object, _ := flaw.Value.(map[string]any)
	known = slices.Sorted(maps.Keys(flaw.Schema.Properties))
	for _, name := range slices.Sorted(maps.Keys(object)) {
		if !slices.Contains(known, name) {
			return name, known
		}
	}
	return "", known
}

// expected is what a schema allows, after "must be".
func expected(schema *openapi3.Schema) string {
	switch {
	case len(schema.Enum) > 0:
		return "one of " + strings.Join(enumOf(schema), ", ")
	case schema.Type.Is("integer") && schema.Min != nil && schema.Max != nil:
		return fmt.Sprintf("an integer from %.0f to %.0f", *schema.Min, *schema.Max)
	case schema.Type.Is("integer"):
		return "an integer"
	case schema.Type.Is("boolean"):
		return "true or false"
	case schema.Type.Is("array"):
		return "a list"
	case schema.Type.Is("object"):
		return "an object"
	}
	return "a string"
}

func enumOf(schema *openapi3.Schema) []string {
	names := make([]string, 0, len(schema.Enum))
	for _, v := range schema.Enum {
		names = append(names, fmt.Sprint(v))
	}
	return names
}

// invalid is the problem that a field is wrong, with hints after it; a long name is cut.
func invalid(field, isWrong string, hints ...string) *core.Error {
	field = core.OneLine(field)
	return &core.Error{Code: core.Invalid, Field: field, Detail: fmt.Sprintf("%q %s.", field, isWrong) + strings.Join(hints, "")}
}

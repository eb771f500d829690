package openapi

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// constructs is a document of three files that has one of everything a document
// may have, by each way that one part of it may lead to another. Its operations
// are small: nothing of them is past a limit, so that what they reach is what
// they show.
func constructs(t testing.TB) *docset {
	t.Helper()
	d := &docset{name: "kiln.yaml", files: map[string]any{}, api: "kiln"}
	for name, text := range map[string]string{"": kilnRoot, "parts/glaze.yaml": kilnGlaze, "parts/paths.json": kilnPaths} {
		v, err := parsed([]byte(strings.ReplaceAll(text, "\t", "  ")))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		d.files[name] = v
	}
	return d
}

// smallDocsets are documents that can be rendered whole, often.
func smallDocsets(t testing.TB) []*docset {
	all := []*docset{constructs(t), readDocset(t, harbour, "harbour"), readDocset(t, "../../examples/bookshop/openapi.yaml", "bookshop"), swaggerDocset(t)}
	if dir := os.Getenv("APISKILLS_CORPUS"); dir != "" {
		all = append(all, readDocset(t, filepath.Join(dir, "redocly-cafe-3.2.yaml"), "cafe"))
	}
	return all
}

func swaggerDocset(t testing.TB) *docset {
	t.Helper()
	v, err := parsed([]byte(oldRoot))
	if err != nil {
		t.Fatal(err)
	}
	return &docset{name: "old.yaml", files: map[string]any{"": v}, api: "old"}
}

const kilnRoot = `
openapi: 3.2.0
info: {title: Kiln, version: "2026-01-01", summary: Firings, description: "Clay, heat, and *time*.\n\nNothing else."}
jsonSchemaDialect: https://spec.openapis.org/oas/3.1/dialect/base
x-skill: {guidance: Ask before a firing.}
externalDocs: {url: https://kiln.example/docs}
servers:
  - {url: "https://{site}.kiln.example/{v}", name: main, description: The workshop, variables: {site: {default: north, enum: [north, south]}, v: {default: "1"}}}
  - {url: https://test.kiln.example}
security:
  - staff: []
  - app: [fire.read]
tags:
  - {name: Firings, description: What is in the kiln, kind: nav, x-skill: {guidance: Firings are hot.}}
  - {name: Pots, summary: Pots and pans, parent: Firings}
  - {name: Glazes}
paths:
  /firings:
    summary: All firings
    parameters:
      - $ref: "#/components/parameters/Tenant"
    get:
      operationId: listFirings
      tags: [Firings]
      summary: List firings
      description: |
        The newest first.

            an indented line
        - one
        - two
      parameters:
        - {name: after, in: query, schema: {type: string, format: date-time}, example: "2026-01-01T00:00:00Z"}
        - {name: state, in: query, explode: false, schema: {type: array, items: {$ref: "#/components/schemas/State"}}}
        - {name: filter, in: query, content: {application/json: {schema: {$ref: "#/components/schemas/Filter"}}}}
        - {name: trace, in: cookie, schema: {type: string}}
      responses:
        "200":
          description: A page
          headers: {X-Total: {$ref: "#/components/headers/Total"}}
          content:
            application/json:
              schema: {type: object, required: [items], properties: {items: {type: array, items: {$ref: "#/components/schemas/Firing"}}, next: {type: [string, "null"]}}}
            application/json+terse: {schema: {type: object, properties: {ids: {type: array, items: {type: string}}}}}
          links:
            one: {operationId: getFiring, parameters: {id: "$response.body#/items/0/id"}}
        "4XX": {$ref: "#/components/responses/Problem"}
    post:
      operationId: startFiring
      tags: [Firings, Pots]
      summary: Start a firing
      security: [{app: [fire.write], badge: []}]
      parameters:
        - {name: Idempotency-Key, in: header, required: true, schema: {type: string, format: uuid}}
      requestBody: {$ref: "#/components/requestBodies/Firing"}
      responses:
        "202":
          description: Accepted
          headers: {Location: {schema: {type: string, format: uri}}}
          links: {watch: {$ref: "#/components/links/Watch"}}
        default: {$ref: "#/components/responses/Problem"}
      callbacks:
        done: {$ref: "#/components/callbacks/Done"}
  /firings/{id}:
    parameters:
      - {name: id, in: path, required: true, schema: {$ref: "#/components/schemas/Id"}}
    servers: [{url: https://hot.kiln.example}]
    get:
      operationId: getFiring
      tags: [Firings]
      summary: Get a firing
      responses:
        "200": {description: It, content: {application/json: {schema: {$ref: "#/components/schemas/Firing"}, examples: {one: {$ref: "#/components/examples/Firing"}}}}}
        default: {$ref: "#/components/responses/Problem"}
    delete:
      operationId: stopFiring
      tags: [Firings]
      summary: Stop a firing
      deprecated: true
      x-replaced-by: {operationId: startFiring}
      responses: {"204": {description: Stopped}}
    additionalOperations:
      COOL:
        operationId: coolFiring
        tags: [Firings]
        summary: Cool it
        responses: {"200": {description: Cooling}}
  /pots:
    query:
      operationId: searchPots
      tags: [Pots]
      summary: Search pots
      security: []
      requestBody: {content: {application/json: {schema: {$ref: "#/components/schemas/Filter"}}}}
      responses:
        "200": {description: Found, content: {application/jsonl: {itemSchema: {$ref: "#/components/schemas/Pot"}}}}
    post:
      operationId: addPot
      tags: [Pots]
      summary: Add a pot
      servers: [{url: https://pots.kiln.example, description: Pots alone}]
      requestBody:
        required: true
        content:
          application/json: {schema: {$ref: "#/components/schemas/Pot"}}
          multipart/form-data:
            schema: {type: object, required: [photo], properties: {photo: {type: string, format: binary}, meta: {$ref: "#/components/schemas/Meta"}}}
            encoding: {meta: {contentType: application/json, headers: {X-Part: {schema: {type: string}}}}}
          application/xml: {schema: {type: object, xml: {name: pot}, properties: {name: {type: string, xml: {attribute: true}}}}}
      responses: {"201": {description: Added, content: {application/json: {schema: {$ref: "#/components/schemas/Pot"}}}}}
  /pots/{pot}/lid:
    $ref: "#/components/pathItems/Lid"
  /glazes:
    $ref: parts/paths.json#/glazes
  /glazes/{name}:
    get: {$ref: "parts/paths.json#/getGlaze"}
  /v1/shards/{shard}.{ext}:
    get:
      description: No tag, and no operationId.
      parameters:
        - {name: shard, in: path, required: true, schema: {type: integer, minimum: 1}}
        - {name: ext, in: path, required: true, schema: {enum: [txt, "012", "yes", "1_0"]}}
      responses: {"200": {description: A shard, content: {text/plain: {schema: {type: string}}, application/octet-stream: {schema: {type: string, format: binary}}}}}
  /tools:
    get:
      operationId: tools
      tags: [Größe]
      summary: "Tools: <all> & 'each' \"one\" # no comment"
      responses: {"200": {description: Tools, content: {application/json: {schema: {$ref: "#/components/schemas/Tool"}}}}}
    put:
      operationId: Tools
      tags: [Größe]
      summary: Put tools
      requestBody: {content: {application/json: {schema: {$ref: "#/components/schemas/Saw"}}}}
      responses: {"200": {description: Tools}}
  /apprentices:
    get:
      operationId: listTheApprenticesOfTheWorkshopWhoHaveFiredAtLeastOnePotInTheLastYearWithoutAnyHelp
      tags: [Pots]
      summary: List apprentices
      responses: {"200": {description: Them, content: {application/json: {schema: {$ref: "#/components/schemas/Tree"}}}}}
webhooks:
  hot:
    post:
      operationId: onHot
      tags: [Firings]
      summary: It is hot
      security: [{badge: []}]
      requestBody: {content: {application/json: {schema: {$ref: "#/components/schemas/Heat"}}}}
      responses: {"204": {description: Thanks}}
components:
  pathItems:
    Lid:
      summary: A lid
      parameters: [{name: pot, in: path, required: true, schema: {type: string}}]
      put:
        operationId: putLid
        tags: [Pots]
        summary: Put the lid on
        requestBody: {content: {application/json: {schema: {anyOf: [{$ref: "#/components/schemas/Id"}, {type: "null"}]}}}}
        responses: {"204": {description: "On"}}
  securitySchemes:
    staff: {type: http, scheme: bearer, bearerFormat: JWT, description: A token of the staff}
    badge: {type: apiKey, in: header, name: X-Badge, description: A badge}
    app: {type: oauth2, flows: {clientCredentials: {tokenUrl: https://kiln.example/token, scopes: {fire.read: Read firings, fire.write: Start firings, fire.admin: Everything}}}}
    unused: {type: openIdConnect, openIdConnectUrl: https://kiln.example/oidc}
  parameters:
    Tenant: {name: X-Tenant, in: header, description: Whose kiln, schema: {$ref: "#/components/schemas/Id"}}
  headers:
    Total: {description: How many, schema: {type: integer}}
  examples:
    Firing: {summary: One, value: {id: f-1, state: hot, degrees: 1240.50}}
  links:
    Watch: {operationRef: "#/paths/~1firings~1{id}/get", description: Watch it}
  requestBodies:
    Firing: {required: true, description: What to fire, content: {application/json: {schema: {$ref: "#/components/schemas/Firing"}}}}
  responses:
    Problem: {description: It went wrong, content: {application/problem+json: {schema: {$ref: "#/components/schemas/Problem"}}}}
  callbacks:
    Done:
      "{$request.body#/tell}":
        post:
          summary: It is done
          requestBody: {content: {application/json: {schema: {$ref: "#/components/schemas/Heat"}}}}
          responses: {"204": {description: Thanks}}
  schemas:
    Id: {type: string, pattern: "^[a-z]-[0-9]+$"}
    State: {enum: [cold, hot, cooling], description: How hot, x-enumDescriptions: {cold: Below 40, hot: Above 600}}
    Heat: {type: object, properties: {degrees: {type: number, minimum: 20, exclusiveMaximum: 1400.5, multipleOf: 0.5}, at: {type: string, format: date-time}}}
    Firing:
      type: object
      required: [id, state]
      properties:
        id: {$ref: "#/components/schemas/Id"}
        made: {type: string, format: date-time, readOnly: true}
        state: {$ref: "#/components/schemas/State"}
        degrees: {type: number, default: 1240.50}
        glaze: {$ref: "parts/glaze.yaml#/Glaze"}
        tell: {type: string, format: uri, writeOnly: true}
        labels: {type: object, additionalProperties: {type: string, maxLength: 10}}
      patternProperties: {"^x-": {type: string}}
      dependentRequired: {degrees: [glaze]}
    Filter:
      type: object
      description: What to look for
      properties:
        q: {type: string, minLength: 1}
        not: {not: {$ref: "#/components/schemas/State"}}
      unevaluatedProperties: false
    Meta: {$ref: "#/components/schemas/RealMeta"}
    RealMeta: {type: object, properties: {maker: {type: string, const: me}}}
    Pot:
      oneOf: [{$ref: "#/components/schemas/Bowl"}, {$ref: "#/components/schemas/Cup"}]
      discriminator: {propertyName: kind, mapping: {bowl: Bowl, cup: "#/components/schemas/Cup"}}
    Bowl: {type: object, required: [kind], properties: {kind: {type: string}, depth: {type: integer, format: int64, maximum: 9007199254740993}}}
    Cup: {type: object, required: [kind], properties: {kind: {type: string}, handle: {type: boolean, default: false}}}
    Tool:
      type: object
      required: [type]
      discriminator: {propertyName: type}
      properties: {type: {type: string}, weight: {$ref: "#/components/schemas/Weight"}}
    Saw: {allOf: [{$ref: "#/components/schemas/Tool"}, {type: object, properties: {teeth: {type: integer}}}]}
    Knife: {allOf: [{$ref: "#/components/schemas/Tool"}], properties: {sharp: {type: boolean}}}
    Weight: {type: number, examples: [1.50, 2]}
    Tree: {type: object, properties: {name: {type: string}, under: {type: array, items: {$ref: "#/components/schemas/Tree"}}, tuple: {type: array, prefixItems: [{type: string}, {$ref: "#/components/schemas/Weight"}]}}}
    Problem: {type: object, properties: {title: {type: string}, status: {type: integer}, code: {$ref: "#/components/schemas/Code"}}}
    Code: {type: string, enum: [too-hot, too-cold]}
    Unused: {type: object, properties: {of: {$ref: "#/components/schemas/Id"}}}
`

const kilnGlaze = `
Glaze:
  type: object
  required: [name]
  properties:
    name: {type: string, maxLength: 40}
    colour: {$ref: "#/Colour"}
    cone: {$ref: "../kiln.yaml#/components/schemas/Weight"}
Colour: {type: string, enum: [white, celadon, tenmoku], description: Its colour}
Lost: {type: string}
`

const kilnPaths = `{
  "glazes": {
    "parameters": [{"name": "page", "in": "query", "schema": {"type": "integer", "default": 1}}],
    "get": {
      "operationId": "listGlazes", "tags": ["Glazes"], "summary": "List glazes",
      "responses": {"200": {"description": "Glazes", "content": {"application/json": {"schema": {"type": "array", "items": {"$ref": "glaze.yaml#/Glaze"}}}}}}
    }
  },
  "getGlaze": {
    "operationId": "getGlaze", "tags": ["Glazes"], "summary": "Get a glaze",
    "parameters": [{"name": "name", "in": "path", "required": true, "schema": {"type": "string"}}],
    "responses": {"200": {"description": "A glaze", "content": {"application/json": {"schema": {"$ref": "glaze.yaml#/Glaze"}}}}, "404": {"$ref": "../kiln.yaml#/components/responses/Problem"}}
  }
}`

const oldRoot = `
swagger: "2.0"
info: {title: Old, version: "1.0"}
host: old.example
basePath: /v1
schemes: [https, http]
consumes: [application/json]
produces: [application/json]
security: [{key: []}]
tags: [{name: Sheep, description: Woolly}]
paths:
  /sheep:
    parameters: [{$ref: "#/parameters/Page"}]
    get:
      operationId: listSheep
      tags: [Sheep]
      summary: List sheep
      responses: {"200": {description: Sheep, schema: {type: array, items: {$ref: "#/definitions/Sheep"}}, headers: {X-Total: {type: integer}}}, default: {$ref: "#/responses/Fault"}}
    post:
      operationId: addSheep
      tags: [Sheep]
      summary: Add a sheep
      security: [{flow: [write]}]
      parameters: [{name: sheep, in: body, required: true, schema: {$ref: "#/definitions/Sheep"}}]
      responses: {"201": {description: Added}}
  /sheep/{id}/photo:
    put:
      operationId: putPhoto
      tags: [Sheep]
      consumes: [multipart/form-data]
      parameters:
        - {name: id, in: path, required: true, type: integer, format: int64}
        - {name: photo, in: formData, type: file, required: true}
        - {name: tags, in: formData, type: array, items: {type: string}, collectionFormat: multi}
      responses: {"204": {description: Kept}}
  /animals:
    get:
      operationId: listAnimals
      schemes: [http]
      responses: {"200": {description: Animals, schema: {$ref: "#/definitions/Animal"}}}
definitions:
  Sheep: {allOf: [{$ref: "#/definitions/Animal"}, {type: object, properties: {wool: {type: number, x-nullable: true}}}]}
  Goat: {allOf: [{$ref: "#/definitions/Animal"}, {type: object, properties: {horns: {type: integer}}}]}
  Animal: {type: object, discriminator: kind, required: [kind], properties: {kind: {type: string}, home: {$ref: "#/definitions/Home"}}}
  Home: {type: object, properties: {hill: {type: string}}}
  Fault: {type: object, properties: {message: {type: string}}}
parameters:
  Page: {name: page, in: query, type: integer, default: 1}
responses:
  Fault: {description: It went wrong, schema: {$ref: "#/definitions/Fault"}}
securityDefinitions:
  key: {type: apiKey, in: query, name: key, description: A key}
  flow: {type: oauth2, flow: application, tokenUrl: https://old.example/token, scopes: {write: Write, read: Read}}
`

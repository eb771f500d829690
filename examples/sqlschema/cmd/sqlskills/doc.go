// Command sqlskills is the command apiskills for SQLite databases, with OpenAPI
// documents beside them. Package sqlschema says how to use it.
package main

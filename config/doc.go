// Package config turns a file, the environment and flags into one validated
// Config.
//
// One table (settings.go) holds for each setting its key in the file, its type
// and range, its default, its flag and what it means. The strict pass over the
// file, the defaults, the environment, the flags and the annotated example are
// all made from that table, so that they cannot tell different stories.
//
// Precedence, rising: default, file, environment, flag.
//
//   - The file is apiskills.yaml in the working directory, or the one named by
//     --config. It is read strictly: an unknown or repeated key, a value of the
//     wrong type or out of range, an alias, or a second YAML document is an
//     *Error with file, line and key. Names stand in lists, as values: a key
//     never carries one. Paths in the file are relative to the file's folder.
//   - The environment sets scalars: APISKILLS_PAGE_SIZE for pageSize,
//     APISKILLS_LOG_LEVEL for log.level. An empty variable is not set.
//   - Flags are registered by AddFlags.
//
// What lives elsewhere: opening the documents, making catalogs, and everything
// the settings are for. This package imports no other package of the module,
// and no other package of the module imports viper.
package config

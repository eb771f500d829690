// Package kebab writes texts in kebab-case, as names of skills are. Whether the result may
// be a name, and whose it is, is for its callers.
package kebab

package check

// ledgerRules are those of internal/ledger.
var ledgerRules = []Rule{}

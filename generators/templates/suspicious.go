package templates

import (
	"regexp"
	"strings"
)

// suspicious finds phrases that tell a reader what to do rather than what the
// API does: addressed to a model, about its rules, or in the costume of a
// conversation. Each is rare in honest documents.
var suspicious = regexp.MustCompile(`(?i)` + strings.Join([]string{
	`\b(ignore|disregard|forget|override|bypass)\b.{0,30}\b(previous|prior|above|earlier|preceding|foregoing|all|your)\b.{0,20}\b(instructions?|prompts?|rules?|guidelines?|directions?|context)\b`,
	`\b(ignore|disregard|forget|override|bypass)\b.{0,30}\b(instructions?|prompts?|rules?|guidelines?|directions?|context)\b.{0,10}\b(above|before|so far|you were given)\b`,
	`(^|[.!?:;*]\s*|\s{2,})\**(system|assistant|developer)( prompt| message)?\**\s*:`,
	`(^|[\s{<\[|])(/?system|im_start|im_end|endoftext|inst)[}>\]|]`,
	`\b(you are|act as|pretend to be|you're) (now )?(an? )?(ai|llm|language model|assistant|chatbot|dan|unrestricted|jailbroken)\b`,
	`\b(system|hidden|secret) prompt\b`,
	`\bdo not (tell|inform|mention (this|it) to|reveal (this|it) to|ask) (the )?(user|human|operator)\b`,
	`\bwithout (telling|informing|asking|notifying) (the )?(user|human|operator)\b`,
	`\bnew (instructions?|rules?|task) ?:`,
	`\b(send|post|upload|forward|leak|exfiltrate)\b.{0,40}\b(env(ironment)?( variables?)?|secrets?|credentials|api keys?|tokens?|passwords?|private keys?|system prompt)\b.{0,30}\bto\b`,
	`\b(important|attention|note)\W{0,5}(ai|llm|agents?|assistants?|language models?)\b`,
	`\b(ai|llm) (agents?|assistants?|models?) (must|should|shall|have to)\b`,
	`\bcurl\b[^\n|]{0,200}\|\s*(sudo\s+)?(ba|z)?sh\b`,
}, "|"))

// triggers are words without which no phrase of suspicious can be there: most
// texts have none of them and need not be searched.
var triggers = []string{
	"ignore", "disregard", "forget", "override", "bypass", "system", "assistant", "developer", "im_start", "im_end", "endoftext", "inst]",
	" ai", "llm", "language model", "agent", "chatbot", " dan", "unrestricted", "jailbroken", "prompt", "do not", "without", "new instruction", "new rule", "new task",
	"send", "post", "upload", "forward", "leak", "exfiltrate", "curl",
}

// Suspicious reports whether p looks like instructions to the reader rather
// than a description. It is a detector for a warning, not a defence.
func Suspicious(p Prose) bool {
	if len(p) < 8 {
		return false
	}
	// The words as they are read, so that no markup hides one.
	s := plainOf(flattenUpTo(p, maxSource))
	if strings.Contains(string(p), "\n") { // and the code between them
		s += " " + oneLine(strings.Join(blockLines(p, maxQuote), "\n"))
	}
	lower := strings.ToLower(" " + s)
	for _, t := range triggers {
		if strings.Contains(lower, t) {
			return suspicious.MatchString(s)
		}
	}
	return false
}

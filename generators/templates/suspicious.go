package templates

import (
	"regexp"
	"slices"
	"strings"
)

// A phrase tells a reader what to do rather than what the API does.
type phrase struct {
	// words are looked for first: one of each list must be there, in lower
	// case. Most texts lack them, and need not be searched.
	words [][]string
	re    *regexp.Regexp
}

// phrases are addressed to a model, are about its rules, or come in the costume
// of a conversation. Each is rare in honest documents.
var phrases = []phrase{
	{
		[][]string{{"ignore", "disregard", "forget", "override", "bypass"}, {"instruction", "prompt", "rule", "guideline", "direction", "context"}},
		regexp.MustCompile(`(?i)\b(ignore|disregard|forget|override|bypass)\b.{0,30}\b((previous|prior|above|earlier|preceding|foregoing|all|your)\b.{0,20}\b(instructions?|prompts?|rules?|guidelines?|directions?|context)|(instructions?|prompts?|rules?|guidelines?|directions?|context)\b.{0,10}\b(above|before|so far|you were given))\b`),
	},
	{
		[][]string{{"system", "assistant", "developer"}, {":"}},
		regexp.MustCompile(`(?i)(^|[.!?:;*]\s*)\**(system|assistant|developer)( prompt| message)?\**\s*:`),
	},
	{
		[][]string{{"system", "im_start", "im_end", "endoftext", "inst"}, {"{", "<", "[", "|"}},
		regexp.MustCompile(`(?i)[{<\[|](/?system|im_start|im_end|endoftext|/?inst)[}>\]|]`),
	},
	{
		[][]string{{"you are", "act as", "pretend to be", "you're"}},
		regexp.MustCompile(`(?i)\b(you are|act as|pretend to be|you're) (now )?(an? )?(ai|llm|language model|assistant|chatbot|dan|unrestricted|jailbroken)\b`),
	},
	{
		[][]string{{" prompt"}},
		regexp.MustCompile(`(?i)\b(system|hidden|secret) prompt\b`),
	},
	{
		[][]string{{"do not ", "without "}, {"user", "human", "operator"}},
		regexp.MustCompile(`(?i)\b(do not (tell|inform|mention (this|it) to|reveal (this|it) to|ask)|without (telling|informing|asking|notifying)) (the )?(user|human|operator)\b`),
	},
	{
		[][]string{{"new instruction", "new rule", "new task"}},
		regexp.MustCompile(`(?i)\bnew (instructions?|rules?|task) ?:`),
	},
	{
		[][]string{{"send", "post", "upload", "forward", "leak", "exfiltrate"}, {"env", "secret", "credential", "key", "token", "password", "prompt"}, {" to "}, {"http", "@", "following", "this"}},
		regexp.MustCompile(`(?i)\b(send|post|upload|forward|leak|exfiltrate)\b.{0,40}\b(env(ironment)?( variables?)?|secrets?|credentials|api keys?|tokens?|passwords?|private keys?|system prompt)\b.{0,30}\bto\b.{0,10}(https?:|\w@|\b(the following|this) (url|address|server|endpoint)\b)`),
	},
	{
		[][]string{{" ai", "llm", "agent", "assistant", "language model"}, {"important", "attention", "note", "must", "should", "shall", "have to"}},
		regexp.MustCompile(`(?i)\b(important|attention|note)\W{1,5}(ai|llm|agents?|assistants?|language models?)\b|\b(ai|llm) (agents?|assistants?|models?) (must|should|shall|have to)\b`),
	},
	{
		[][]string{{"curl", "wget"}, {"|"}, {"sh"}},
		regexp.MustCompile(`(?i)\b(curl|wget)\b[^|]{0,200}\|\s*(sudo\s+)?(ba|z)?sh\b`),
	},
}

func (p *phrase) in(text, lower string) bool {
	for _, list := range p.words {
		if !slices.ContainsFunc(list, func(w string) bool { return strings.Contains(lower, w) }) {
			return false
		}
	}
	return p.re.MatchString(text)
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
	return slices.ContainsFunc(phrases, func(p phrase) bool { return p.in(s, lower) })
}

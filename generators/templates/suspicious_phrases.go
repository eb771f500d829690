package templates

import "regexp"

// phrases are addressed to a model, are about its rules, or come in the costume
// of a conversation. Each is rare in honest documents. They are matched with
// folded text: lower case, no accents, one space between words.
var phrases = []phrase{
	{ // ignore all previous instructions
		[][]string{{"ignor", "disregard", "forget", "overrid", "bypass", "discard", "set aside", "pay no attention"}, {"instruction", "prompt", "rule", "guideline", "direction", "context", "guardrail", "directive", "told"}},
		regexp.MustCompile(`(?s)\b(ignor(e|ing)|disregard(ing)?|forget|overrid(e|ing)|bypass(ing)?|discard|set aside|pay no attention to)\b.{0,30}\b((previous|previously|prior|above|earlier|preceding|foregoing|all|any|your|safety|system)\b.{0,20}\b(instructions?|prompts?|rules?|guidelines?|directions?|directives|guardrails|context)|(instructions?|prompts?|rules?|guidelines?|directions?|directives|context)\b.{0,10}\b(above|before|so far|you were given|you have been given|you received)|(everything|all|what) (that )?you (were|have been) told)\b`),
	},
	{ // SYSTEM: ...
		[][]string{{"system", "assistant", "developer"}, {":"}},
		regexp.MustCompile(`(^|[.!?:;\n]\s*)(system|assistant|developer)( prompt| message| override| note)?\s*:`),
	},
	{
		[][]string{{"system", "im_start", "im_end", "endoftext", "inst", "assistant"}, {"{", "<", "[", "|"}},
		regexp.MustCompile(`[{<\[|](/?system(-reminder|_prompt)?|im_start|im_end|endoftext|start_header_id|/?inst|/?sys|/?assistant)[}>\]|]`),
	},
	{
		[][]string{{"you are", "act as", "pretend to be", "pretend you are", "you're"}},
		regexp.MustCompile(`\b(you are|act as|pretend to be|pretend you are|you're) (now )?(an? )?(ai|llm|language model|assistant|chatbot|dan|unrestricted|jailbroken|developer mode)\b`),
	},
	{
		[][]string{{" prompt"}},
		regexp.MustCompile(`\b(system|hidden|secret|initial) prompt\b`),
	},
	{
		[][]string{{"do not ", "don't ", "never ", "without "}, {"user", "human", "operator"}},
		regexp.MustCompile(`\b((do not|don't|never) (tell|inform|mention (this|it) to|reveal (this|it) to|alert|notify|ask)|without (telling|informing|asking|notifying|alerting|(the )?(knowledge|consent) of)) (the )?(user|human|operator)\b`),
	},
	{
		[][]string{{"new instruction", "new rule", "new task", "new directive"}},
		regexp.MustCompile(`\bnew (instructions?|rules?|task|directives?) ?:`),
	},
	{ // send the credentials to ...
		[][]string{{"send", "post", "upload", "forward", "leak", "exfiltrate", "transmit"}, {"env", "secret", "credential", "key", "token", "password", "prompt", "conversation", "cookie"}, {" to "}, {"http", "@", "following", "this"}},
		regexp.MustCompile(`(?s)\b(send|post|upload|forward|leak|exfiltrate|transmit)\b.{0,40}\b(env(ironment)?( variables?)?|secrets?|credentials|api keys?|tokens?|passwords?|private keys?|system prompt|conversation|cookies)\b.{0,30}\bto\b.{0,10}(https?:|\w@|\b(the following|this) (url|address|server|endpoint)\b)`),
	},
	{
		[][]string{{" ai", "llm", "agent", "assistant", "language model"}, {"important", "attention", "note", "must", "should", "shall", "have to", "required"}},
		regexp.MustCompile(`\b(important|attention|note)\W{1,5}(to )?(all )?(ai|llm|agents?|assistants?|language models?)\b|\b(ai|llm) (agents?|assistants?|models?) (must|should|shall|have to|are required to)\b|\bif you are (an? )?(ai|llm|language model)\b`),
	},
	{
		[][]string{{"curl", "wget"}, {"|"}, {"sh"}},
		regexp.MustCompile(`\b(curl|wget)\b[^|]{0,200}\|\s*(sudo\s+)?(ba|z)?sh\b`),
	},
}

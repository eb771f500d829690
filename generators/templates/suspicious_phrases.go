package templates

// phrases are addressed to a model, are about its rules, or come in the costume
// of a conversation. Each is rare in honest documents. They are matched with
// folded text: lower case, no accents, one space between words.
var phrases = []phrase{
	{ // ignore all previous instructions
		[][]string{{"ignor", "disregard", "forget", "overrid", "bypass", "discard", "set aside", "pay no attention"}, {"instruction", "prompt", "rule", "guideline", "direction", "context", "guardrail", "directive", "told"}},
		lazily(`(?s)\b(ignor(e|ing)|disregard(ing)?|forget|overrid(e|ing)|bypass(ing)?|discard|set aside|pay no attention to)\b.{0,30}\b((previous|previously|prior|above|earlier|preceding|foregoing|your|safety|system)\b.{0,20}\b(instructions?|prompts?|rules?|guidelines?|directions?|directives|guardrails|context)|(instructions?|prompts?|rules?|guidelines?|directions?|directives|context)\b.{0,10}\b(above|before|so far|you were given|you have been given|you received)|(everything|all|what) (that )?you (were|have been) told)\b|\b(ignore|disregard|forget|override|bypass|discard) (all|any) (of )?(the |your |these )?(\w+ )?(instructions|prompts|rules|guidelines|directives|guardrails|context)\b`),
	},
	{ // SYSTEM: ...
		[][]string{{"system", "assistant", "developer"}, {":"}},
		lazily(`(^|[.!?:;\n]\s*)(system|assistant|developer)( prompt| message| override| note)?\s*:`),
	},
	{
		[][]string{{"system", "im_start", "im_end", "endoftext", "inst", "assistant"}, {"{", "<", "[", "|"}},
		lazily(`[{<\[|](/?system(-reminder|_prompt)?|im_start|im_end|endoftext|start_header_id|/?inst|/?sys|/?assistant)[}>\]|]`),
	},
	{
		[][]string{{"you are", "act as", "pretend", "you're", "roleplay"}},
		lazily(`\b(you are|act as|pretend to be|pretend (that )?you are|you're|roleplay as) (now )?(an? )?(ai|llm|language model|assistant|chatbot|dan|unrestricted|jailbroken|developer mode)\b`),
	},
	{
		[][]string{{" prompt", " instructions"}},
		lazily(`\b(system|hidden|secret|initial) prompt\b|\b(reveal|print|repeat|output|show me|disclose) (all )?(of )?your (full |original |initial )?(prompt|instructions)\b`),
	},
	{
		[][]string{{"do not ", "don't ", "never ", "without ", "no need to", "hide this"}, {"user", "human", "operator", "confirmation", "permission"}},
		lazily(`\b((do not|don't|never) (tell|inform|mention (this|it) to|reveal (this|it) to|alert|notify|ask)|without (telling|informing|asking|notifying|alerting|(the )?(knowledge|consent) of)|no need to (ask|tell|inform)|hide this from) (the |your )?(user|human|operator)\b|\bwithout (asking|waiting) for (the )?(user'?s? )?(confirmation|permission|approval)\b`),
	},
	{
		[][]string{{"new instruction", "new rule", "new task", "new directive"}},
		lazily(`\bnew (instructions?|rules?|task|directives?) ?:`),
	},
	{ // send the credentials to ...
		[][]string{{"send", "post", "upload", "forward", "leak", "exfiltrate", "transmit"}, {"env", "secret", "credential", "key", "token", "password", "prompt", "conversation", "cookie"}, {" to "}, {"http", "@", "following", "this"}},
		lazily(`(?s)\b(send|post|upload|forward|leak|exfiltrate|transmit)\b.{0,40}\b(env(ironment)?( variables?)?|secrets?|credentials|api keys?|tokens?|passwords?|private keys?|system prompt|conversation|cookies)\b.{0,30}\bto\b.{0,10}(https?:|\w@|\b((the following|this) (url|server|endpoint)|the following address)\b)`),
	},
	{
		[][]string{{"ai", "llm", "agent", "assistant", "language model"}, {"important", "attention", "note", "must", "should", "shall", "have to", "required", "if you", "instruction"}},
		lazily(`\b(important|attention|note)\W{1,5}(to )?(all )?(ai|llms?|agents?|assistants?|language models?)\b|\b(ai|llm) (agents?|assistants?|models?) (must|should|shall|have to|are required to)\b|\bif you are (an? )?(ai|llm|language model)\b|\binstructions? (for|to) (the |all |any )?(ai|llms?|language models?|assistants?)\s?:`),
	},
	{
		[][]string{{"curl", "wget"}, {"|"}, {"sh"}},
		lazily(`\b(curl|wget)\b[^|]{0,200}\|\s*(sudo\s+)?(ba|z)?sh\b`),
	},
	{ // it is necessary to call this first, before anything else is done
		[][]string{{"before "}, {"you must", "always", "first"}, {"other tool", "any other", "anything else", "answering", "responding"}},
		lazily(`\b(you must|always)( first)? (call|invoke|use|run|execute|send|read)\b.{0,60}\bbefore ((using |calling |doing )?(any other (tool|skill)s?|anything else)|(answering|responding)( to the user)?[.!;,]?($|\n| and\b))`),
	},
	{ // German, Dutch
		[][]string{{"ignorier", "missacht", "vergiss", "vergesse", "negeer", "vergeet"}, {"anweisung", "regel", "vorgabe", "instruct", "befehl", "opdracht"}},
		lazily(`\b(ignorier(e|en sie|t)?|missacht(e|en sie)|vergiss|vergessen sie|negeer|vergeet)\b.{0,30}\b(alle[nsr]?|vorherigen?|bisherigen?|obigen?|vorangegangenen?|fruheren?|deine|ihre|vorige|eerdere|bovenstaande)\b.{0,30}\b(anweisungen|regeln|vorgaben|instruktionen|befehle|instructies|opdrachten)\b`),
	},
	{ // Spanish, Portuguese, Italian, French
		[][]string{{"ignor", "olvid", "esquec", "dimentic", "oubli", "desconsider", "descarta"}, {"instru", "istruzion", "regl", "regr", "regol", "consign", "ordenes", "directives"}},
		lazily(`\b(ignor(a|e|ez|ar|en|er|ate|i)|olvid(a|e|ar|en)|esquec(a|am|er)|dimentica(te|re)?|oubli(e|ez|er)|desconsider(a|e|ar)|descarta(r)?)\b.{0,30}\b(instrucciones|instrucoes|istruzioni|instructions|reglas|regras|regole|regles|consignes|ordenes|directives)\b.{0,40}\b(anterior(es)?|previas?|precedent[ei]s?|ci-dessus|de arriba|acima|qui sopra|preceden[ct]i|sistema|systeme)\b|\b(ignor(a|e|ez|ar|en|er|i)|olvid(a|e)|esquec(a|am)|dimentica|oubli(e|ez))\b.{0,20}\b(todas?|toutes|tutte|anteriores|previas|precedentes)\b.{0,20}\b(instrucciones|instrucoes|istruzioni|instructions|reglas|regras|regole|regles|consignes)\b`),
	},
	{ // Russian, Ukrainian
		[][]string{{"игнориру", "забудь", "проигнорируй", "ігноруй", "не обращай внимания"}, {"инструкци", "указани", "правила", "інструкці", "вказівк"}},
		lazily(`(игнорируй|игнорируйте|проигнорируй|проигнорируйте|забудь|забудьте|ігноруй|ігноруйте|не обращай внимания на).{0,80}(инструкци|указани|правила|інструкці|вказівк)`),
	},
	{ // Polish, Turkish
		[][]string{{"zignoruj", "ignoruj", "yok say", "unut", "gormezden gel"}, {"instrukcj", "polece", "talimat"}},
		lazily(`\b(zignoruj|ignoruj)\b.{0,40}\b(instrukcj|polece)|\btalimat[^.]{0,40}\b(yok say|unut|gormezden gel)`),
	},
	{ // Chinese, Japanese, Korean
		[][]string{{"忽略", "无视", "無視", "忘记", "忘れ", "忽視", "무시"}, {"指令", "指示", "提示", "规则", "規則", "命令", "지시", "명령"}},
		lazily(`(忽略|无视|無視|忽視|忘记).{0,12}(之前|以前|以上|上述|上面|先前|所有|前面|全部).{0,12}(指令|指示|提示|规则|規則|命令)|(これまで|以前|上記|前|すべて|全て)の.{0,12}(指示|命令|規則|ルール).{0,6}(無視|忘れ)|(이전|위|앞|모든).{0,16}(지시|명령).{0,8}무시`),
	},
	{ // Arabic, Hindi
		[][]string{{"تجاهل", "अनदेखा", "नज़रअंदाज़"}, {"تعليمات", "أوامر", "الأوامر", "निर्देश"}},
		lazily(`تجاهل.{0,60}(تعليمات|التعليمات|أوامر|الأوامر)|निर्देश.{0,60}(अनदेखा|नज़रअंदाज़)`),
	},
	{ // silence towards the user, elsewhere than in English
		[][]string{{"benutzer", "nutzer", "usuario", "utilisateur", "utente", "пользовател", "用户", "ユーザー"}, {"nicht", "no ", "nao ", "pas ", "non ", "не ", "不要", "别", "知らせ", "伝え", "言わ"}},
		lazily(`\b(sag|sage|sagen sie|erzahl|erzahle|teile)\b.{0,30}\b(benutzer|nutzer)n?\b.{0,20}\bnicht|\b(no|nao) (le |lo )?(digas|informes|avises|diga|informe|conte)\b.{0,20}\busuario|\bne (dis|dites|parle|parlez|informe|informez)\b.{0,10}\bpas\b.{0,20}\butilisateur|\bnon (dire|dirlo|informare)\b.{0,20}\butente|не (говори|говорите|сообщай|сообщайте).{0,20}пользовател|(不要|别)(告诉|通知|提醒)用户|ユーザーに(は)?.{0,8}(知らせない|伝えない|言わない)`),
	},
}

// Livestatus serves a skill whose content is made when it is read: the state of
// a few services, as it is now. It is the place to begin when what you know
// changes by the minute, and no digest could be true for long.
//
//	go run ./examples/livestatus
//
// Then type "mail down queue is full" and read
// skill://ops/current-status/SKILL.md again.
//
// What to look at:
//
//   - Only current-status is [framework.Skill.Dynamic]. Its entry says "dynamic"
//     where others have digests, results about it are not to be cached (ttlMs 0),
//     and each read asks the source.
//   - Its files come and go with the state: incidents/mail.md is there while mail
//     is down. A directory read shows the files of this moment.
//   - Its frontmatter is always the same. Hosts compare it at each read.
//   - read-status stands beside it, is static, and keeps its digests.
//
// Hosts may decline dynamic skills, since nobody can approve what they do not
// know yet. So keep in them what has to be live, and everything else out.
package main

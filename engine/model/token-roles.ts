/**
 * What a token may do. `read` < `write` < `ops`; beside them `collect`, which sends participants of one study and reads
 * nothing, so that it may stand in a web page.
 */
export const TOKEN_ROLES = ['collect', 'read', 'write', 'ops'] as const
export type TokenRole = (typeof TOKEN_ROLES)[number]

/**
 * Roles of tokens: `read` < `write` < `ops`. `collect` is separate: it can only send participants of one study and read
 * nothing, so it may appear in a web page.
 */
export const TOKEN_ROLES = ['collect', 'read', 'write', 'ops'] as const
export type TokenRole = (typeof TOKEN_ROLES)[number]

/** Role of a link: it shows a page; tokens cannot be created with this role. */
export const RECORD_ROLES = [...TOKEN_ROLES, 'link'] as const
export type RecordRole = (typeof RECORD_ROLES)[number]

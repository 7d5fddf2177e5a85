const COPY_WORD =
  /(^|[^a-z])(back-?up|bak|copy|copies|copied|kopie|copie|copia|sicherung|archive?|old|tmp|temp|duplicate|conflicted)([^a-z]|$)/i

/** Returns whether a path is named like a copy: a backup, `gaze (1).csv`, `gaze - Copy.csv`. */
export function isCopyName(name: string): boolean {
  return COPY_WORD.test(name) || /\(\d+\)(\.[a-z0-9]+)*$/i.test(name)
}

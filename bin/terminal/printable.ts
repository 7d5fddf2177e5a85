/**
 * Returns a text on one line, with `·` for each character that a terminal would obey rather than show, such as an
 * escape, a line break or a change of direction; characters that join others stay. Names of studies come from other
 * people.
 */
export function printable(text: string): string {
  return text.replace(/[^\P{C}\u200c\u200d]/gu, '·')
}

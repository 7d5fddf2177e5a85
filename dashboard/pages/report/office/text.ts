import { LIGHT } from '../../../core/colors/theme.ts'

/** Letters of documents: on every computer, or replaced by others of the same widths. */
export const DOCUMENT_FONT = 'Arial'

/** Colours of light pages, as documents write them. */
export const INKS = {
  ink: LIGHT.ink.slice(1),
  muted: LIGHT.muted.slice(1),
  line: LIGHT.line.slice(1),
  sunken: LIGHT.sunken.slice(1),
}

let pen: CanvasRenderingContext2D | null = null

/** Returns the width of a text in letters of a size, in the unit of the size; a little more, since fonts differ. */
export function widthOf(text: string, size: number, isBold: boolean): number {
  pen ??= document.createElement('canvas').getContext('2d')!
  // Measured large, since browsers round the letters of small fonts.
  pen.font = `${isBold ? 'bold ' : ''}100px ${DOCUMENT_FONT}, sans-serif`
  return (pen.measureText(text).width / 100) * size * 1.04
}

/** Returns whether a text is written from right to left: its first letter says so. */
export function isRightToLeft(text: string): boolean {
  return /^\P{L}*[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/u.test(text)
}

/** Replaces characters that XML cannot hold, which would make the whole document unreadable. */
export function writable(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  return text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|\p{Surrogate}/gu, '\ufffd')
}

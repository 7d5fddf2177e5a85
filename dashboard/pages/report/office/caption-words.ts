import { bySettings } from '../../../figures/captions.ts'
import type { DrawnFigure } from '../../../figures/drawn-figures.ts'

/** Caption of a figure in a document: its sentence, and the lines below it. */
export type CaptionWords = { short: string; more: string[] }

/**
 * Returns a function that captions the figures of a document in turn. What several have in common (settings, how to
 * read them) is said once, by the first; the others name it.
 */
export function captioner(): (figure: DrawnFigure) => CaptionWords {
  const said = new Map<string, string>()
  return ({ title, caption: { short, reading, sources }, applied }) => {
    const once = (what: string, text: string): string[] => {
      const first = said.get(text)
      if (text === '' || first === title) return text === '' ? [] : [text]
      if (first !== undefined) return [`${what} as for “${first}”.`]
      said.set(text, title)
      return [text]
    }
    const ofSources = bySettings(sources).map(({ texts, notes }) =>
      [`${texts.join('; ')}.`, ...once('Settings', notes)].join(' '),
    )
    const ofTests = sources.length > 0 ? once('Tests', applied) : []
    return { short, more: [...ofSources, ...ofTests, ...once('To be read', reading)] }
  }
}

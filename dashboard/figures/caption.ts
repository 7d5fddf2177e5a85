/** Source of a figure's numbers (export, item, participants, n), with its settings. */
export type FigureSource = { text: string; notes: string }

/** Caption of a figure: one plain sentence and, on demand, how to read it, its sources and their settings. */
export type Caption = { short: string; reading: string; sources: FigureSource[] }

import { useMemo } from 'preact/hooks'
import { compareNames } from '../../isomorphic/natural-order.ts'
import type { FixationRow, FixationsData } from '../core/api.ts'
import { AOI_COLORS } from '../core/colors/aoi-colors.ts'
import { countOf, isolate } from '../core/number-texts.ts'
import { whoOf } from '../core/people/people.ts'
import { PLOTTED_MAX, type Plotted } from '../core/view/chart-view.ts'

/** Scanpaths of a participant, one per test, with the participant's colour and letter. */
export type GazePlot = {
  participantId: string
  name: string
  color: string
  letter: string
  scanpaths: FixationRow[][]
}

/** Gaze plots of several participants; `others` are the names of those who are not drawn. */
export type GazePlots = { drawn: GazePlot[]; others: string[]; missing: number }

/** Colours that any two participants may have: those of AOIs, which differ with every colour vision deficiency. */
const COLORS = Object.values(AOI_COLORS)
const LETTERS = 'ABCDEFGH'
/** Number of names that a caption lists of those who are not drawn. */
const OTHERS_TOLD = 10

/**
 * Returns the gaze plots of chosen participants, or of all in the natural order of their names, up to `PLOTTED_MAX`.
 *
 * @param names of participants, by id
 */
export function gazePlotsOf(tests: FixationsData['tests'], names: Map<string, string>, plotted: Plotted): GazePlots {
  const nameOf = (id: string) => whoOf({ names }, id)
  const ids = [...new Set(tests.map(({ participantId }) => participantId))]
  ids.sort((one, other) => compareNames(nameOf(one), nameOf(other)))
  const wanted = plotted === 'all' ? ids : ids.filter((id) => plotted.includes(id))
  const chosen = wanted.slice(0, PLOTTED_MAX)
  return {
    drawn: chosen.map((participantId, i) => ({
      participantId,
      name: nameOf(participantId),
      color: COLORS[i],
      letter: LETTERS[i],
      scanpaths: tests.filter((test) => test.participantId === participantId).map(({ fixations }) => fixations),
    })),
    others: ids.filter((id) => !chosen.includes(id)).map(nameOf),
    missing: plotted === 'all' ? 0 : plotted.length - wanted.length,
  }
}

/** Returns the gaze plots of an answer; null if there are none to draw. */
export function usePlots(
  data: FixationsData | null,
  names: Map<string, string>,
  plotted: Plotted | null,
): GazePlots | null {
  const key = plotted === null || plotted === 'all' ? plotted : plotted.join()
  return useMemo(
    () => (data === null || plotted === null ? null : gazePlotsOf(data.tests, names, plotted)),
    [data, names, key],
  )
}

/** Returns the answer with the tests of those who are drawn. */
export function plottedOf(data: FixationsData, { drawn }: GazePlots): FixationsData {
  const ids = new Set(drawn.map(({ participantId }) => participantId))
  return { ...data, tests: data.tests.filter(({ participantId }) => ids.has(participantId)) }
}

export function plotsLegend({ drawn }: GazePlots): { color: string; mark: string; label: string }[] {
  return drawn.map(({ color, letter, name }) => ({ color, mark: letter, label: isolate(name) }))
}

/** Says who is drawn, and who is not. */
export function plotsWords({ drawn, others, missing }: GazePlots): string {
  const told = others.slice(0, OTHERS_TOLD).map(isolate).join(', ')
  const more = others.length > OTHERS_TOLD ? ` and ${others.length - OTHERS_TOLD} more` : ''
  return [
    drawn.length === 0 ? '' : ` Drawn: ${drawn.map(({ letter, name }) => `${letter} ${isolate(name)}`).join(', ')}.`,
    others.length === 0 ? '' : ` Not drawn: ${told}${more}.`,
    missing === 0 ? '' : ` ${countOf(missing, 'chosen participant')} without a test here, with these settings.`,
  ].join('')
}

import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { FixationsData, HeatmapData, Item, Loaded } from '../api.ts'
import type { Settings } from '../chart-settings.ts'
import { type Heat, type HeatStyle, paintHeat } from '../heat/paint-heat.ts'

/** One answer of several: as fresh as the oldest, and the first problem, whose retry asks for all. */
export function together(sources: Loaded<unknown>[]): Pick<Loaded<unknown>, 'isFresh' | 'problem' | 'retry'> {
  return {
    isFresh: sources.every(({ isFresh }) => isFresh),
    problem: sources.find(({ problem }) => problem !== null)?.problem ?? null,
    retry: () => {
      for (const source of sources) if (source.problem !== null) source.retry()
    },
  }
}

/** The gaze before fixations are looked for knows one setting only, besides what tests it is of. */
export function gazeSettings(settings: Settings, defaults: Settings): Settings {
  const { movingMedianRangeMs, participantQualityGradeItemMin, filter } = settings
  return { ...defaults, movingMedianRangeMs, participantQualityGradeItemMin, filter }
}

const CALM_MS = 220

/** The settings once they have rested for a moment. */
export function useCalm(settings: Settings): Settings {
  const [calm, setCalm] = useState(settings)
  useEffect(() => {
    const timer = window.setTimeout(() => setCalm(settings), CALM_MS)
    return () => window.clearTimeout(timer)
  }, [settings])
  return calm
}

export function useHeat(data: HeatmapData | null, style: HeatStyle): Heat | null {
  const { kernel, colors, opacity, max } = style
  return useMemo(() => data && paintHeat(data, { kernel, colors, opacity, max }), [data, kernel, colors, opacity, max])
}

/** How long after a change of settings the drawing showed it; null before the first change. */
export function useDrawTime(settings: Settings, { isFresh, data }: Loaded<FixationsData>): number | null {
  const changedAt = useRef<number | null>(null)
  const first = useRef(settings)
  const [drawnMs, setDrawnMs] = useState<number | null>(null)
  useEffect(() => {
    if (settings !== first.current) changedAt.current = performance.now()
  }, [settings])
  useEffect(() => {
    const startedAt = changedAt.current
    if (!isFresh || startedAt === null) return
    changedAt.current = null
    requestAnimationFrame(() => setDrawnMs(Math.round(performance.now() - startedAt)))
  }, [isFresh, data, settings])
  return drawnMs
}

export function spanOf({ stimuliDurationMs }: Item, data: FixationsData | null): number {
  const ends = data?.tests.flatMap(({ fixations }) => fixations.map(([, , , endMs]) => endMs)) ?? []
  return ends.reduce((most, end) => Math.max(most, end), stimuliDurationMs ?? 1000)
}

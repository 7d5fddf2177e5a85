import { useMemo } from 'preact/hooks'
import type { FixationsData, HeatmapData, Item, PictureShown } from '../core/api.ts'
import { type Heat, type HeatStyle, paintHeat } from '../core/heat/paint-heat.ts'
import { type Loaded, useData } from '../core/use-data.ts'

/** Combines answers into one: fresh only if all are, with the first problem; a retry repeats the failed requests. */
export function together(sources: Loaded<unknown>[]): Pick<Loaded<unknown>, 'isFresh' | 'problem' | 'retry'> {
  return {
    isFresh: sources.every(({ isFresh }) => isFresh),
    problem: sources.find(({ problem }) => problem !== null)?.problem ?? null,
    retry: () => {
      for (const source of sources) if (source.problem !== null) source.retry()
    },
  }
}

export function useHeat(data: HeatmapData | null, style: HeatStyle): Heat | null {
  const { kernel, colors, opacity, max, fog } = style
  return useMemo(() => data && paintHeat(data, style), [data, kernel, colors, opacity, max, fog])
}

/** Returns the time that an item's charts cover: that of its longest test, whatever the time window keeps. */
export function useSpan(studyId: string, item: Item, answered: (FixationsData | null)[]): number {
  const { data } = useData<PictureShown>(`/api2/studies/${studyId}/items/${item.id}/shown`)
  const longestMs = data?.longestTestMs ?? 0
  return useMemo(
    () => Math.max(longestMs, ...answered.map((each) => spanOf(item, each))),
    [item, longestMs, ...answered],
  )
}

/** Returns the time until the last fixation of an item, or its own duration if that is longer. */
export function spanOf({ stimuliDurationMs }: Item, data: FixationsData | null): number {
  return Math.max(stimuliDurationMs ?? 1000, data?.lastEndMs ?? 0)
}

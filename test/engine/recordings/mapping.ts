/** A mapping for a table with the columns who, what, t in ms, x and y in px, with changes. */
export function mappingOf<Changes extends object>(changes: Changes) {
  return {
    gazetteMapping: 1,
    participant: 'who' as string | null,
    item: 'what' as string | null,
    trial: null as string | null,
    time: { column: 't', unit: 'ms', origin: 'first' },
    gaze: [{ x: 'x', y: 'y', unit: 'px' }],
    screen: null as { widthPx: number; heightPx: number } | null,
    ...changes,
  }
}

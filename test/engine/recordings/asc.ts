/** Builds an ASC file of lines; `asc` puts the usual header above them. */
export function asc(...parts: (string | string[])[]): string {
  const header = ['** CONVERTED FROM kim.edf using edfapi 4.2.1', 'MSG\t1 DISPLAY_COORDS 0 0 1919 1079']
  return `${[...header, ...parts.flat()].join('\n')}\n`
}

export const msg = (tMs: number, text: string): string => `MSG\t${tMs} ${text}`

/** Samples of one gaze, 10 ms apart. */
export const gaze = (tMs: number, n: number, x: number): string[] =>
  Array.from({ length: n }, (_, i) => `${tMs + 10 * i}\t  ${x}.0\t  500.0\t  900.0\t...`)

export const start = (tMs: number, eyes = 'LEFT', rateHz = 100): string[] => [
  `START\t${tMs} \t${eyes}\tSAMPLES\tEVENTS`,
  `SAMPLES\tGAZE\t${eyes}\tRATE\t ${rateHz}.00\tTRACKING\tCR\tFILTER\t2`,
]
export const end = (tMs: number): string => `END\t${tMs} \tSAMPLES\tEVENTS\tRES\t  50.00\t  50.00`

/** A recording of n samples at x, with lines in it at its start. */
export const recording = (tMs: number, x: number, inside: string[] = [], n = 3): string[] => [
  ...start(tMs),
  ...inside,
  ...gaze(tMs, n, x),
  end(tMs + 10 * n),
]

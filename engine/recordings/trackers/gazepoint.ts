import { trackerReader } from '../reader/tracker-table.ts'
import type { ValueColumn } from '../reader/value-columns.ts'

/** Columns of an eye: pupils in mm, m or px, whichever is there. */
const eyeValues = (side: 'left' | 'right', letter: 'L' | 'R'): ValueColumn[] => [
  { into: `${side}GazeXPx`, name: `${letter}POGX`, unit: 'screen', valid: [`${letter}POGV`] },
  { into: `${side}GazeYPx`, name: `${letter}POGY`, unit: 'screen', valid: [`${letter}POGV`] },
  { into: `${side}Pupil`, name: `${letter}PMM`, unit: 'mm', valid: [`${letter}PMMV`] },
  { into: `${side}Pupil`, name: `${letter}PUPILD`, unit: 'm', valid: [`${letter}PUPILV`] },
  { into: `${side}Pupil`, name: `${letter}PD`, unit: 'px', valid: [`${letter}PV`] },
  { into: `${side}EyeDistanceMm`, name: `${letter}EYEZ`, unit: 'm', valid: [`${letter}PUPILV`] },
]

/**
 * Reads Gazepoint Analysis' all-gaze export and the output of the Open Gaze API, as CSV: gaze and cursor in shares of
 * the screen from its upper left, seconds. BPOG is the best point of gaze, FPOG the fixation's. Newer versions restart
 * TIME with each medium, so times count from its first row.
 */
export const gazepoint = trackerReader({
  name: 'gazepoint',
  title: 'Gazepoint CSV',
  facts: { manufacturer: 'Gazepoint' },
  // "TIME", or "TIME(2026/01/01 10:00:00.000)" with the start of the recording.
  time: { name: /^TIME(\(|$)/i, unitMs: 1000 },
  values: [
    { into: 'gazeXPx', name: 'BPOGX', unit: 'screen', valid: ['BPOGV'] },
    { into: 'gazeYPx', name: 'BPOGY', unit: 'screen', valid: ['BPOGV'] },
    { into: 'gazeXPx', name: 'FPOGX', unit: 'screen', valid: ['FPOGV'] },
    { into: 'gazeYPx', name: 'FPOGY', unit: 'screen', valid: ['FPOGV'] },
    { into: 'mouseXPx', name: 'CX', unit: 'screen' },
    { into: 'mouseYPx', name: 'CY', unit: 'screen' },
    ...eyeValues('left', 'L'),
    ...eyeValues('right', 'R'),
  ],
  lost: { cell: /^ *0+([.,]0*)?$/, rule: 'is 0' },
  medium: { name: 'MEDIA_NAME', number: 'MEDIA_ID' },
  message: 'USER',
  // The left and the right button go down.
  click: { name: 'CS', down: /^[12]$/ },
  suffix: /[_ -]?all[_ -]?gaze$/i,
})

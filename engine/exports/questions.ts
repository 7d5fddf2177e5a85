import type { ExportName } from '../model/export-names.ts'

/** Question that a table answers, and whether it is the recommended one. */
type Answered = { question: string; isRecommended: boolean }

/** Questions that users have, each with its tables; the first table is the recommended one. */
const QUESTIONS: [question: string, first: ExportName, ...others: ExportName[]][] = [
  [
    'What did they look at, how soon and for how long?',
    'aoi-fixations-stats',
    'participants-wide',
    'aoi-overall-stats',
    'aoi-tags-stats',
    'aoi-fixations-order',
  ],
  ['Where were the fixations?', 'fixations', 'fixations-aois', 'saccades', 'microsaccades'],
  [
    'How did gaze go from one area to the next?',
    'aoi-transitions',
    'aoi-visits',
    'looks-binned',
    'gazes-aois-binned',
    'scanpaths',
  ],
  ['Where was gaze, sample by sample?', 'gazes-split', 'gazes-aois', 'gazes-normalized', 'gazes-raw', 'samples'],
  ['How was the text read?', 'reading', 'reading-lines'],
  ['How did the pupils react?', 'pupil-stats', 'pupils', 'blinks'],
  ['What did they click and type, and what happened?', 'keyboard-mouse-overall', 'aoi-clicks-stats', 'mouse', 'events'],
  ['How good is the data?', 'quality-stats'],
]

/** Questions, in the order in which they are listed. */
export const QUESTION_TEXTS = QUESTIONS.map(([question]) => question)

const ANSWERED = new Map(
  QUESTIONS.flatMap(([question, ...names]) =>
    names.map((name, i): [ExportName, Answered] => [name, { question, isRecommended: i === 0 }]),
  ),
)

/** Returns the question that an export answers. @throws Error if it is in no question */
export function answeredBy(name: ExportName): Answered {
  const answered = ANSWERED.get(name)
  if (!answered) throw new Error(`${name} answers none of the questions in engine/exports/questions.ts`)
  return answered
}

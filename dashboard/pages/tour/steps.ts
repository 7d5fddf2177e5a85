import type { Tour } from '../../core/tour.ts'

/** Step of the tour: a page of the demo study, and what to try there. */
type Step = { title: string; text: string; pathOf: (tour: Tour) => string }

const study = ({ studyId }: Tour) => `/studies/${studyId}`
const item = (tour: Tour) => `${study(tour)}/items/${tour.itemId}`

export const TOUR_STEPS: Step[] = [
  {
    title: 'A study',
    text: 'The page of a study lists its items and participants, and how much of each test was lost. The conditions above the participants are a filter, which every other page and export accepts, too.',
    pathOf: study,
  },
  {
    title: 'An item',
    text: 'Switch the layers over the picture: heatmap, fixations, gaze points, AOIs. Move “Velocity threshold”: fixations and numbers follow as you move it. Press “?” for the definition of a measure.',
    pathOf: item,
  },
  {
    title: 'The replay',
    text: 'Watch the gaze of all participants as it was recorded. Space plays and pauses.',
    pathOf: (tour) => `${item(tour)}/replay`,
  },
  {
    title: 'Groups',
    text: 'Split the participants, for example by gender. Each dot is a participant; statistical tests and effect sizes are below.',
    pathOf: (tour) => `${study(tour)}/groups?item=${tour.itemId}`,
  },
  {
    title: 'Quality',
    text: 'Type a threshold, such as 4 for the grade: the page shows which tests are excluded, how the results change, and the text for your methods section.',
    pathOf: (tour) => `${study(tour)}/quality`,
  },
  {
    title: 'Take it with you',
    text: 'Every table is an export, with the lines for curl, Python and R. “Report” in the bar prints figures and tables. To use your own recordings, press “Import data” under “Studies”.',
    pathOf: (tour) => `${study(tour)}/export`,
  },
]

import { expect, test } from 'vitest'
import { makeDraft } from '../../../engine/recordings/draft/draft.ts'
import { validationOf } from '../../../engine/recordings/platforms/jspsych-validations.ts'

test('a target of a jsPsych validation lies as far from its gazes as dx and dy say', () => {
  const gazes = [
    { x: 110, y: 45, dx: 10, dy: -5 },
    { x: 120, y: 55, dx: 20, dy: 5 },
  ]
  const trial = { trial_type: 'webgazer-validate', raw_gaze: [gazes] }
  expect(validationOf(trial, { name: 'ann.json' }, makeDraft('Study'))).toEqual([
    { targetXPx: 100, targetYPx: 50, gazeXPx: 115, gazeYPx: 50 },
  ])
})

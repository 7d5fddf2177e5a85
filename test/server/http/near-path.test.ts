import { expect, test } from 'vitest'
import { methodNotAllowed } from '../../../server/http/add-path.ts'
import { nearPath } from '../../../server/http/near-path.ts'
import { answerNotFound } from '../../../server/http/problems.ts'
import { ROUTES } from '../../../server/routes/table.ts'

const templates = Object.values(ROUTES).map(({ path }) => `/api2${path}`)
const study = '/api2/studies/704b573d-7dac-4fdc-b227-b6c9e48191d8'

test.each([
  ['/api2/studes', '/api2/studies'],
  [`${study}/collected-data/eye-tracking/fixation`, `${study}/collected-data/eye-tracking/fixations`],
  [`${study}/colected-data/eye-tracking/fixations`, `${study}/collected-data/eye-tracking/fixations`],
  [`${study}/method`, `${study}/methods`],
  ['/api2/studies-al/drop-rate', '/api2/studies-all/drop-rate'],
  ['/api2/something-else', undefined],
  [`${study}/colected-data/eye-tracking/fixation`, undefined],
  ['/', undefined],
])('%s probably means %s', (path, meant) => {
  expect(nearPath(path, templates)).toBe(meant)
})

test.each([
  ['/api2/job', 'There is no path /api2/job; did you mean /api2/jobs?'],
  ['/api', 'There is no path /api; /docs lists the existing ones.'],
  ['/studies', 'There is no path /studies. Paths of the API begin with /api2; /docs lists them.'],
  [`/${'x'.repeat(300)}`, 'There is no such path; /docs lists the existing ones.'],
])('an unknown path is named, with the one that was meant', (path, detail) => {
  expect(() => answerNotFound(templates)({ path } as never, {} as never, () => {})).toThrow(
    expect.objectContaining({ code: 'not_found', message: detail }),
  )
})

test('a method that a path does not accept is named, with those that it accepts', () => {
  const { message, headers } = methodNotAllowed('DELETE', 'GET, HEAD, POST')
  expect(message).toBe('This path accepts GET, HEAD and POST, not DELETE.')
  expect(headers).toEqual({ Allow: 'GET, HEAD, POST' })
})

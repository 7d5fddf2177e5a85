import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { expect, test } from 'vitest'
import { z } from 'zod'
import * as dashboard from '../../server/schemas/dashboard.ts'
import { kept } from '../engine/kept.ts'
import { ITEM, STUDY, shareTestServer } from './test-server.ts'

const service = kept(await shareTestServer())

const study = `/api2/studies/${STUDY}`
const item = `itemId=${ITEM}`
/** Requests of the dashboard that are not in the document; openapi.test.ts compares those that are. */
const BODIES: [string, z.ZodType][] = [
  ['/api2/session', dashboard.Session],
  [`${study}/participants`, dashboard.Participants],
  [`${study}/participants?limit=1`, dashboard.Participants],
  [`${study}/charts/fixations?${item}`, dashboard.FixationsData],
  [`${study}/charts/gaze?${item}&points=true`, dashboard.GazeData],
  [`${study}/charts/heatmap?${item}`, dashboard.HeatmapData],
  [`${study}/charts/heatmap?${item}&of=fixations`, dashboard.HeatmapData],
  [`${study}/charts/aois?${item}`, dashboard.AoisData],
  [`${study}/charts/recording?${item}`, dashboard.Recordings],
  [`${study}/previews/fixations`, dashboard.Preview],
  [`${study}/previews/aoi-overall-stats`, dashboard.Preview],
]

const ajv = new Ajv2020({ strictTuples: false })
addFormats.default(ajv)

test.each(BODIES)('%s answers what the dashboard was built for, and nothing besides', async (path, schema) => {
  const answer = await service.get(path, { 'x-auth-token': service.ops })
  expect(answer.status).toBe(200)
  const validate = ajv.compile(z.toJSONSchema(schema))
  validate(await answer.json())
  expect(validate.errors).toBeNull()
})

import { expect, test } from 'vitest'
import { z } from 'zod'
import type { Json } from '../../server/routes/parameter.ts'
import * as bodies from '../../server/schemas/dashboard.ts'
import { typesOf } from '../clients/typescript.ts'

const HEAD = '// Made of the schemas of the server by: npx vitest run test/dashboard/answers.test.ts -u\n'

test('the types of the answers that only the dashboard reads are those of the server', async () => {
  const names = z.registry<{ id: string }>()
  for (const [id, schema] of Object.entries(bodies)) names.add(schema, { id })
  const { schemas } = z.toJSONSchema(names, { io: 'input', uri: (name) => `#/${name}` })
  await expect(typesOf(schemas as Record<string, Json>, HEAD)).toMatchFileSnapshot('../../dashboard/core/answers.ts')
})

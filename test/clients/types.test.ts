import { expect, test } from 'vitest'
import { describeSchemas } from '../../server/openapi/schemas.ts'
import { typesOf } from './typescript.ts'

test('the types of the client are those of the OpenAPI document', async () => {
  await expect(typesOf(describeSchemas())).toMatchFileSnapshot('../../clients/js/src/types.ts')
})

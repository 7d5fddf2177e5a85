import { ExportList, TableSchema } from '../schemas/catalog.ts'
import { media, route, sent } from './route.ts'

const tag = 'Catalog'
const FIXED = ['Content-Encoding?', 'Vary']

/** What is the same for everybody, so needs no token. */
export const CATALOG_ROUTES = {
  listExports: route({
    method: 'get',
    path: '/exports',
    role: 'anyone',
    tag,
    summary: 'List exports, their parameters and formats',
    answers: { 200: sent('All exports', ExportList, ...FIXED) },
  }),
  getExportSchema: route({
    method: 'get',
    path: '/exports/:exportName/schema',
    role: 'anyone',
    tag,
    summary: 'Get the Table Schema of an export',
    answers: { 200: sent('Columns, in order', TableSchema, ...FIXED) },
  }),
  getOpenApi: route({
    method: 'get',
    path: '/openapi.json',
    role: 'anyone',
    tag,
    summary: 'Get this document',
    answers: {
      200: media(
        'OpenAPI 3.1',
        {
          'application/json': {
            schema: { type: 'object', required: ['openapi', 'info', 'paths'], additionalProperties: true },
          },
        },
        'Content-Length',
        ...FIXED,
      ),
    },
  }),
}

import { ExportList, TableSchema } from '../schemas/catalog.ts'
import { group, media, route, sent } from './route.ts'

const FIXED = ['Content-Encoding?', 'Vary']

/** Routes that need no token, since their answers are the same for everybody. */
export const CATALOG_ROUTES = group({ tag: 'Catalog' })({
  listExports: route('get', '/exports', 'anyone', {
    summary: 'List exports, their parameters and formats',
    answers: { 200: sent('All exports', ExportList, ...FIXED) },
  }),
  getExportSchema: route('get', '/exports/:exportName/schema', 'anyone', {
    summary: 'Get the Table Schema of an export',
    answers: { 200: sent('Columns, in order', TableSchema, ...FIXED) },
  }),
  getOpenApi: route('get', '/openapi.json', 'anyone', {
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
})

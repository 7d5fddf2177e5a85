import { VERSION } from '../../engine/model/version.ts'
import type { Json } from '../routes/parameter.ts'
import { collectProblems, HEADERS } from './answers.ts'
import { describeMessages } from './messages.ts'
import { describePaths, describeShared, WITH_TOKEN } from './paths.ts'
import { describeSchemas } from './schemas.ts'

/** Version of the interface, independent of Gazette's. */
const INTERFACE_VERSION = '2.5.0'

/** Returns the OpenAPI 3.1 document. Paths, parameters and columns come from the registry, problems from the server. */
export function openApiDocument(): Json {
  const problems = collectProblems()
  const paths = describePaths(problems)
  const document = {
    openapi: '3.1.1',
    info: {
      title: 'Gazette',
      version: INTERFACE_VERSION,
      summary: 'Exports of eye-tracking and mouse recordings',
      description: DESCRIPTION,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/api2', description: 'This server' }],
    security: WITH_TOKEN,
    tags: TAGS,
    paths,
    webhooks: describeMessages(),
    components: {
      schemas: describeSchemas(),
      parameters: describeShared(),
      headers: HEADERS,
      responses: problems.components,
      securitySchemes: {
        'X-AUTH-TOKEN': {
          type: 'apiKey',
          in: 'header',
          name: 'X-AUTH-TOKEN',
          description: 'A token, as `gazette token create` shows it once',
        },
        Bearer: { type: 'http', scheme: 'bearer', description: 'The same token, as Authorization: Bearer' },
        Basic: { type: 'http', scheme: 'basic', description: 'The same token as the password, with any user name' },
      },
    },
  }
  // Absent fields of an operation are undefined, and so left out.
  return JSON.parse(JSON.stringify(document))
}

const DESCRIPTION = [
  `Version ${INTERFACE_VERSION} of the interface, as Gazette ${VERSION} serves it. In a terminal:`,
  '    curl -fsS -H "X-AUTH-TOKEN: $TOKEN" "$BASE/api2/studies"',
  'Small exports are answered at once. Large exports become jobs; repeat the same request to get the file once the job has ended.',
  'A parameter that is unknown, given twice or out of range is refused, with all faults at once: nothing is ever clamped or ignored. Checks run in the order 401, 404, 400.',
  'Wherever GET is allowed, so is HEAD: the same headers without the body. Errors are [problems](/docs/problems/), RFC 9457.',
  'Paths that only the dashboard uses (its session, participants, charts, previews) may change with it and are not part of this document.',
].join('\n\n')

const TAGS = [
  { name: 'Study data', description: 'Studies: their items, AOIs, participants and flow' },
  { name: 'Eye-tracking exports', description: 'Gazes, fixations, areas of interest' },
  { name: 'Keyboard and mouse exports', description: 'The steps of each test' },
  { name: 'Writing', description: 'Changes to studies, participants, AOIs and pictures' },
  { name: 'Analyses', description: 'Named analyses: the settings of a study, and its ignored participants' },
  { name: 'Links', description: 'Read-only links for people without an account' },
  { name: 'Packages', description: 'Several tables of a study as one file' },
  { name: 'Jobs', description: 'Large exports' },
  { name: 'Imports', description: 'Uploads and imports of studies and recordings' },
  { name: 'Webhooks', description: 'Webhooks for jobs and studies; for operators' },
  { name: 'Operations', description: 'The queue, and the tokens that requested each job; for operators' },
  { name: 'Catalog', description: 'Exports and schemas; no token needed' },
]

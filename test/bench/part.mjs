// One part of the bench in a process of its own: what another has left in memory would count against it.
import { benchAnalyses } from './analyses.mjs'
import { benchAttacks } from './attacks.mjs'
import { benchBucket } from './bucket.mjs'
import { benchCatalog } from './catalog.mjs'
import { benchCommands } from './commands.mjs'
import { benchConditions } from './conditions.mjs'
import { benchCrowd } from './crowd.mjs'
import { benchDashboard } from './dashboard.mjs'
import { benchExports } from './exports.mjs'
import { benchFilter } from './filter.mjs'
import { benchFormats } from './formats.mjs'
import { benchImports } from './imports.mjs'
import { benchKernels } from './kernels.mjs'
import { benchLive } from './live.mjs'
import { benchMemory } from './memory.mjs'
import { benchPupils } from './pupils.mjs'
import { benchRecordings } from './recordings.mjs'
import { benchScaling } from './scaling.mjs'
import { benchService } from './service.mjs'
import { benchSharing } from './sharing.mjs'
import { benchStore } from './store.mjs'
import { benchWebhooks } from './webhooks.mjs'
import { benchWriters } from './writers.mjs'

const PARTS = {
  filter: benchFilter,
  conditions: benchConditions,
  kernels: benchKernels,
  exports: benchExports,
  pupils: benchPupils,
  analyses: benchAnalyses,
  formats: benchFormats,
  imports: benchImports,
  recordings: benchRecordings,
  commands: benchCommands,
  memory: benchMemory,
  store: benchStore,
  service: benchService,
  sharing: benchSharing,
  bucket: benchBucket,
  scaling: benchScaling,
  live: benchLive,
  writers: benchWriters,
  dashboard: benchDashboard,
  webhooks: benchWebhooks,
  catalog: benchCatalog,
  crowd: benchCrowd,
  attacks: benchAttacks,
}
const [name, options] = process.argv.slice(2)
const { only, ...rest } = JSON.parse(options)
const rows = await PARTS[name]({ ...rest, wanted: (part) => only === undefined || only.includes(part) })
process.send(rows, () => process.disconnect())

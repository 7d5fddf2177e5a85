// Makes the database that an embedded queue begins as. After the TypeScript is compiled.
import { makeTemplate } from '../dist/worker/queue/embedded.js'

await makeTemplate()

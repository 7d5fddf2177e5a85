// A bucket of S3 on this machine, with the studies of a data directory in it.
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { finished, gazette, lineOf, stop } from './process.mjs'

const SERVER = fileURLToPath(new URL('../engine/storage/s3-server.mjs', import.meta.url))

/**
 * Starts the server and copies what a data directory has.
 *
 * @returns the server, to be stopped, and the environment that names the bucket
 */
export async function serveBucket(dataDir, options = []) {
  const server = spawn(process.execPath, [SERVER, ...options], { stdio: ['ignore', 'pipe', 'pipe'] })
  const { url, bucket, credentials } = JSON.parse((await lineOf(server, /^{.*}$/m))[0])
  const STORE_URL = `s3://${bucket}/bench?endpoint=${url}&pathStyle=true`
  const env = {
    AWS_ACCESS_KEY_ID: credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    AWS_REGION: 'us-east-1',
  }
  try {
    await finished(gazette(['copy', '--to', STORE_URL], { dataDir, env }))
  } catch (error) {
    await stop(server)
    throw error
  }
  return { server, env: { ...env, STORE_URL } }
}

import type { S3Server } from './s3-server.mjs'

/**
 * Gives the SDK the credentials of a test's server as it takes them anywhere else. Returns what takes them away again.
 */
export function giveCredentials({
  credentials: { accessKeyId, secretAccessKey },
}: Pick<S3Server, 'credentials'>): () => void {
  const given = credentialsOf({ accessKeyId, secretAccessKey })
  const before = Object.keys(given).map((name) => [name, process.env[name]] as const)
  Object.assign(process.env, given)
  return () => {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name]
      else process.env[name] = value
    }
  }
}

/** The same as settings of a process. */
export function credentialsOf({ accessKeyId, secretAccessKey }: S3Server['credentials']): Record<string, string> {
  return {
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
    AWS_REGION: 'us-east-1',
    AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true',
  }
}

export function urlOf({ url, bucket }: Pick<S3Server, 'url' | 'bucket'>, prefix = 'lab'): string {
  return `s3://${bucket}/${prefix}?endpoint=${url}&pathStyle=true`
}

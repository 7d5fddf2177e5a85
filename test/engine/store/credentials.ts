import type { S3Server } from './s3-server.mjs'

/** Gives the SDK the credentials of a test's server as it takes them anywhere else. */
export function giveCredentials({
  credentials: { accessKeyId, secretAccessKey },
}: Pick<S3Server, 'credentials'>): void {
  Object.assign(process.env, credentialsOf({ accessKeyId, secretAccessKey }))
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

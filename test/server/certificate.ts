import { generateKeyPairSync, randomBytes, sign } from 'node:crypto'

/** A self-signed certificate for `commonName`, made on the spot so that no key lies in the repository. PEM. */
export function makeCertificate(commonName: string): { cert: string; key: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const ecdsaWithSha256 = der(0x30, Buffer.from('06082a8648ce3d040302', 'hex'))
  const name = der(0x30, der(0x31, der(0x30, Buffer.from('0603550403', 'hex'), der(0x0c, Buffer.from(commonName)))))
  const validity = der(0x30, der(0x17, Buffer.from('240101000000Z')), der(0x17, Buffer.from('490101000000Z')))
  const version = der(0xa0, Buffer.from('020102', 'hex'))
  const serial = der(0x02, Buffer.concat([Buffer.of(1), randomBytes(8)]))
  const subjectKey = publicKey.export({ type: 'spki', format: 'der' })
  const body = der(0x30, version, serial, ecdsaWithSha256, name, validity, name, subjectKey)
  const signature = der(0x03, Buffer.of(0), sign('sha256', body, privateKey))
  const base64 = der(0x30, body, ecdsaWithSha256, signature).toString('base64').replace(/.{64}/g, '$&\n')
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${base64}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  }
}

function der(tag: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts)
  const n = content.length
  const length = n < 128 ? [n] : n < 256 ? [0x81, n] : [0x82, n >> 8, n & 255]
  return Buffer.concat([Buffer.of(tag, ...length), content])
}

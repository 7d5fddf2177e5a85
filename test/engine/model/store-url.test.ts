import { expect, test } from 'vitest'
import { readStoreUrl } from '../../../engine/model/store-url.ts'

test('an address of objects says bucket, prefix and how to get there', () => {
  const s3 = { kind: 's3', bucket: 'lab', prefix: '', region: undefined, endpoint: undefined, pathStyle: false }
  expect(readStoreUrl('s3://lab')).toEqual(s3)
  expect(readStoreUrl('s3://lab/a/b/')).toEqual({ ...s3, prefix: 'a/b/' })
  expect(readStoreUrl('s3://lab/a%20b?region=auto&endpoint=https://r2.example&pathStyle=true')).toEqual({
    ...s3,
    prefix: 'a b/',
    region: 'auto',
    endpoint: 'https://r2.example',
    pathStyle: true,
  })
  expect(readStoreUrl('s3://lab?endpoint=http://127.0.0.1:9000')).toMatchObject({ endpoint: 'http://127.0.0.1:9000' })
  expect(readStoreUrl('s3://lab?endpoint=http://ceph:7480&allowHttp=true')).toMatchObject({
    endpoint: 'http://ceph:7480',
  })
  expect(readStoreUrl('file:///mnt/a%20b')).toEqual({ kind: 'directory', path: '/mnt/a b' })
})

test.each([
  '',
  'lab',
  '/lab',
  's3://',
  's3://L_b',
  's3://lab:80',
  's3://key:secret@lab',
  's3://lab?regoin=eu',
  's3://lab?region=a&region=b',
  's3://lab?pathStyle=yes',
  's3://lab?endpoint=http://ceph:7480',
  's3://lab?endpoint=https://key:secret@r2.example',
  's3://lab?endpoint=https://r2.example/lab',
  's3://lab/.hidden',
  's3://lab/a//b',
  's3://lab#x',
  'file://host/x',
  'file:///',
  'file:///x?y=1',
  'https://lab/x',
])('%s is no address of objects', (text) => {
  expect(readStoreUrl(text)).toBeNull()
})

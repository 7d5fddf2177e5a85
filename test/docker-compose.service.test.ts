import { spawn, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { program } from '../bin/command-line.ts'
import { SETTINGS } from '../engine/model/settings.ts'
import { shareTestServer } from './server/test-server.ts'

type Service = {
  image?: string
  build?: string
  command: string
  environment?: Record<string, string>
  volumes: string[]
  ports?: string[]
  depends_on?: Record<string, { condition: string }>
  healthcheck?: { test?: [string, string, string, string]; disable?: boolean }
  deploy: { resources: { limits: { cpus: string; memory: string } } }
}
type Compose = {
  services: Record<string, Service>
  volumes: Record<string, null>
  networks: { default: { ipam: { config: { subnet: string }[] } } }
}

const text = readFileSync(new URL('../docker-compose.yml', import.meta.url), 'utf8')
/** Returns the configuration that Docker reads, with these lines in .env. */
const composed = (env: Record<string, string> = {}): Compose =>
  parse(
    text.replace(/\$\{(\w+):-([^}]*)\}/g, (_, name: string, otherwise: string) => env[name] ?? otherwise),
    { merge: true },
  )
const { services, volumes, networks } = composed()
const commands = program().commands.map((command) => command.name())

test('every service is bounded, comes back, keeps what it writes, and waits for those that it needs', () => {
  expect(Object.keys(services).sort()).toEqual(['proxy', 'redis', 'web', 'worker'])
  for (const [name, service] of Object.entries(services)) {
    expect(service, name).toMatchObject({ restart: 'unless-stopped' })
    expect(service.deploy.resources.limits.memory, name).toMatch(/^\d+[MG]$/)
    expect(Number(service.deploy.resources.limits.cpus), name).toBeGreaterThan(0)
    // /tmp alone may go with its container.
    for (const volume of service.volumes.filter((each) => each !== '/tmp'))
      expect(Object.keys(volumes), name).toContain(volume.split(':')[0])
    for (const [needed, { condition }] of Object.entries(service.depends_on ?? {}))
      expect([condition, services[needed].healthcheck?.test], name).toEqual(['service_healthy', expect.any(Array)])
    for (const port of service.ports ?? []) expect(port, name).toMatch(/^127\.0\.0\.1:/)
  }
})

test('.env changes port, name, address, subnet and images, each in every place, and is told in the head', () => {
  const env = {
    PROXY_PORT: '9443',
    PROXY_NAME: 'lab.example',
    PROXY_ADDRESS: '0.0.0.0',
    PROXY_SUBNET: '10.9.8.0/24',
    REDIS_IMAGE: 'redis@sha256:1',
    CADDY_IMAGE: 'caddy@sha256:2',
  }
  const ours = composed(env)
  expect(ours.services.proxy).toMatchObject({
    image: 'caddy@sha256:2',
    ports: ['0.0.0.0:9443:9443'],
    command: 'caddy reverse-proxy --from https://lab.example:9443 --to http://web:8080',
  })
  expect(ours.services.redis.image).toBe('redis@sha256:1')
  for (const { environment } of [ours.services.web, ours.services.worker])
    expect(environment).toMatchObject({ TRUST_PROXY: '10.9.8.0/24' })
  expect(ours.networks.default.ipam.config).toEqual([{ subnet: '10.9.8.0/24' }])
  expect(networks.default.ipam.config).toEqual([{ subnet: services.web.environment?.TRUST_PROXY }])
  const told = [...text.matchAll(/^# {3}(\w+)=/gm)].map(([, name]) => name)
  const used = new Set([...text.matchAll(/\$\{(\w+):-/g)].map(([, name]) => name))
  expect([...used].sort()).toEqual(told.sort())
  expect(Object.keys(env).sort()).toEqual(told)
})

test('our services run commands and set settings that there are, and as many threads as cores', () => {
  const names = SETTINGS.map(({ name }) => name)
  for (const { command, environment = {}, deploy } of [services.web, services.worker]) {
    expect(commands).toContain(command)
    for (const [name, value] of Object.entries(environment))
      expect([names.includes(name), typeof value]).toEqual([true, 'string'])
    expect(environment.ENGINE_THREADS).toBe(deploy.resources.limits.cpus)
  }
  const given = [...text.matchAll(/^#.* web ([a-z]+)/gm)].map(([, command]) => command)
  expect(given).toEqual(['token', 'demo', 'import'])
  for (const command of given) expect(commands).toContain(command)
})

test('nothing of a worker is there once only, so that --scale takes any number of them', () => {
  const { worker } = services as unknown as Record<string, object>
  for (const once of ['ports', 'container_name', 'hostname', 'network_mode']) expect(worker).not.toHaveProperty(once)
  expect(text).toContain('--scale worker=4')
})

test('the health check of the server is well when it answers, and not when nobody does', async () => {
  const [kind, , flag, code] = services.web.healthcheck!.test!
  expect(kind).toBe('CMD')
  const service = await shareTestServer()
  const exitCode = (address: string) =>
    new Promise((resolve) =>
      spawn(process.execPath, [flag, code.replace('http://127.0.0.1:8080', address)]).once('close', resolve),
    )
  try {
    expect(await exitCode(service.url)).toBe(0)
  } finally {
    await service.close()
  }
  expect(await exitCode('http://127.0.0.1:1')).toBe(1)
})

test('Docker itself finds nothing wrong with the file', (context) => {
  if (spawnSync('docker', ['compose', 'version']).status !== 0)
    context.skip('skipped: docker compose is not installed here')
  const file = new URL('../docker-compose.yml', import.meta.url).pathname
  expect(spawnSync('docker', ['compose', '-f', file, 'config', '--quiet'])).toMatchObject({ status: 0 })
})

import { spawnSync } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { PodTemplateSpec } from 'kubernetes-types/core/v1.js'
import { expect, test } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { program } from '../../bin/command-line.ts'
import { SETTINGS } from '../../engine/model/settings.ts'
import { VERSION } from '../../engine/model/version.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const directory = join(root, 'deploy/kubernetes')

type Manifest = { apiVersion: string; kind: string; metadata: { name: string }; spec: Record<string, unknown> }

async function readManifests(): Promise<Manifest[]> {
  const files = (await readdir(directory)).filter((name) => name.endsWith('.yaml'))
  const texts = await Promise.all(files.map((name) => readFile(join(directory, name), 'utf8')))
  return texts.flatMap((text) => parseAllDocuments(text).map((document) => document.toJS() as Manifest))
}

/** Compiles manifests as values of Kubernetes' own types, which know every field. */
async function faultsOf(manifests: Manifest[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'gazette-kubernetes-'))
  try {
    const moduleOf = ({ apiVersion }: Manifest) =>
      `kubernetes-types/${apiVersion.includes('/') ? apiVersion.replace('.k8s.io', '') : `core/${apiVersion}`}`
    const lines = manifests.map(
      (each, i) => `export const m${i}: import('${moduleOf(each)}').${each.kind} = ${JSON.stringify(each, null, 1)}`,
    )
    await writeFile(join(folder, 'manifests.ts'), lines.join('\n'))
    const paths = { 'kubernetes-types/*': [`${root}node_modules/kubernetes-types/*`] }
    const compilerOptions = {
      strict: true,
      noEmit: true,
      module: 'esnext',
      moduleResolution: 'bundler',
      types: [],
      paths,
    }
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['manifests.ts'] }))
    const { stdout } = spawnSync(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', folder])
    return String(stdout)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

test('every manifest has the fields of its kind, and a field that it has not is found', async () => {
  const manifests = await readManifests()
  expect(manifests.map(({ kind }) => kind).sort()).toEqual(
    'Deployment Deployment HorizontalPodAutoscaler Ingress NetworkPolicy PersistentVolumeClaim PodDisruptionBudget PodDisruptionBudget Service Service StatefulSet'.split(
      ' ',
    ),
  )
  const indexed = (await readFile(join(root, 'docs/scaling.md'), 'utf8')).match(/```yaml\n([\s\S]*?)```/)![1]
  expect(await faultsOf([...manifests, parseAllDocuments(indexed)[0].toJS()])).toBe('')
  const [claim] = manifests.filter(({ kind }) => kind === 'PersistentVolumeClaim')
  expect(await faultsOf([{ ...claim, spec: { ...claim.spec, accessMode: 'ReadWriteMany' } }])).toContain('accessMode')
})

test('they fit one another: selectors, ports, targets, claims and the secret', async () => {
  const manifests = await readManifests()
  const named = (kind: string) => manifests.filter((each) => each.kind === kind)
  const pods = [...named('Deployment'), ...named('StatefulSet')].map(({ spec }) => spec.template as PodTemplateSpec)
  const labelsOf = (selector: unknown) => (selector as { matchLabels: Record<string, string> }).matchLabels
  const chosen = (labels: Record<string, string>) =>
    pods.filter(({ metadata }) => Object.entries(labels).every(([name, value]) => metadata!.labels![name] === value))
  for (const { kind, spec } of manifests) {
    if (['Deployment', 'StatefulSet', 'PodDisruptionBudget'].includes(kind))
      expect(chosen(labelsOf(spec.selector)), kind).toHaveLength(1)
    if (kind === 'NetworkPolicy') expect(chosen(labelsOf(spec.podSelector))).toHaveLength(1)
    if (kind !== 'Service') continue
    const [pod, ...others] = chosen(spec.selector as Record<string, string>)
    expect(others).toEqual([])
    const ports = pod.spec!.containers.flatMap(({ ports }) => ports ?? []).map(({ name }) => name)
    for (const { targetPort } of spec.ports as { targetPort: string }[]) expect(ports).toContain(targetPort)
  }
  const [{ spec }] = named('HorizontalPodAutoscaler')
  const target = spec.scaleTargetRef as { kind: string; name: string }
  expect(named(target.kind).map(({ metadata }) => metadata.name)).toContain(target.name)
  const text = JSON.stringify(pods)
  expect([...text.matchAll(/"claimName":"([^"]+)"/g)].map(([, name]) => name)).toEqual(['gazette-data', 'gazette-data'])
  expect(new Set([...text.matchAll(/"secretKeyRef":\{"name":"([^"]+)"/g)].map(([, name]) => name))).toEqual(
    new Set(['gazette-queue']),
  )
})

test('our containers run commands and set settings that there are, bounded and without privileges', async () => {
  const commands = program().commands.map((command) => command.name())
  const names = SETTINGS.map(({ name }) => name)
  for (const { kind, spec } of await readManifests()) {
    if (kind !== 'Deployment' && kind !== 'StatefulSet') continue
    const pod = (spec.template as PodTemplateSpec).spec!
    expect(pod.securityContext).toMatchObject({ runAsNonRoot: true })
    for (const { image, args, env, resources, securityContext } of pod.containers) {
      expect(resources!.limits!.memory).toMatch(/^\d+[MG]i$/)
      expect(securityContext).toMatchObject({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      })
      if (kind === 'StatefulSet') continue
      expect(image).toBe(`gazette:${VERSION}`)
      expect(commands).toContain(args![0])
      for (const { name } of env!) expect(names).toContain(name)
      expect(env!.find(({ name }) => name === 'ENGINE_THREADS')!.value).toBe(resources!.limits!.cpu)
    }
  }
})

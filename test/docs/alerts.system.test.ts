import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'

const RULES = fileURLToPath(new URL('../../docs/alerts.yml', import.meta.url))
/** Prometheus' own checker: of Debian's package `prometheus`; PROMTOOL may name another one. */
const PROMTOOL = process.env.PROMTOOL ?? 'promtool'
const hasPromtool = spawnSync(PROMTOOL, ['--version']).status === 0
if (!hasPromtool) console.warn('The alert rules are not tried: there is no promtool')

/** Values of each series, a minute apart, when all is well. */
const WELL: Record<string, string> = {
  'up{job="gazette"}': '1x40',
  gazette_queue_up: '1x40',
  gazette_workers: '2x40',
  gazette_certificate_expiry_seconds: '5184000-60x40',
  gazette_token_expiry_seconds: '2592000-60x40',
  gazette_job_oldest_waiting_seconds: '20x40',
  'gazette_jobs_ended_total{state="failed"}': '0x40',
  gazette_jobs_damaged: '0x40',
  gazette_disk_free_bytes: '90e9x40',
  gazette_disk_floor_bytes: '1e9x40',
  'gazette_http_requests_total{status="200"}': '0+600x40',
  'gazette_http_requests_total{status="503"}': '0+6x40',
  'gazette_http_problems_total{status="500"}': '0x40',
  nodejs_eventloop_lag_p99_seconds: '0.02x40',
}

/** Faults, the alert that each raises, and its severity. */
const WRONG: [alert: string, severity: string, what: Record<string, string>][] = [
  ['GazetteDown', 'critical', { 'up{job="gazette"}': '0x40' }],
  ['GazetteQueueAway', 'critical', { gazette_queue_up: '0x40' }],
  ['GazetteNoWorkers', 'critical', { gazette_workers: '0x40' }],
  ['GazetteExpiresSoon', 'warning', { gazette_certificate_expiry_seconds: '864000-60x40' }],
  ['GazetteExpiresSoon', 'warning', { gazette_token_expiry_seconds: '172800-60x40' }],
  ['GazetteJobsWait', 'warning', { gazette_job_oldest_waiting_seconds: '0+60x40' }],
  // The very first job that fails.
  ['GazetteJobsFail', 'warning', { 'gazette_jobs_ended_total{state="failed"}': '0x25 1x15' }],
  ['GazetteJobsDamaged', 'critical', { gazette_jobs_damaged: '1x40' }],
  ['GazetteDiskLow', 'warning', { gazette_disk_free_bytes: '1.5e9x40' }],
  ['GazetteOverloaded', 'warning', { 'gazette_http_requests_total{status="503"}': '0+60x40' }],
  ['GazetteErrors', 'critical', { 'gazette_http_problems_total{status="500"}': '0x25 0+3x15' }],
  ['GazetteEventLoopLate', 'warning', { nodejs_eventloop_lag_p99_seconds: '0.8x40' }],
]

const rules = readFileSync(RULES, 'utf8')
const alerts = [...rules.matchAll(/- alert: (\w+)/g)].map(([, name]) => name)

test('every alert has a severity, and is tried below', () => {
  expect(alerts.length).toBeGreaterThan(8)
  expect(rules.match(/severity: (critical|warning)/g)).toHaveLength(alerts.length)
  expect(new Set(WRONG.map(([alert]) => alert))).toEqual(new Set(alerts))
})

describe.skipIf(!hasPromtool)('the alert rules, in promtool', () => {
  const run = (...args: string[]) => {
    const { status, stdout, stderr } = spawnSync(PROMTOOL, args, { encoding: 'utf8' })
    return { status, said: stdout + stderr }
  }
  const seriesOf = (values: Record<string, string>) =>
    Object.entries(values).map(([series, text]) => ({ series, values: text }))
  /** Which alerts are active after 40 minutes: these and no others. */
  const expecting = (values: Record<string, string>, active: string[]) => ({
    interval: '1m',
    input_series: seriesOf(values),
    promql_expr_test: [
      {
        expr: 'count by (alertname, severity) (ALERTS{alertstate="firing"})',
        eval_time: '40m',
        exp_samples: active.map((labels) => ({ labels: `{${labels}}`, value: 1 })),
      },
    ],
  })

  test('are rules', () => expect(run('check', 'rules', RULES)).toMatchObject({ status: 0 }))

  test('each fires when its thing goes wrong, alone and with its severity; none when all is well', () => {
    const directory = mkdtempSync(join(tmpdir(), 'gazette-alerts-'))
    try {
      // What JSON says is YAML, too.
      const file = join(directory, 'tests.yml')
      const tests = [
        expecting(WELL, []),
        ...WRONG.map(([alert, severity, what]) =>
          expecting({ ...WELL, ...what }, [`alertname="${alert}", severity="${severity}"`]),
        ),
      ]
      writeFileSync(file, JSON.stringify({ rule_files: [RULES], evaluation_interval: '1m', tests }))
      expect(run('test', 'rules', file)).toMatchObject({ status: 0 })
    } finally {
      rmSync(directory, { recursive: true })
    }
  })
})

import { readFileSync } from 'node:fs'
import { App, Cache, Controller, Get, Metrics, type Plugin } from 'blazon'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { poolMetrics } from '../../src/integrations/postgres/engine.js'

const read = (name: string) =>
  readFileSync(new URL(`../../docs/observability/${name}`, import.meta.url), 'utf8')

interface Alerts {
  readonly groups: { readonly rules: { readonly alert: string; readonly expr: string }[] }[]
}
interface Dashboard {
  readonly panels: {
    readonly title: string
    readonly targets: { readonly expr: string; readonly legendFormat: string }[]
  }[]
}

/** An expression of a file, by the name of its rule or panel. */
type Named = readonly [name: string, expr: string]

const alerts = (parse(read('alerts.yml')) as Alerts).groups.flatMap(({ rules }) =>
  rules.map(({ alert, expr }): Named => [alert, expr]),
)
const { panels } = JSON.parse(read('dashboard.json')) as Dashboard
const shown = panels.flatMap(({ title, targets }) =>
  targets.map(({ expr }): Named => [title, expr]),
)

/** A metric of an expression, with the labels that the expression uses of it. */
interface Use {
  readonly metric: string
  readonly labels: readonly string[]
}

const FUNCTIONS = [
  'sum',
  'min',
  'max',
  'count',
  'absent',
  'rate',
  'increase',
  'changes',
  'deriv',
  'topk',
  'histogram_quantile',
]
const WORD = /^[a-z_]\w*$/i

/**
 * Reads the metrics and labels of an expression of PromQL. The labels of `by` count for every metric of the expression.
 *
 * @throws if the expression has a word that is neither a function nor a metric.
 */
function usesOf(expr: string): readonly Use[] {
  const grouped: string[] = []
  const plain = expr
    .replaceAll('$__rate_interval', '5m')
    .replace(/\bby \(([^)]*)\)/g, (_, list: string) => {
      grouped.push(...list.split(',').map((name) => name.trim()))
      return ''
    })
  const metrics = [...plain.matchAll(/([a-z_]\w*)\s*(\(|\{([^}]*)\})?(?:\[\d+[smhd]\])?/gi)]
  return metrics.flatMap(([, name = '', next, inside]) => {
    if (next === '(') {
      if (!FUNCTIONS.includes(name)) throw new Error(`${name} is not a known function: ${expr}`)
      return []
    }
    if (!WORD.test(name)) return []
    const selected = [...(inside ?? '').matchAll(/(\w+)\s*(?:=~|!~|!=|=)\s*"/g)]
    return [{ metric: name, labels: [...grouped, ...selected.map(([, label = '']) => label)] }]
  })
}

@Controller('letters')
class LettersController {
  @Cache({ ttl: '1m' })
  @Get()
  list() {
    return []
  }

  @Get('broken')
  broken() {
    throw new TypeError('broken')
  }
}

/** Series that no scrape of one application has: those of Prometheus, and those of the command with its workers. */
const ELSEWHERE: Readonly<Record<string, readonly string[]>> = {
  up: ['job', 'instance'],
  workers_running: [],
  workers_started_total: [],
  workers_killed_total: ['reason'],
}

/** The metrics of `postgres()`, without a server. */
const pool: Plugin = {
  name: 'pool',
  setup({ get }) {
    const driver = { size: 5, usage: () => ({ lent: 1, waiting: 0 }) }
    for (const metric of poolMetrics(driver)) get(Metrics).add(metric)
  },
}

/** The labels of each series of a scrape, by metric. */
async function scrape(): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const app = await App.create({
    controllers: [LettersController],
    metrics: true,
    capacity: { concurrent: 10 },
    health: { checks: { mail: () => {} } },
    plugins: [pool],
    logger: false,
  })
  const address = await app.listen(0, { host: '127.0.0.1', announce: false })
  const url = `http://127.0.0.1:${(address as { port: number }).port}`
  for (const path of ['/letters', '/letters', '/letters/broken', '/metrics', '/readyz'])
    await fetch(url + path)
  const text = await (await fetch(`${url}/metrics`)).text()
  await app.close()
  const series = new Map(Object.entries(ELSEWHERE).map(([name, labels]) => [name, new Set(labels)]))
  for (const [, name = '', labels = ''] of text.matchAll(/^(\w+)(?:\{(.*)\})? [^ ]+$/gm)) {
    const known = series.get(name) ?? new Set()
    for (const [, label = ''] of labels.matchAll(/(\w+)="/g)) known.add(label)
    series.set(name, known)
  }
  return series
}

/** The parts of expressions that no series of a scrape has. */
function missingIn(series: ReadonlyMap<string, ReadonlySet<string>>, all: readonly Named[]) {
  return all.flatMap(([name, expr]) =>
    usesOf(expr).flatMap(({ metric, labels }) => {
      const known = series.get(metric)
      if (known === undefined) return [`${name}: ${metric}`]
      return labels
        .filter((label) => !known.has(label))
        .map((label) => `${name}: ${metric}.${label}`)
    }),
  )
}

describe('the alert rules and the dashboard', () => {
  it('use only metrics and labels that a scrape contains', async () => {
    const series = await scrape()
    expect(missingIn(series, alerts)).toEqual([])
    expect(missingIn(series, shown)).toEqual([])
    const wrong: Named = [
      'Wrong',
      'sum by (path) (rate(capacity_running_requests{who="x"}[5m])) / no',
    ]
    expect(missingIn(series, [wrong])).toEqual([
      'Wrong: capacity_running_requests.path',
      'Wrong: capacity_running_requests.who',
      'Wrong: no',
    ])
  })

  it('use only worker metrics that the command exports', () => {
    const source = new URL('../../src/cli/start/run-workers.ts', import.meta.url)
    const command = readFileSync(source, 'utf8')
    const names = Object.keys(ELSEWHERE).filter((name) => name.startsWith('workers_'))
    expect(names.filter((name) => !command.includes(`name: '${name}'`))).toEqual([])
  })

  it('use a metric and only known functions in each expression', () => {
    for (const [name, expr] of [...alerts, ...shown]) {
      expect([name, usesOf(expr).length > 0]).toEqual([name, true])
    }
    expect(() => usesOf('sums(capacity_running_requests)')).toThrow('sums is not a known function')
  })

  it('use only labels from its expression in the name of a dashboard series', () => {
    for (const { targets } of panels) {
      for (const { expr, legendFormat } of targets) {
        const labels = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label]) => label)
        const used = usesOf(expr).flatMap((use) => use.labels)
        expect(labels.filter((label) => !used.includes(label as string))).toEqual([])
      }
    }
  })
})

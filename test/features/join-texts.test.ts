import { Counter, Gauge, Histogram, Registry, Summary } from 'prom-client'
import { expect, it } from 'vitest'
import { joinTexts, type WorkerText } from '../../src/features/metrics/join-texts.js'

/** A registry of each kind of metric, as a process has it. */
async function registryText(value: number): Promise<string> {
  const registers = [new Registry()]
  const [registry] = registers as [Registry]
  const sent = new Counter({ name: 'sent_total', help: 'Sent.', labelNames: ['to'], registers })
  sent.inc({ to: 'a "b", {c} \n' }, value)
  new Gauge({ name: 'open', help: 'Open.', registers }).set(value)
  new Histogram({ name: 'size', help: 'Size.', buckets: [1], registers }).observe(value)
  new Summary({ name: 'took', help: 'Took.', percentiles: [0.5], registers }).observe(value)
  return registry.metrics()
}

async function joined(texts: readonly WorkerText[]): Promise<string[]> {
  let text = ''
  for await (const piece of joinTexts(texts)) text += piece
  return text.split('\n')
}

it('the values of each worker get the label `worker`, and are grouped by metric', async () => {
  const lines = await joined([
    { worker: '1', text: await registryText(0.5) },
    { worker: '2', text: await registryText(5) },
    { worker: null, text: '# HELP running Run.\n# TYPE running gauge\nrunning 2\n' },
  ])
  expect(lines.filter((line) => !line.startsWith('# HELP'))).toEqual([
    '# TYPE sent_total counter',
    'sent_total{worker="1",to="a \\"b\\", {c} \\n"} 0.5',
    'sent_total{worker="2",to="a \\"b\\", {c} \\n"} 5',
    '# TYPE open gauge',
    'open{worker="1"} 0.5',
    'open{worker="2"} 5',
    '# TYPE size histogram',
    'size_bucket{worker="1",le="1"} 1',
    'size_bucket{worker="1",le="+Inf"} 1',
    'size_sum{worker="1"} 0.5',
    'size_count{worker="1"} 1',
    'size_bucket{worker="2",le="1"} 0',
    'size_bucket{worker="2",le="+Inf"} 1',
    'size_sum{worker="2"} 5',
    'size_count{worker="2"} 1',
    '# TYPE took summary',
    'took{worker="1",quantile="0.5"} 0.5',
    'took_sum{worker="1"} 0.5',
    'took_count{worker="1"} 1',
    'took{worker="2",quantile="0.5"} 5',
    'took_sum{worker="2"} 5',
    'took_count{worker="2"} 1',
    '# TYPE running gauge',
    'running 2',
    '',
  ])
  expect(lines.filter((line) => line.startsWith('# HELP size'))).toHaveLength(1)
})

it('a metric of only one worker keeps its header, exemplars and unit', async () => {
  const lines = await joined([
    { worker: '1', text: '# TYPE a_seconds gauge\n# UNIT a_seconds seconds\na_seconds +Inf\n' },
    { worker: '2', text: '# TYPE b counter\nb_total{} 1 # {trace_id="x"} 1 1.000\n' },
  ])
  expect(lines).toEqual([
    '# TYPE a_seconds gauge',
    '# UNIT a_seconds seconds',
    'a_seconds{worker="1"} +Inf',
    '# TYPE b counter',
    'b_total{worker="2"} 1 # {trace_id="x"} 1 1.000',
    '',
  ])
})

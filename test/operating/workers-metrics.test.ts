import { describe, expect, it } from 'vitest'
import { Crew, program } from './workers.js'

/** The sum of the series of a metric whose labels contain a text. */
function valueIn(metrics: string, name: string, labels = ''): number {
  const lines = metrics.split('\n').filter((line) => new RegExp(`^${name}[{ ]`).test(line))
  const values = lines.filter((line) => line.includes(labels)).map((line) => line.split(' ').at(-1))
  return values.reduce((sum, value) => sum + Number(value), 0)
}

const COUNT = 'http_server_request_duration_seconds_count'

async function scrape(crew: Crew, accept = 'text/plain'): Promise<string> {
  return (await crew.ask('/metrics', { headers: { accept } })).text()
}

describe('a scrape of any worker', () => {
  it('has the sums of all workers, in both formats', async () => {
    const crew = await Crew.start(program('metrics: true,'))
    expect((await crew.pids(10)).size).toBe(2)
    for (const accept of ['text/plain', 'application/openmetrics-text']) {
      for (let index = 0; index < 4; index++) {
        const metrics = await scrape(crew, accept)
        expect(valueIn(metrics, COUNT, 'route="/pid"')).toBe(10)
        expect(valueIn(metrics, 'workers_running')).toBe(2)
        expect(metrics.match(/^# TYPE http_server_request_duration_seconds /gm)).toHaveLength(1)
      }
    }
  })

  it('has gauges of each process with the label worker', async () => {
    const crew = await Crew.start(program('metrics: true,'))
    const metrics = await scrape(crew)
    const memory = [...metrics.matchAll(/^process_resident_memory_bytes\{worker="(\d)"\}/gm)]
    expect(memory.map(([, worker]) => worker).sort()).toEqual(['1', '2'])
  })

  it('never has smaller counts after restarts', async () => {
    const crew = await Crew.start(program('metrics: true,'))
    let total = 0
    for (let restart = 0; restart < 3; restart++) {
      total += 6
      await crew.pids(6)
      await crew.restart()
      expect(valueIn(await scrape(crew), COUNT, 'route="/pid"')).toBe(total)
    }
    expect(valueIn(await scrape(crew), 'workers_started_total')).toBe(8)
  })

  it('keeps what a crashed worker had counted at the scrape before', async () => {
    const crew = await Crew.start(program('metrics: true,'))
    const [victim] = await crew.pids(6)
    expect(valueIn(await scrape(crew), COUNT, 'route="/pid"')).toBe(6)
    process.kill(victim as number, 'SIGKILL')
    await crew.service.wrote('ended by SIGKILL')
    expect(valueIn(await scrape(crew), COUNT, 'route="/pid"')).toBe(6)
  })

  it('does not wait for a worker that does not answer, and counts it', async () => {
    const crew = await Crew.start(
      program(
        'metrics: true,',
        `'GET block': () => { say('blocks'); const end = Date.now() + 4000; while (Date.now() < end); return 1 },`,
      ),
    )
    await crew.pids(6)
    expect(valueIn(await scrape(crew), COUNT, 'route="/pid"')).toBe(6)
    const blocked = crew.ask('/block')
    await crew.service.wrote('blocks')
    // The other worker gets every second connection.
    const metrics = await Promise.any([scrape(crew), scrape(crew)])
    expect(valueIn(metrics, 'workers_unanswered_total')).toBe(1)
    expect(valueIn(metrics, COUNT, 'route="/pid"')).toBe(6)
    expect((await blocked).status).toBe(200)
  })

  it('joins metrics of the application and of a registry', async () => {
    const crew = await Crew.start(`
      import { Metrics } from 'blazon'
      const registry = {
        contentType: 'text/plain; version=0.0.4; charset=utf-8',
        getMetricsAsArray: () => [{ name: 'jobs_total' }, { name: 'oldest_job', aggregator: 'max' }],
        metrics: async () => [
          '# HELP jobs_total Jobs.', '# TYPE jobs_total counter', 'jobs_total{kind="a b}"} 2',
          '# HELP oldest_job Age.', '# TYPE oldest_job gauge', 'oldest_job 3', '',
        ].join('\\n'),
      }
      const app = new App({ controllers: [controller({ 'GET pid': () => process.pid })], metrics: { registry } })
      await app.init()
      app.get(Metrics).add({ name: 'waiting', help: 'Waiting.', type: 'gauge', read: () => 5 })
      await app.listen(0)
    `)
    const metrics = await scrape(crew)
    expect(metrics).toContain('\njobs_total{kind="a b}"} 4\n')
    expect(metrics).toContain('\noldest_job{worker="1"} 3\n')
    expect(metrics).toContain('\nwaiting 10\n')
  })
})

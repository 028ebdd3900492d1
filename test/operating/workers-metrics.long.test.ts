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

describe('a metrics scrape from any worker', () => {
  it('contains the series of every worker, each with a label `worker`, in both formats', async () => {
    const crew = await Crew.start(program('metrics: true,'))
    expect((await crew.pids(10)).size).toBe(2)
    for (const accept of ['text/plain', 'application/openmetrics-text']) {
      for (let index = 0; index < 4; index++) {
        const metrics = await scrape(crew, accept)
        expect(valueIn(metrics, COUNT, 'route="/pid"')).toBe(10)
        for (const worker of [1, 2]) {
          expect(valueIn(metrics, COUNT, `{worker="${worker}",method="GET",route="/pid"`)).toBe(5)
          expect(metrics).toMatch(
            new RegExp(`^process_resident_memory_bytes\\{worker="${worker}"\\} \\d`, 'm'),
          )
        }
        expect(metrics).toContain('\nworkers_running 2\n')
        expect(metrics).toContain('\nworkers_started_total 2\n')
        expect(metrics.match(/^# TYPE http_server_request_duration_seconds /gm)).toHaveLength(1)
        expect(metrics.match(/# EOF/g)?.length ?? 0).toBe(accept === 'text/plain' ? 0 : 1)
      }
    }
  })

  it('has the same worker labels after all workers are replaced', async () => {
    const crew = await Crew.start(program('metrics: true,'))
    await crew.restart()
    await crew.pids(6)
    const metrics = await scrape(crew)
    expect(valueIn(metrics, COUNT, 'route="/pid"')).toBe(6)
    expect(metrics.match(/^process_start_time_seconds\{worker="\d"\}/gm)).toHaveLength(2)
    expect(metrics).toContain('\nworkers_started_total 4\n')
  })

  it('omits a worker that does not respond in time', async () => {
    const crew = await Crew.start(
      program(
        "metrics: true, timeouts: { close: '100ms', onClose: '100ms' },",
        `'GET block': () => { say('blocks'); Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0) },`,
      ),
      ['--workers', '2', '--heartbeat', '0'],
    )
    void crew.ask('/block').catch(() => {})
    await crew.service.wrote('blocks')
    // The other worker gets every second connection.
    const metrics = await Promise.any([scrape(crew), scrape(crew)])
    expect(metrics.match(/^process_start_time_seconds/gm)).toHaveLength(1)
    expect(metrics).toContain('\nworkers_running 2\n')
    // Nothing else ends the blocked process.
    expect(await crew.end()).toBe(137)
  })

  it('contains the metrics of the application and of a registry for each worker', async () => {
    const crew = await Crew.start(`
      import { Metrics } from 'blazon'
      const registry = {
        contentType: 'text/plain; version=0.0.4; charset=utf-8',
        getMetricsAsArray: () => [{ name: 'jobs_total' }],
        metrics: async () => [
          '# HELP jobs_total Jobs.', '# TYPE jobs_total counter', 'jobs_total{kind="a b}"} 2', '',
        ].join('\\n'),
      }
      const app = new App({ controllers: [controller({ 'GET pid': () => process.pid })], metrics: { registry } })
      await app.init()
      app.get(Metrics).add({ name: 'waiting', help: 'Waiting.', type: 'gauge', read: () => 5 })
      await app.listen(0)
    `)
    const metrics = await scrape(crew)
    for (const worker of [1, 2]) {
      expect(metrics).toContain(`\njobs_total{worker="${worker}",kind="a b}"} 2\n`)
      expect(metrics).toContain(`\nwaiting{worker="${worker}"} 5\n`)
    }
  })
})

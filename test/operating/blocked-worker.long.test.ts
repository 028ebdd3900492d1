import { describe, expect, it } from 'vitest'
import { freePort } from '../cli/dev-run.js'
import { Crew, program } from './workers.js'

/** One request blocks the event loop of its worker for ever, without use of the processor. */
const BLOCKED = program(
  "metrics: true, timeouts: { close: '100ms', onClose: '100ms' },",
  `'GET block': () => { say('blocks'); Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0) },
  'GET exit': () => process.exit(9),`,
)

async function block(heartbeat: string): Promise<Crew> {
  const env = { PORT: String(await freePort()) }
  const crew = await Crew.start(BLOCKED, ['--workers', '2', '--heartbeat', heartbeat], env)
  void crew.ask('/block').catch(() => {})
  await crew.service.wrote('blocks')
  return crew
}

describe('a worker with a blocked event loop', () => {
  it('is killed and replaced, and the other workers accept its waiting connections', async () => {
    const crew = await block('2')
    const waiting = Array.from({ length: 4 }, () => crew.ask('/pid'))
    await crew.service.wrote('has not responded for 2 s, and is killed.')
    const statuses = (await Promise.all(waiting)).map(({ status }) => status)
    expect(statuses).toEqual([200, 200, 200, 200])
    await expect.poll(async () => (await crew.pids()).size, { timeout: 20_000 }).toBe(2)
    const metrics = await (await crew.ask('/metrics')).text()
    expect(metrics).toContain('\nworkers_killed_total{reason="heartbeat"} 1\n')
    expect(await crew.end()).toBe(0)
  })

  it('leaves no client waiting even if all workers are blocked', async () => {
    const crew = await block('2')
    void crew.ask('/block').catch(() => {})
    await expect.poll(() => crew.service.output.match(/^blocks$/gm)?.length).toBe(2)
    const waiting = Array.from({ length: 4 }, () => crew.ask('/pid').catch(() => 'ended'))
    expect(await Promise.all(waiting)).toHaveLength(4)
    const status = async () => (await crew.ask('/pid').catch(() => null))?.status
    await expect.poll(status, { timeout: 20_000 }).toBe(200)
    // A worker that is still starting would end by the signal.
    await expect.poll(async () => (await crew.pids()).size, { timeout: 20_000 }).toBe(2)
    expect(await crew.end()).toBe(0)
  })

  it('is killed on SIGHUP, and does not continue to run beside the new workers', async () => {
    const crew = await block('0')
    await crew.restart()
    expect(crew.service.output).toContain('has not ended within 5.4 s, and is killed.')
    const metrics = await (await crew.ask('/metrics')).text()
    expect(metrics).toContain('\nworkers_running 2\n')
    expect(metrics).toContain('\nworkers_killed_total{reason="close"} 1\n')
    expect((await crew.pids()).size).toBe(2)
  })

  it('is killed on SIGTERM, and the command ends', async () => {
    const crew = await block('0')
    expect(await crew.end()).toBe(137)
    expect(crew.service.output).toContain('has not ended within 5.4 s, and is killed.')
  })
})

it('a request that ends its worker does not stop the other worker, and the ended worker is replaced', async () => {
  const crew = await Crew.start(BLOCKED)
  for (let round = 1; round <= 5; round++) {
    await crew.ask('/exit').catch(() => {})
    expect((await crew.ask('/pid')).status).toBe(200)
    await expect.poll(async () => (await crew.pids()).size, { timeout: 20_000 }).toBe(2)
  }
  const ends = crew.service.output.match(/ended with status 9\. .*/g)
  expect(ends).toEqual(Array(5).fill('ended with status 9. Another one starts now.'))
})

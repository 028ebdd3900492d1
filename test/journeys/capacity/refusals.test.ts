import type { Logger, Plugin } from 'blazon'
import { TestApp, type TestOptions } from 'blazon/testing'
import { afterEach, describe, expect, it } from 'vitest'
import { bootProblems } from '../../support.js'
import { Held, keptLog, workController } from './support.js'

const TEXT = 'Requests that exceed the capacity are refused'

let held = new Held()
let app: TestApp
afterEach(async () => {
  held.all()
  await app.close()
})

async function start(capacity: object, more: TestOptions = {}) {
  held = new Held()
  app = await TestApp.create({
    controllers: [workController(held)],
    capacity: capacity as never,
    metrics: true,
    contract: 'off',
    ...more,
  })
  await app.clock.advance(0)
}

const get = (path: string) => app.request().get(path).then()
const begun = (count: number) => expect.poll(() => held.begun.length).toBe(count)
const metric = async (name: string) => {
  const { text } = await get('/metrics')
  return Number(new RegExp(`^capacity_${name} (\\S+)$`, 'm').exec(text)?.[1])
}
const shows = (name: string, value: number) => expect.poll(() => metric(name)).toBe(value)

describe('the defaults of the capacity option', () => {
  it('are a queue for as many requests as run, a wait of a second, and Retry-After: 1', async () => {
    await start({ concurrent: 2 })
    const running = [get('/work/1'), get('/work/2')]
    await begun(2)
    const queued = [get('/work/3'), get('/work/4')]
    await shows('queued_requests', 2)
    const refused = await get('/work/5')
    expect([refused.status, refused.headers['retry-after']]).toEqual([503, '1'])
    await app.clock.advance('999ms')
    expect(await metric('queued_requests')).toBe(2)
    await app.clock.advance('1ms')
    expect((await Promise.all(queued)).map(({ status }) => status)).toEqual([503, 503])
    held.all()
    await Promise.all(running)
  })
})

describe('the capacity option', () => {
  it('rounds `retryAfter` up to seconds, and is shown in the metrics', async () => {
    await start({ concurrent: 1, queue: 0, retryAfter: '1500ms' })
    const first = get('/work/1')
    await begun(1)
    const { headers, body } = await get('/work/2')
    expect(headers['retry-after']).toBe('2')
    expect(body.message).toContain('try again in 2 s')
    expect(await metric('concurrent_limit')).toBe(1)
    held.all()
    await first
  })

  it.each([
    [2, 'Pass a whole number from 1 to 2, which is `concurrent`.'],
    ['two', 'Pass a whole number from 1.'],
  ])(
    'names the allowed values of `perTenant` if `concurrent` is %j',
    async (concurrent, remedy) => {
      await start({ concurrent: 1 })
      const capacity = { concurrent, perTenant: 0 } as never
      const problems = await bootProblems({ capacity, tenant: {} })
      const ofTenant = problems.find(({ subject }) => subject === 'capacity.perTenant')
      expect(ofTenant?.remedy).toBe(remedy)
    },
  )
})

describe('a request that the capacity refuses', () => {
  it('is recorded with the reason and with the load', async () => {
    await start({ concurrent: 1, queue: 1, wait: '30s' })
    const first = get('/work/1')
    await begun(1)
    const second = get('/work/2').then(({ status }) => status)
    await shows('queued_requests', 1)
    const { decisions } = app.explain(await get('/work/3'))
    expect(decisions.find(({ by }) => by === 'capacity')).toMatchObject({
      verdict: 'refused',
      reason: 'full',
      facts: { running: 1, queued: 1, receiving: 0 },
    })
    held.next()
    await begun(2)
    held.all()
    await first
    expect(await second).toBe(200)
  })

  it('runs no step of a plugin', async () => {
    const paths: string[] = []
    const plugin: Plugin = {
      name: 'notes',
      steps: () => ({
        beforeGuard: (next) => (req, res) => {
          paths.push(req.path)
          return next(req, res)
        },
      }),
    }
    await start({ concurrent: 1, queue: 0 }, { plugins: [plugin] })
    const first = get('/work/1')
    await begun(1)
    expect((await get('/work/2')).status).toBe(503)
    expect(paths).toEqual(['/work/1'])
    held.all()
    await first
  })

  it('is not counted as refused if its client has disconnected in the queue', async () => {
    await start({ concurrent: 1, queue: 1, wait: '30s' })
    const first = get('/work/1')
    await begun(1)
    const gone = app.request().get('/work/2')
    gone.end(() => {})
    await shows('queued_requests', 1)
    gone.abort()
    await shows('queued_requests', 0)
    const { text } = await get('/metrics')
    const counts = text.match(/^capacity_refused_requests_total.*$/gm) ?? []
    expect(counts).toEqual(
      ['full', 'wait', 'share', 'bodies'].map(
        (reason) => `capacity_refused_requests_total{reason="${reason}"} 0`,
      ),
    )
    held.all()
    await first
  })
})

describe('the log of refused requests', () => {
  it('contains the load, and at the end the refusals that were not logged yet', async () => {
    const { lines, logger } = keptLog()
    await start({ concurrent: 1, queue: 0 }, { logger })
    const first = get('/work/1')
    await begun(1)
    for (const name of [2, 3, 4]) expect((await get(`/work/${name}`)).status).toBe(503)
    const load = { running: 1, queued: 0, receiving: 0 }
    expect(lines).toEqual([['warn', TEXT, { refused: 1, reasons: { full: 1 }, ...load }]])
    held.all()
    await first
    await app.close()
    expect(lines.slice(1)).toMatchObject([['warn', TEXT, { refused: 2, reasons: { full: 2 } }]])
  })

  it.each<[string, () => unknown]>([
    [
      'throws',
      () => {
        throw new Error('no log')
      },
    ],
    ['rejects', () => Promise.reject(new Error('no log'))],
  ])('does not change the response if the logger %s', async (_, warn) => {
    const logger = { debug() {}, info() {}, warn, error() {} } as Logger
    await start({ concurrent: 1, queue: 0 }, { logger })
    const first = get('/work/1')
    await begun(1)
    expect((await get('/work/2')).body.code).toBe('OVER_CAPACITY')
    held.all()
    await first
  })
})

import { App, ConfigError, Controller, Get, Post } from 'blazon'
import { TestApp } from 'blazon/testing'
import { afterEach, describe, expect, it } from 'vitest'
import { Held, keptLog, Servers, workController } from './support.js'

@Controller('items')
class ItemsController {
  @Get()
  list() {
    return []
  }

  @Post()
  add() {}
}

const controllers = [ItemsController]
const servers = new Servers()
let held = new Held()
afterEach(async () => {
  held.all()
  await servers.close()
})

async function problemsOf(capacity: unknown): Promise<readonly string[]> {
  try {
    const app = new App({ controllers, logger: false, capacity: capacity as never })
    await app.init()
    await app.close()
    return []
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return error.problems.map(({ code, subject }) => `${code} ${subject}`)
  }
}

describe('the capacity option', () => {
  it.each([
    [true, 'capacity'],
    [10, 'capacity'],
    [null, 'capacity'],
    [[], 'capacity'],
    [{}, 'capacity.concurrent'],
    [{ queue: 4 }, 'capacity.concurrent'],
    [{ concurrent: 0 }, 'capacity.concurrent'],
    [{ concurrent: -1 }, 'capacity.concurrent'],
    [{ concurrent: 1.5 }, 'capacity.concurrent'],
    [{ concurrent: '10' }, 'capacity.concurrent'],
    [{ concurrent: Number.NaN }, 'capacity.concurrent'],
    [{ concurrent: Number.POSITIVE_INFINITY }, 'capacity.concurrent'],
    [{ concurrent: 1, queue: -1 }, 'capacity.queue'],
    [{ concurrent: 1, queue: 0.5 }, 'capacity.queue'],
    [{ concurrent: 1, bodies: 0 }, 'capacity.bodies'],
    [{ concurrent: 1, bodies: '10' }, 'capacity.bodies'],
    [{ concurrent: 1, wait: 0 }, 'capacity.wait'],
    [{ concurrent: 1, wait: 'soon' }, 'capacity.wait'],
    [{ concurrent: 1, retryAfter: -1 }, 'capacity.retryAfter'],
    [{ concurrent: 2, perTenant: 0 }, 'capacity.perTenant'],
    [{ concurrent: 2, perTenant: 3 }, 'capacity.perTenant'],
    [{ concurrent: 2, perTenant: 1 }, 'capacity.perTenant'],
    [{ concurrent: 2, pertenant: 1 }, 'capacity.pertenant'],
  ])('refuses %j', async (capacity, subject) => {
    expect(await problemsOf(capacity)).toEqual([`E_OPTION_INVALID ${subject}`])
  })

  it('accepts valid values', async () => {
    expect(await problemsOf({ concurrent: 1, queue: 0, wait: '250ms', retryAfter: 2 })).toEqual([])
    expect(await problemsOf(undefined)).toEqual([])
  })
})

describe('the OpenAPI document', () => {
  const responsesOf = (app: App) => app.document.paths['/items']?.get?.responses ?? {}
  const headersOf503 = (app: App) => {
    const { ServiceUnavailable } = app.document.components?.responses ?? {}
    return Object.keys(ServiceUnavailable?.headers ?? {})
  }

  it('contains 503 with Retry-After for each route if capacity is set, even without a handler timeout', () => {
    const app = new App({
      controllers,
      capacity: { concurrent: 1 },
      timeouts: { handler: false },
    })
    expect(responsesOf(app)).toHaveProperty('503')
    expect(headersOf503(app)).toEqual(['Retry-After'])
  })

  it('contains no 503 without the capacity option and a handler timeout', () => {
    const app = new App({ controllers, timeouts: { handler: false } })
    expect(responsesOf(app)).not.toHaveProperty('503')
  })
})

it('a TestApp with the contract enabled accepts the 503 responses to refused requests', async () => {
  held = new Held()
  const app = await TestApp.create({
    controllers: [workController(held)],
    capacity: { concurrent: 1, queue: 0 },
    logger: false,
    contract: 'throw',
  })
  const first = app.request().get('/work/1').then()
  await expect.poll(() => held.begun.length).toBe(1)
  await app.request().get('/work/2').expect(503)
  held.all()
  expect((await first).status).toBe(200)
  await app.close()
})

it('a request that waits too long according to the application clock is refused', async () => {
  held = new Held()
  const { lines, logger } = keptLog()
  const app = await TestApp.create({
    controllers: [workController(held)],
    capacity: { concurrent: 1, queue: 9, wait: '2s' },
    metrics: true,
    logger,
    contract: 'off',
    timeouts: { handler: '1h' },
  })
  const first = app.request().get('/work/1').then()
  await expect.poll(() => held.begun.length).toBe(1)
  const later = [2, 3, 4].map((name) => app.request().get(`/work/${name}`).then())
  const scrape = async () => (await app.request().get('/metrics')).text
  await expect.poll(scrape).toContain('capacity_queued_requests 3\n')
  await app.clock.advance('3s')
  expect((await Promise.all(later)).map(({ status }) => status)).toEqual([503, 503, 503])
  expect(await scrape()).toContain('capacity_refused_requests_total{reason="wait"} 3\n')
  expect(await scrape()).toContain('capacity_running_requests 1\n')
  const text = 'Requests that exceed the capacity are refused'
  expect(lines).toMatchObject([['warn', text, { refused: 1 }]])
  // One line for all others of the period, and none for a period without any.
  await app.clock.advance('60s')
  expect(lines.filter(([, message]) => message === text)).toMatchObject([
    ['warn', text, { refused: 1 }],
    ['warn', text, { refused: 2, reasons: { wait: 2 } }],
  ])
  // The first one after such a period is logged at once again.
  const last = app.request().get('/work/5').then()
  await expect.poll(scrape).toContain('capacity_queued_requests 1\n')
  await app.clock.advance('2s')
  expect((await last).status).toBe(503)
  expect(lines.filter(([, message]) => message === text)).toHaveLength(3)
  held.all()
  await first
  await app.close()
})

it('a request that leaves the queue in time can run longer than the maximum wait', async () => {
  held = new Held()
  const app = await TestApp.create({
    controllers: [workController(held)],
    capacity: { concurrent: 1, queue: 1, wait: '2s' },
    logger: false,
    contract: 'off',
  })
  const send = (name: string) => app.request().get(`/work/${name}`).then()
  const first = send('1')
  await expect.poll(() => held.begun).toEqual(['1'])
  const second = send('2')
  await app.clock.advance('1s')
  held.next()
  expect((await first).status).toBe(200)
  await expect.poll(() => held.begun).toEqual(['1', '2'])
  // The end of its wait passes while it runs.
  await app.clock.advance('5s')
  held.next()
  expect((await second).status).toBe(200)
  const third = send('3')
  await expect.poll(() => held.begun).toEqual(['1', '2', '3'])
  held.next()
  expect((await third).status).toBe(200)
  await app.close()
})

describe('the perTenant option', () => {
  async function start(capacity: { concurrent: number; queue: number; perTenant?: number }) {
    held = new Held()
    const { url } = await servers.start({
      controllers: [workController(held)],
      tenant: {},
      metrics: true,
      capacity: { ...capacity, wait: '30s' },
    })
    const ask = (tenant: string, name: string | number) =>
      fetch(`${url}/work/${name}`, { headers: { 'x-tenant-id': tenant } })
    const queued = (count: number) =>
      expect
        .poll(async () => (await fetch(`${url}/metrics`)).text())
        .toContain(`capacity_queued_requests ${count}\n`)
    return { ask, queued }
  }

  it('keeps places free for other tenants', async () => {
    const { ask, queued } = await start({ concurrent: 2, queue: 2, perTenant: 1 })
    const greedy = [ask('a', 1), ask('a', 2)]
    await queued(1)
    const other = ask('b', 1)
    await expect.poll(() => held.begun.length).toBe(2)
    expect(held.begun.map((name) => name[0]).sort()).toEqual(['a', 'b'])
    held.all()
    expect((await other).status).toBe(200)
    await expect.poll(() => held.begun.length).toBe(3)
    held.all()
    expect((await Promise.all(greedy)).map(({ status }) => status)).toEqual([200, 200])
  })

  it('is necessary for turns: without it, requests run in the order of their arrival', async () => {
    const { ask, queued } = await start({ concurrent: 1, queue: 3 })
    const all = [ask('a', 1)]
    await expect.poll(() => held.begun.length).toBe(1)
    for (const [index, tenant] of ['a', 'a', 'b'].entries()) {
      all.push(ask(tenant, index + 2))
      await queued(index + 1)
    }
    for (const count of [2, 3, 4]) {
      held.next()
      await expect.poll(() => held.begun.length).toBe(count)
    }
    held.all()
    await Promise.all(all)
    expect(held.begun).toEqual(['a1', 'a2', 'a3', 'b4'])
  })

  it('alternates between tenants, and prefers tenants with fewer queued requests', async () => {
    const { ask, queued } = await start({ concurrent: 1, queue: 3, perTenant: 1 })
    const statuses: number[] = []
    const note = (sent: Promise<Response>) => sent.then(({ status }) => statuses.push(status))
    const all = [note(ask('a', 1))]
    await expect.poll(() => held.begun.length).toBe(1)
    for (const name of [2, 3, 4]) {
      all.push(note(ask('a', name)))
      await queued(name - 1)
    }
    all.push(note(ask('b', 1)))
    // The newest of the greedy tenant has made room.
    await expect.poll(() => statuses).toEqual([503])
    // The queue of b would then be the longer one, so no request makes room for it.
    all.push(note(ask('b', 2)))
    await expect.poll(() => statuses).toEqual([503, 503])
    all.push(note(ask('a', 5)))
    await expect.poll(() => statuses).toEqual([503, 503, 503])
    for (const count of [2, 3, 4]) {
      held.next()
      await expect.poll(() => held.begun.length).toBe(count)
    }
    held.all()
    await Promise.all(all)
    expect(held.begun).toEqual(['a1', 'a2', 'b1', 'a3'])
    expect(statuses.filter((status) => status === 200)).toHaveLength(4)
  })
})

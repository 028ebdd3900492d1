import type { AppOptions } from 'blazon'
import { TestApp } from 'blazon/testing'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { calls, versioned } from './versions-app.js'

async function start(versions: NonNullable<AppOptions['versions']>, more: AppOptions = {}) {
  const app = await TestApp.create({ ...versioned, ...more, versions, contract: 'throw' })
  onTestFinished(() => app.close())
  return app
}

beforeEach(() => {
  calls.cached = 0
})

const WAYS = {
  path: { by: 'path', default: '1' },
  header: { by: { header: 'X-API-Version' }, default: '1' },
  mediaType: { by: 'mediaType', default: '1' },
} as const

describe.each(Object.entries(WAYS))('versions by %s', (way, versions) => {
  it('determine the route of a request', async () => {
    const app = await start(versions)
    const first = await app.version('1').request().get('/orders').expect(200)
    const second = await app.version('2').request().get('/orders?page=1').expect(200)
    expect(first.body.data).toEqual({ total: 1 })
    expect(second.body.data).toEqual({ total: { amount: 1, currency: 'EUR' } })
    const viaFetch = await app.version('2').fetch('/orders')
    expect(await viaFetch.json()).toMatchObject({ data: second.body.data })
  })

  it('have a default for requests without a version', async () => {
    const app = await start(versions)
    const { body } = await app.request().get('/orders').expect(200)
    expect(body.data).toEqual({ total: 1 })
  })

  it('have their own 404, 405, OPTIONS and HEAD responses', async () => {
    const app = await start(versions)
    const [first, second] = [app.version('1').request(), app.version('2').request()]
    await second.get('/orders/7').expect(404)
    await first.get('/orders/7').expect(200)
    const refused = await first.delete('/orders').expect(405)
    expect(refused.headers['allow']).toBe('GET, HEAD, POST, OPTIONS')
    const { headers } = await second.options('/orders').expect(200)
    expect(headers['allow']).toBe('GET, HEAD, POST, DELETE, OPTIONS')
    const own = await second.head('/orders').expect(200)
    expect(own.headers['x-own-head']).toBe('yes')
    const implied = await first.head('/orders').expect(200)
    expect(implied.headers['x-own-head']).toBeUndefined()
  })

  it('include routes without a version, and routes with the version *', async () => {
    const app = await start(versions)
    for (const caller of [app, app.version('1'), app.version('2'), app.version('9')]) {
      await caller.request().get('/health').expect(200)
      const { headers } = await caller.request().get('/orders/all/versions').expect(200)
      expect(headers['vary'] ?? '').not.toMatch(/accept\b|x-api-version/i)
    }
  })

  it('refuse an unknown version with 400 and a list of the versions', async () => {
    const app = await start(versions)
    const { body } = await app.version('9').request().get('/orders').expect(400)
    expect(body.code).toBe('VERSION_UNKNOWN')
    expect(body.message).toMatch(way === 'path' ? /v1, v2/ : /1, 2/)
    await app.version('9').request().get('/none').expect(404)
    await app.version('2').request().get('/none').expect(404)
    await app.request().delete('/health').expect(405)
  })

  it('are stored separately by the cache', async () => {
    const app = await start(versions)
    const [first, second] = [app.version('1').request(), app.version('2').request()]
    const read = async (request: typeof first) =>
      (await request.get('/orders/cached')).body.data.run
    expect(await read(first)).toBe(1)
    expect(await read(second)).toBe(2)
    expect(await read(first)).toBe(1)
    expect(await read(second)).toBe(2)
  })

  it('are listed in the table of routes', async () => {
    const app = await start(versions)
    const rows = app.getRouteTable().filter(({ handler }) => handler === 'create')
    expect(rows.map(({ version }) => version)).toEqual(['1', '2'])
    expect(rows.map(({ path }) => path)).toEqual(
      way === 'path' ? ['/v1/orders', '/v2/orders'] : ['/orders', '/orders'],
    )
  })
})

describe('the Vary header', () => {
  it.each([
    ['X-API-Version', WAYS.header],
    ['Accept', WAYS.mediaType],
  ])('contains %s in successes, errors and refusals', async (name, versions) => {
    const app = await start(versions)
    const first = app.version('1').request()
    for (const response of [
      await first.get('/orders').expect(200),
      await first.get('/none').expect(404),
      await first.delete('/orders').expect(405),
      await first.options('/orders').expect(200),
      await first.post('/orders').send({}).expect(400),
      await app.version('2').request().delete('/orders').expect(401),
      await app.version('9').request().get('/orders').expect(400),
    ]) {
      expect(response.headers['vary']?.split(', ')).toContain(name)
    }
  })

  it('is not sent with versions in paths', async () => {
    const app = await start(WAYS.path)
    const { headers } = await app.request().get('/v1/orders').expect(200)
    expect(headers['vary'] ?? '').not.toMatch(/version|accept\b/i)
  })
})

describe('versions by path', () => {
  it('follow the prefix of the application', async () => {
    const app = await start(WAYS.path, { prefix: 'api' })
    await app.request().get('/api/v2/orders').expect(200)
    await app.request().get('/api/orders').expect(200)
    await app.version('2').request().get('/api/orders').expect(200)
    await app.request().get('/v2/api/orders').expect(404)
    await app.request().get('/api/v9/orders').expect(400)
    await app.request().get('/api/V2/orders').expect(200)
  })

  it('do not include paths without a version if there is no default', async () => {
    const app = await start({ by: 'path' })
    await app.request().get('/orders').expect(404)
    await app.request().get('/v1/orders').expect(200)
  })
})

describe('versions by header', () => {
  it('have no default unless one is configured', async () => {
    const app = await start({ by: { header: 'X-API-Version' } })
    const { body } = await app.request().get('/orders').expect(400)
    expect(body.message).toBe(
      'The request does not specify an existing version. Send one of 1, 2, as in `X-API-Version: 1`',
    )
    await app.request().get('/orders').set('x-api-version', '').expect(400)
    await app.request().get('/orders').set('x-api-version', '1, 2').expect(400)
    await app.request().get('/orders').set('x-api-version', '__proto__').expect(400)
  })
})

describe('versions by media type', () => {
  it('are read from the first media range that contains a version', async () => {
    const app = await start(WAYS.mediaType)
    const read = async (accept: string) =>
      typeof (await app.request().get('/orders').set('accept', accept)).body.data?.total
    expect(await read('text/plain, application/json;version="2";q=0.5')).toBe('object')
    expect(await read('application/json;q=0.5; Version=2, */*;version=1')).toBe('object')
    expect(await read('application/json;conversion=2')).toBe('number')
  })

  it('are stored separately by the cache for each Accept header', async () => {
    const app = await start(WAYS.mediaType)
    const states = []
    for (const more of ['', ', text/html', '', ', text/html']) {
      const accept = `application/json;version=1${more}`
      const { headers } = await app.request().get('/orders/cached').set('accept', accept)
      states.push(headers['x-cache'])
    }
    expect(states).toEqual(['MISS', 'MISS', 'HIT', 'HIT'])
  })
})

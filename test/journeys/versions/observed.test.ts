import {
  ApiResponseDoc,
  type AppOptions,
  Body,
  Cache,
  Controller,
  defineControllers,
  expectedVersion,
  Get,
  Produces,
  Put,
  RateLimit,
  type Req,
  type Request,
  type Response,
  Version,
  Versioned,
} from 'blazon'
import { TestApp } from 'blazon/testing'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'

const Text = z.object({ text: z.string() })

@Version('1', '2')
@Controller('letters')
class LettersController {
  readonly #row = { text: 'a', version: 1 }
  formatted = 0

  @RateLimit({ limit: 1, window: '1m' })
  @Get()
  list() {
    return []
  }

  @Get('formatted')
  @Cache({ ttl: '1m' })
  format(_: Request, res: Response) {
    this.formatted++
    res.format({ 'application/json': () => res.json({ a: 1 }), 'text/csv': () => res.send('a') })
  }

  @Get('table')
  @Produces('application/json', 'text/csv')
  @ApiResponseDoc({ status: 200, schema: z.array(Text) })
  table() {
    return [{ text: 'a' }]
  }

  @Get('broken')
  fail() {
    throw new Error('broken')
  }

  @Versioned()
  @Get('row')
  read() {
    return { ...this.#row }
  }

  @Versioned()
  @Put('row')
  @Body(Text)
  write(req: Req<{ body: typeof Text }>) {
    this.#row.version = Number(expectedVersion(req)) + 1
    this.#row.text = req.body.text
    return { ...this.#row }
  }
}

async function start(versions: NonNullable<AppOptions['versions']>, more: AppOptions = {}) {
  const controllers = defineControllers(LettersController)
  const app = await TestApp.create({ controllers, contract: 'off', ...more, versions })
  onTestFinished(() => app.close())
  return app
}

const WAYS = {
  path: { by: 'path', default: '1' },
  header: { by: { header: 'X-API-Version' }, default: '1' },
  mediaType: { by: 'mediaType', default: '1' },
} as const

describe.each(Object.entries(WAYS))('an API with versions by %s', (way, versions) => {
  const route = (version: number, path: string) => (way === 'path' ? `/v${version}${path}` : path)

  it('has a separate route limit for each version, and one application limit for all versions', async () => {
    const app = await start(versions, { rateLimit: { limit: 3, window: '1m' } })
    const [first, second] = [app.version('1').request(), app.version('2').request()]
    await first.get('/letters').expect(200)
    await first.get('/letters').expect(429)
    await second.get('/letters').expect(200)
    await second.get('/letters').expect(429)
    await first.get('/letters/table').expect(200)
    await second.get('/letters/table').expect(200)
    await first.get('/letters/table').expect(200)
    await second.get('/letters/table').expect(429)
  })

  it('counts each version in its metrics', async () => {
    const app = await start(versions, { metrics: true })
    await app.version('1').request().get('/letters/table').expect(200)
    await app.version('2').request().get('/letters/table').expect(200)
    await app.version('2').request().get('/letters/table').expect(200)
    const { text } = await app.request().get('/metrics').expect(200)
    const count = (version: number) =>
      `http_server_request_duration_seconds_count{method="GET",route="${route(version, '/letters/table')}",version="${version}",status="2xx"}`
    expect(text).toContain(`${count(1)} 1\n`)
    expect(text).toContain(`${count(2)} 2\n`)
  })

  it('logs the version of each request', async () => {
    const app = await start(versions, { logs: true })
    await app.version('2').request().get('/letters/table').expect(200)
    expect(app.logs.map(({ facts }) => facts)).toContainEqual(
      expect.objectContaining({ route: route(2, '/letters/table'), version: '2' }),
    )
  })

  it('negotiates representations as an API without versions does', async () => {
    const app = await start(versions)
    const accept = way === 'mediaType' ? 'text/csv; version=2' : 'text/csv'
    const request = way === 'mediaType' ? app.request() : app.version('2').request()
    const { text } = await request.get('/letters/table').set('accept', accept).expect(200)
    expect(text).toContain('text')
    const refused = accept.replace('csv', 'html')
    await request.get('/letters/table').set('accept', refused).expect(406)
  })

  it('sends a cached representation only to clients that accept it', async () => {
    const app = await start(versions)
    const read = async (accept: string) =>
      (await app.version('1').request().get('/letters/formatted').set('accept', accept)).type
    const suffix = way === 'mediaType' ? '; version=1' : ''
    for (const type of ['application/json', 'text/csv', 'application/json']) {
      expect(await read(type + suffix)).toBe(type)
    }
  })

  it('supports conditional writes', async () => {
    const app = await start(versions)
    const second = app.version('2').request()
    const { headers } = await second.get('/letters/row').expect(200)
    const write = () =>
      second
        .put('/letters/row')
        .set('If-Match', headers['etag'] as string)
        .send({ text: 'b' })
    await write().expect(200)
    await write().expect(412)
  })

  it('sends the Vary header that its versions require, even with an error of a handler', async () => {
    const app = await start(versions)
    const { headers } = await app.version('2').request().get('/letters/broken').expect(500)
    const names = { path: undefined, header: 'X-API-Version', mediaType: 'Accept' }
    expect(headers['vary']).toBe(names[way as keyof typeof names])
  })
})

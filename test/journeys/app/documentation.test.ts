import { type App, Controller, defineControllers, Get, type SwaggerOptions } from 'blazon'
import { TestApp } from 'blazon/testing'
import { afterEach, describe, expect, it } from 'vitest'

@Controller('users')
class UsersController {
  @Get()
  list() {
    return []
  }
}

const controllers = defineControllers(UsersController)

describe('the documentation of an application', () => {
  const apps: App[] = []
  afterEach(() => Promise.all(apps.splice(0).map((app) => app.close())))

  async function start(swagger?: false | SwaggerOptions | readonly SwaggerOptions[]) {
    const options = {
      controllers,
      logger: false,
      ...(swagger !== undefined && { swagger }),
    } as const
    const app = await TestApp.create({ contract: 'throw', ...options, security: { helmet: true } })
    apps.push(app)
    return app
  }

  it('is served at /api-docs, /api-docs.json and /api-docs.yaml', async () => {
    const app = await start()
    const page = await app.request().get('/api-docs').expect('Content-Type', /html/)
    expect(page.status).toBe(200)
    const json = await app.request().get('/api-docs.json')
    expect(json.body).toEqual(JSON.parse(JSON.stringify(app.document)))
    await app.request().get('/api-docs.yaml').expect('Content-Type', /yaml/).expect(200)
  })

  it('is served in any letter case and with a trailing slash, but only for GET and HEAD', async () => {
    const app = await start()
    for (const path of ['/API-Docs/', '/api-docs/?a=b', '/api-docs.JSON']) {
      await app.request().get(path).expect(200)
    }
    const head = await app.request().head('/api-docs.json').expect(200)
    expect(Number(head.headers['content-length'])).toBeGreaterThan(100)
    await app.request().post('/api-docs').expect(405)
    await app.request().get('/api-docs/none.js').expect(404)
  })

  it('results in a 304 response if If-None-Match contains its current ETag', async () => {
    const app = await start()
    for (const path of ['/api-docs', '/api-docs.json', '/api-docs.yaml', '/api-docs?init.js']) {
      const { headers } = await app.request().get(path).expect(200)
      const etag = headers['etag'] as string
      await app.request().get(path).set('If-None-Match', etag).expect(304)
    }
  })

  it('is sent with its own Content-Security-Policy, and with the other headers of helmet', async () => {
    const app = await start()
    const { headers } = await app.request().get('/api-docs')
    expect(headers['content-security-policy']).toContain("script-src 'self'")
    expect(headers['x-frame-options']).toBe('SAMEORIGIN')
    const json = await app.request().get('/api-docs.json')
    expect(json.headers['content-security-policy']).not.toContain('script-src')
  })

  it.each([[false], [{ enabled: false }], [[]]] as const)(
    'is not served if the option swagger is %j',
    async (swagger) => {
      const app = await start(swagger)
      for (const path of ['/api-docs', '/api-docs.json', '/api-docs.yaml', '/api-docs?init.js']) {
        await app.request().get(path).expect(404)
      }
    },
  )

  it('is served as several documents, each at its own path, if swagger is an array', async () => {
    const app = await start([
      { path: '/docs', title: 'All' },
      { path: '/docs/none', title: 'None', include: () => false },
    ])
    const all = await app.request().get('/docs.json')
    const none = await app.request().get('/docs/none.json')
    expect([all.body.info.title, Object.keys(all.body.paths)]).toEqual(['All', ['/users']])
    expect([none.body.info.title, Object.keys(none.body.paths)]).toEqual(['None', []])
    expect((await app.request().get('/docs/none')).text).toContain('<title>None</title>')
    expect((await app.request().get('/docs')).text).toContain('<title>All</title>')
    await app.request().get('/api-docs').expect(404)
  })

  it('contains a server URL that is relative to the path of the document', async () => {
    const app = await start([{ path: '/docs' }, { path: '/a/b/docs' }])
    const urlOf = async (path: string) => (await app.request().get(path)).body.servers[0].url
    expect(await urlOf('/docs.json')).toBe('.')
    expect(await urlOf('/a/b/docs.json')).toBe('../..')
  })
})

import { fileURLToPath } from 'node:url'
import serveStatic from 'serve-static'
import { beforeEach, describe, expect, it } from 'vitest'
import { appsOfTest, send } from './support.js'

const site = fileURLToPath(new URL('./fixtures/site', import.meta.url))

describe('the serve-static package', () => {
  const apps = appsOfTest()
  let port: number

  beforeEach(async () => {
    const middlewares = [serveStatic(site, { maxAge: '1h' })]
    port = (await apps.listening({ middlewares, security: {} })).port
  })

  const get = (path: string, headers: Record<string, string> = {}) => send(port, { path, headers })

  it('sends a file with its type, length and ETag, and with the helmet headers', async () => {
    const { status, headers, text } = await get('/digits.txt')
    expect(status).toBe(200)
    expect(text).toBe('0123456789')
    expect(headers).toMatchObject({
      'content-type': 'text/plain; charset=utf-8',
      'content-length': '10',
      'cache-control': 'public, max-age=3600',
      'accept-ranges': 'bytes',
      'x-content-type-options': 'nosniff',
    })
    expect(headers.etag).toMatch(/^W\//)
  })

  it('sends the index file of a folder, and redirects to the path with a trailing slash', async () => {
    expect((await get('/')).text).toContain('Home')
    expect((await get('/docs/')).text).toContain('Docs')
    const { status, headers } = await get('/docs')
    expect([status, headers.location]).toEqual([301, '/docs/'])
  })

  it('responds with 304 if If-None-Match contains the ETag of the file', async () => {
    const { headers } = await get('/digits.txt')
    const again = await get('/digits.txt', { 'if-none-match': String(headers.etag) })
    expect([again.status, again.text]).toEqual([304, ''])
  })

  it('responds with 206 to a range, and with 416 in the envelope to an invalid range', async () => {
    const { status, headers, text } = await get('/digits.txt', { range: 'bytes=2-4' })
    expect([status, headers['content-range'], text]).toEqual([206, 'bytes 2-4/10', '234'])
    const beyond = await get('/digits.txt', { range: 'bytes=90-' })
    expect(beyond.status).toBe(416)
    expect(beyond.headers['content-range']).toBe('bytes */10')
    expect(JSON.parse(beyond.text)).toMatchObject({ statusCode: 'error', status: 416 })
  })

  it('responds to HEAD with the length and no body', async () => {
    const { status, headers, text } = await send(port, { method: 'HEAD', path: '/digits.txt' })
    expect([status, headers['content-length'], text]).toEqual([200, '10', ''])
  })

  it('runs before the routes, and passes paths without a file to them', async () => {
    expect((await get('/items')).text).toBe('file')
    expect(JSON.parse((await get('/items/7')).text).data).toEqual({ id: '7' })
    const missing = await get('/missing.txt')
    expect([missing.status, JSON.parse(missing.text).code]).toEqual([404, 'NOT_FOUND'])
    const post = await send(port, {
      method: 'POST',
      path: '/items',
      headers: { 'content-type': 'application/json' },
      body: '{"a":1}',
    })
    expect(JSON.parse(post.text).data).toEqual({ body: { a: 1 } })
  })

  it.each([
    '/.env',
    '/%2eenv',
    '/../support.ts',
    '/docs/../../hello.txt',
    '/..%2fhello.txt',
    '/%2e%2e/hello.txt',
    '/docs/%2e%2e%2f%2e%2e%2fhello.txt',
    '/..%5chello.txt',
    '/digits.txt%00',
  ])('does not send %s', async (path) => {
    const { status, text } = await get(path)
    expect(status).toBeGreaterThanOrEqual(400)
    expect(status).toBeLessThan(500)
    expect(JSON.parse(text).statusCode).toBe('error')
  })

  it('results in a 404 response for a missing file with `fallthrough: false`', async () => {
    const middlewares = [serveStatic(site, { fallthrough: false })]
    const app = await apps.inProcess({ middlewares })
    const { status, body } = await app.request().get('/items/7')
    expect(status).toBe(404)
    expect(body).toMatchObject({ statusCode: 'error', code: 'NOT_FOUND' })
    expect(JSON.stringify(body)).not.toContain(site)
  })
})

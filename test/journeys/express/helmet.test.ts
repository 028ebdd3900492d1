import { Controller, defineControllers, Get, type Request, type Response } from 'blazon'
import helmet from 'helmet'
import { describe, expect, it } from 'vitest'
import { appsOfTest, send } from './support.js'

@Controller()
class PagesController {
  @Get('plain')
  plain() {
    return { ok: true }
  }

  @Get('framed')
  framed(_req: Request, res: Response) {
    res.removeHeader('X-Frame-Options')
    res.json({ seen: res.get('X-Frame-Options') ?? null, sniff: res.get('x-content-type-options') })
  }

  @Get('changed')
  changed(_req: Request, res: Response) {
    res.set('Referrer-Policy', 'origin').json({})
  }

  @Get('nonce')
  nonce(_req: Request, res: Response) {
    res.json({ nonce: res.locals.nonce })
  }

  @Get('streamed')
  streamed(_req: Request, res: Response) {
    res.write('a')
    res.end('b')
  }
}

const controllers = defineControllers(PagesController)
const nonceOf = (policy: unknown) => /'nonce-([^']+)'/.exec(String(policy))?.[1]
let count = 0
const nonceDirective = (_req: unknown, res: unknown) => {
  const { locals } = res as Response
  locals.nonce ??= `n${++count}`
  return `'nonce-${locals.nonce}'`
}

describe('the helmet option', () => {
  const apps = appsOfTest()

  it('sets its headers by default on the responses of routes, streams and errors', async () => {
    const { port } = await apps.listening({ controllers, security: {} })
    for (const path of ['/plain', '/streamed', '/changed', '/missing']) {
      const { headers } = await send(port, { path })
      expect(headers['content-security-policy']).toBe("default-src 'none';frame-ancestors 'none'")
      expect(headers['x-content-type-options']).toBe('nosniff')
      expect(headers['strict-transport-security']).toContain('max-age=')
      expect(headers['x-powered-by']).toBeUndefined()
    }
  })

  it('is overridden by a helmet middleware', async () => {
    const { port } = await apps.listening({
      controllers,
      security: {},
      middlewares: [helmet({ xFrameOptions: { action: 'deny' } })],
    })
    const { headers } = await send(port, { path: '/plain' })
    expect(headers['x-frame-options']).toBe('DENY')
    expect(headers['content-security-policy']).toContain("default-src 'self'")
  })

  it('sets no headers if it is off, so that a helmet middleware can set all of them', async () => {
    const { port } = await apps.listening({
      controllers,
      middlewares: [helmet({ contentSecurityPolicy: false })],
    })
    const { headers } = await send(port, { path: '/plain' })
    expect(headers['x-frame-options']).toBe('SAMEORIGIN')
    expect(headers['content-security-policy']).toBeUndefined()
  })

  it('allows a handler to remove one of its headers and to read the others', async () => {
    const { port } = await apps.listening({ controllers, security: {} })
    const { headers, text } = await send(port, { path: '/framed' })
    expect(JSON.parse(text)).toEqual({ seen: null, sniff: 'nosniff' })
    expect(headers['x-frame-options']).toBeUndefined()
    expect(headers['x-content-type-options']).toBe('nosniff')
  })

  it('allows a middleware to remove one of its headers', async () => {
    const { port } = await apps.listening({
      controllers,
      security: {},
      middlewares: [
        (_req, res, next) => {
          res.removeHeader('Strict-Transport-Security')
          next()
        },
      ],
    })
    const { headers } = await send(port, { path: '/streamed' })
    expect(headers['strict-transport-security']).toBeUndefined()
    expect(headers['x-dns-prefetch-control']).toBe('off')
  })

  it('allows a handler to change one of its headers, which is then sent once', async () => {
    const { port } = await apps.listening({ controllers, security: {} })
    const { headers } = await send(port, { path: '/changed' })
    expect(headers['referrer-policy']).toBe('origin')
  })

  it('accepts the options of the helmet package', async () => {
    const { port } = await apps.listening({
      controllers,
      security: { helmet: { strictTransportSecurity: { maxAge: 5 }, xDownloadOptions: false } },
    })
    const { headers } = await send(port, { path: '/plain' })
    expect(headers['strict-transport-security']).toBe('max-age=5; includeSubDomains')
    expect(headers['x-download-options']).toBeUndefined()
    expect(headers['content-security-policy']).toContain("default-src 'none'")
  })

  it.each([
    ['a list', [nonceDirective]],
    ['a set', new Set([nonceDirective])],
  ])('creates a nonce for each request if a directive is %s with a function', async (_, script) => {
    const contentSecurityPolicy = { directives: { scriptSrc: script } }
    const { port } = await apps.listening({
      controllers,
      security: { helmet: { contentSecurityPolicy } },
    })
    const first = await send(port, { path: '/nonce' })
    const second = await send(port, { path: '/nonce' })
    const nonces = [first, second].map(({ headers }) => nonceOf(headers['content-security-policy']))
    expect(JSON.parse(first.text)).toEqual({ nonce: nonces[0] })
    expect(JSON.parse(second.text)).toEqual({ nonce: nonces[1] })
    expect(nonces[0]).not.toBe(nonces[1])
  })

  it('is off in a TestApp by default', async () => {
    const plain = await apps.inProcess({ controllers })
    expect((await plain.request().get('/plain')).headers).not.toHaveProperty('x-frame-options')
    const asked = await apps.inProcess({ controllers, security: { helmet: true } })
    expect((await asked.request().get('/plain')).headers['x-frame-options']).toBe('SAMEORIGIN')
  })
})

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import {
  All,
  App,
  Controller,
  defineControllers,
  type Middleware,
  type Request,
  type Response,
} from 'blazon'
import compression from 'compression'
import cookieParser from 'cookie-parser'
import cors from 'cors'
import express, { type Application } from 'express'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Answer, type Message, send } from './support.js'

type Handle = (req: Request, res: Response, next: (error?: unknown) => void) => unknown

interface Case extends Partial<Message> {
  readonly handle: Handle
}

const here = (name: string) => fileURLToPath(new URL(name, import.meta.url))
const post = (type: string, body: string) => ({
  method: 'POST',
  headers: { 'content-type': type },
  body,
})

/** One request and one handler each. The response must be the same as in Express 5. */
const CASES: Record<string, Case> = {
  'res.json of an object': { handle: (_req, res) => res.json({ a: 1, b: ['é'] }) },
  'res.json of undefined': { handle: (_req, res) => res.json(undefined) },
  'res.json of null': { handle: (_req, res) => res.json(null) },
  'res.json for HEAD': { method: 'HEAD', handle: (_req, res) => res.json({ a: 1 }) },
  'res.json with status 204': {
    handle: (_req, res) => res.status(204).json({ a: 1 }),
  },
  'res.json with a custom content type': {
    handle: (_req, res) => res.type('application/vnd.api+json').json({ a: 1 }),
  },
  'res.json after setHeader without a charset': {
    handle: (_req, res) => {
      res.setHeader('Content-Type', 'application/problem+json')
      res.json({ a: 1 })
    },
  },
  'res.json with another charset': {
    handle: (_req, res) => {
      res.setHeader('Content-Type', 'application/json; charset=latin1')
      res.json({ a: 'é' })
    },
  },
  'res.json with an ETag that the client has': {
    headers: { 'if-none-match': '"v1"' },
    handle: (_req, res) => res.set('ETag', '"v1"').json({ a: 1 }),
  },
  'res.json with If-Modified-Since': {
    headers: { 'if-modified-since': 'Thu, 01 Jan 2026 00:00:00 GMT' },
    handle: (_req, res) => res.set('Last-Modified', 'Wed, 31 Dec 2025 00:00:00 GMT').json({ a: 1 }),
  },
  'res.json with a custom header': {
    handle: (_req, res) => res.set('X-One', '1').append('X-One', '2').json([]),
  },
  'res.send of a string': { handle: (_req, res) => res.send('plain') },
  'res.send of a buffer': { handle: (_req, res) => res.send(Buffer.from([0, 1, 2])) },
  'res.send of an object': { handle: (_req, res) => res.send({ a: 1 }) },
  'res.send of nothing': { handle: (_req, res) => res.send() },
  'res.sendStatus': { handle: (_req, res) => res.sendStatus(418) },
  'res.redirect': { handle: (_req, res) => res.redirect(303, '/elsewhere?a=ü') },
  'res.redirect for a browser': {
    headers: { accept: 'text/html' },
    handle: (_req, res) => res.redirect('/?a="<b>'),
  },
  'res.jsonp': { path: '?callback=take', handle: (_req, res) => res.jsonp({ a: '\u2028' }) },
  'res.format': {
    headers: { accept: 'text/html;q=0.5, text/plain' },
    handle: (_req, res) =>
      res.format({ html: () => res.send('<p>'), text: () => res.send('text') }),
  },
  'res.format without an acceptable type': {
    headers: { accept: 'image/png' },
    handle: (_req, res) => res.format({ json: () => res.json({}) }),
  },
  'res.cookie and res.clearCookie': {
    handle: (_req, res) => {
      // The defaults of a controller differ: see test/journeys/bodies/cookies.test.ts.
      const all = { httpOnly: true, secure: true, sameSite: 'lax' } as const
      res.cookie('a', 'b c', { ...all, path: '/x' })
      res.cookie('s', { deep: true }, { ...all, signed: true })
      res.clearCookie('old', all).json({})
    },
  },
  'req.cookies': {
    headers: { cookie: 'a=1; j=j%3A%7B%22x%22%3A1%7D; s=s%3Aforged.sign' },
    handle: (req, res) => res.json({ plain: req.cookies, signed: req.signedCookies }),
  },
  'res.links, res.location and res.vary': {
    handle: (_req, res) => res.links({ next: '/2' }).location('/a b').vary('Accept').json({}),
  },
  'res.attachment': { handle: (_req, res) => res.attachment('naïve.txt').send('x') },
  'res.sendFile': { handle: (_req, res) => res.sendFile(here('./fixtures/hello.txt')) },
  'res.sendFile of a range': {
    headers: { range: 'bytes=1-3' },
    handle: (_req, res) => res.sendFile(here('./fixtures/hello.txt')),
  },
  'res.sendFile of an unsatisfiable range': {
    headers: { range: 'bytes=900-' },
    handle: (_req, res) => res.sendFile(here('./fixtures/hello.txt')),
  },
  'res.sendFile of a missing file': {
    handle: (_req, res) => res.sendFile(here('./fixtures/missing.txt')),
  },
  'res.sendFile with a callback': {
    handle: (_req, res) =>
      res.sendFile(here('./fixtures/missing.txt'), (error) => res.json({ failed: error !== null })),
  },
  'res.download': { handle: (_req, res) => res.download(here('./fixtures/hello.txt'), 'å.txt') },
  'res.render of a missing view': { handle: (_req, res) => res.render('missing') },
  'res.write and res.end': {
    handle: (_req, res) => {
      res.write('one ')
      res.end('two')
    },
  },
  'a stream piped into res': {
    handle: (_req, res) => Readable.from(['a', 'b', 'c']).pipe(res.type('text/plain')),
  },
  'res.writeHead with headers': {
    handle: (_req, res) => res.writeHead(202, { 'X-Head': '1' }).end('accepted'),
  },
  'compressed JSON': {
    headers: { 'accept-encoding': 'gzip' },
    handle: (_req, res) => res.json({ text: 'a'.repeat(4000) }),
  },
  'express.json()': {
    ...post('application/json', '{"a":[1,{"b":null}]}'),
    handle: (req, res) => res.json(req.body),
  },
  'express.json() of malformed JSON': {
    ...post('application/json', '{"a":'),
    handle: (req, res) => res.json(req.body),
  },
  'express.urlencoded()': {
    ...post('application/x-www-form-urlencoded', 'a[b]=1&a[c]=2&d=3'),
    handle: (req, res) => res.json(req.body),
  },
  'a body that no parser reads': {
    ...post('text/plain', 'text'),
    handle: (req, res) => res.json({ body: req.body ?? 'undefined' }),
  },
  'a cross-origin preflight': {
    method: 'OPTIONS',
    headers: { origin: 'https://a.example', 'access-control-request-method': 'PUT' },
    handle: (_req, res) => res.json({}),
  },
  'the simple query parser': {
    path: '?a=1&a=2&b[c]=3&d=%C3%A9&e',
    handle: (req, res) => res.json(req.query),
  },
  'fields of req about the URL': {
    path: '/?x=1',
    handle: ({ path, url, originalUrl, baseUrl, hostname, host, protocol, secure }, res) =>
      res.json({ path, url, originalUrl, baseUrl, hostname, host, protocol, secure }),
  },
  'fields of req about the client': {
    headers: { 'x-forwarded-for': '9.9.9.9', 'x-requested-with': 'XMLHttpRequest' },
    handle: ({ ip, ips, xhr, subdomains }, res) => res.json({ ip, ips, xhr, subdomains }),
  },
  'req.accepts and related methods': {
    headers: { accept: 'text/*;q=.5, application/json', 'accept-language': 'da, en;q=.8' },
    handle: (req, res) =>
      res.json([
        req.accepts('html', 'json'),
        req.acceptsLanguages('en', 'da'),
        req.acceptsCharsets('utf-8'),
        req.acceptsEncodings('br', 'identity'),
      ]),
  },
  'req.is, req.get and req.range': {
    ...post('application/json; charset=utf-8', '{}'),
    handle: (req, res) =>
      res.json([req.is('json'), req.is('html'), req.get('Referrer') ?? 0, req.range(100) ?? 0]),
  },
  'req.fresh and req.stale': {
    headers: { 'if-none-match': 'W/"x"' },
    handle: (req, res) => {
      res.set('ETag', 'W/"x"')
      res.send(`${req.fresh} ${req.stale}`)
    },
  },
  'a query that a middleware rewrites': {
    headers: { 'x-rewrite': 'b=2' },
    path: '?a=1',
    handle: (req, res) => res.json(req.query),
  },
  'res.writeHead that a handler replaced': {
    handle: (_req, res) => {
      const { writeHead } = res
      res.writeHead = (...args: unknown[]) => {
        res.setHeader('X-Seen', String(res.get('Content-Type')))
        return writeHead.apply(res, args as never)
      }
      res.json({ a: 1 })
    },
  },
  'res.end that a handler replaced': {
    handle: (_req, res) => {
      const { end } = res
      res.end = (...args: unknown[]) => {
        res.setHeader('X-Seen', String(res.get('Content-Type')))
        return end.apply(res, args as never)
      }
      res.json({ a: 1 })
    },
  },
  'params and locals in a middleware': {
    handle: (_req, res) => res.json(res.locals),
  },
  'an error passed to next': {
    handle: (_req, _res, next) => next(Object.assign(new Error('no'), { status: 409 })),
  },
  'an async handler that throws': {
    handle: async () => {
      await null
      throw Object.assign(new Error('late'), { status: 418 })
    },
  },
  'next(null) in a middleware': {
    headers: { 'x-next': 'null' },
    handle: (_req, res) => res.json({ reached: true }),
  },
  'next(false) in a middleware': {
    headers: { 'x-next': 'false' },
    handle: (_req, res) => res.json({ reached: true }),
  },
  "next('route') in a middleware": {
    headers: { 'x-next': 'route' },
    handle: (_req, res) => res.json({ reached: true }),
  },
  'res.send that a middleware replaced': {
    headers: { 'x-wrap': 'send' },
    handle: (_req, res) => res.json({ a: 1 }),
  },
  'res.end that a middleware replaced': {
    headers: { 'x-wrap': 'end' },
    handle: (_req, res) => res.json({ a: 1 }),
  },
}

/** The same middlewares, in the same order, on both sides. */
function stack(): Middleware[] {
  return [
    compression(),
    cookieParser('secret'),
    cors({ origin: ['https://a.example'], credentials: true }),
    express.json(),
    express.urlencoded({ extended: true }),
    function look(req: Request, res: Response, next: (error?: unknown) => void) {
      Object.assign(res.locals, { params: Object.keys(req.params), query: { ...req.query } })
      const { 'x-rewrite': rewrite, 'x-next': argument } = req.headers
      if (rewrite !== undefined) req.url = `${req.path}?${rewrite}`
      if (argument === undefined) return next()
      next({ null: null, false: false, route: 'route' }[argument as string])
    },
    function wrap(req: Request, res: Response, next: () => void) {
      const { send, end } = res
      if (req.headers['x-wrap'] === 'send') {
        res.send = (body: unknown) => {
          if (typeof body === 'string') res.setHeader('X-Sent', body)
          return send.call(res, body)
        }
      }
      if (req.headers['x-wrap'] === 'end') {
        res.end = ((...args: [string]) => {
          res.setHeader('X-Ended', 'yes')
          return end.apply(res, args as never)
        }) as never
      }
      next()
    },
  ]
}

// biome-ignore lint/suspicious/noExplicitAny: an error middleware receives anything
function renderError(error: any, _req: Request, res: Response, _next: unknown): void {
  const { status = 500, message, code } = error
  res.status(status).json({ status, message: code === 'ENOENT' ? code : message })
}

@Controller('cases')
class CasesController {
  @All(':index')
  run(req: Request, res: Response, next: (error?: unknown) => void) {
    return caseOf(req).handle(req, res, next)
  }
}

function caseOf(req: Request): Case {
  return Object.values(CASES)[Number(req.params.index)] as Case
}

/** Removes the headers that depend on the connection or the time. */
function comparable({ status, headers, text }: Answer) {
  const { date: _date, connection: _connection, 'keep-alive': _keepAlive, ...named } = headers
  return { status, headers: named, text }
}

/** Compares the responses of Express and an App with the same middlewares. */
function agree(middlewares: () => Middleware[], names: readonly string[]): void {
  const ports = { express: 0, blazon: 0 }
  const closers: (() => unknown)[] = []

  beforeAll(async () => {
    const bare: Application = express()
    bare.disable('x-powered-by').set('etag', false)
    bare.use(...(middlewares() as never[]), (_req, _res, next) => next())
    bare.all('/cases/:index', (req, res, next) =>
      caseOf(req as never).handle(req as never, res, next),
    )
    bare.use(renderError as never)
    const server = createServer(bare)
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve)
    })
    ports.express = (server.address() as AddressInfo).port
    const app = new App({
      controllers: defineControllers(CasesController),
      middlewares: [...middlewares(), renderError],
      security: { helmet: false },
      logger: false,
    })
    ports.blazon = (await app.listen(0, '127.0.0.1')).port
    closers.push(
      () => server.close(),
      () => app.close(),
    )
  })

  afterAll(async () => {
    for (const close of closers) await close()
  })

  it.each(names)('send the same response: %s', async (name) => {
    const { handle: _handle, path = '', headers = {}, ...rest } = CASES[name] as Case
    const message = {
      ...rest,
      path: `/cases/${Object.keys(CASES).indexOf(name)}${path}`,
      headers: { host: 'in.test', ...headers },
    }
    const [theirs, ours] = await Promise.all([
      send(ports.express, message),
      send(ports.blazon, message),
    ])
    expect(comparable(ours)).toEqual(comparable(theirs))
  })
}

describe('Express 5 and an application with the same middlewares', () => {
  agree(stack, Object.keys(CASES))
})

describe('Express 5 and an application without middlewares', () => {
  // Without a parser, Express reads no body; a route of an App reads JSON.
  const names = Object.keys(CASES).filter((name) => !name.startsWith('express.'))
  agree(() => [], names)
})

import { createServer } from 'node:http'
import { inspect } from 'node:util'
import {
  Auth,
  Controller,
  defineControllers,
  Get,
  Post,
  type Request,
  type RequestHandler,
} from 'blazon'
import express from 'express'
import { pino } from 'pino'
import { describe, expect, it } from 'vitest'
import { appsOfTest, send } from './support.js'

const { listening, serving } = appsOfTest()

const ASKED = [
  'user',
  'body',
  'params',
  'route',
  'query',
  'cookies',
  'session',
  'next',
  'res',
  'app',
]

type Notes = Record<string, unknown>

const asked = (req: object) => ASKED.filter((name) => name in req)

@Controller('fields')
class FieldsController {
  @Get(':id')
  get(req: Request) {
    return { asked: asked(req) }
  }

  @Post()
  add(req: Request) {
    return { asked: asked(req) }
  }

  @Get('of/user')
  @Auth()
  user(req: Request) {
    return { asked: asked(req) }
  }
}

const SOMEBODY = {
  canActivate(req: Request) {
    req.user = { id: 1 }
    return true
  },
}

/** Records fields of the request in a middleware and at the end of the response. */
function noting(notes: Notes, look: (req: Request, res: object) => unknown): RequestHandler {
  return (req, res, next) => {
    notes['middleware'] = look(req, res)
    res.on('finish', () => {
      notes['end'] = look(req, res)
    })
    next()
  }
}

async function compare(
  look: (req: Request, res: object) => unknown,
): Promise<[ours: Notes, theirs: Notes]> {
  const [ours, theirs]: [Notes, Notes] = [{}, {}]
  const { port } = await listening({
    controllers: defineControllers(FieldsController),
    auth: { guard: SOMEBODY },
    middlewares: [noting(ours, look)],
  })
  const app = express()
    .use(noting(theirs, look))
    .get('/fields/:id', (_req, res) => void res.json({}))
  await send(port, { path: '/fields/7?a=1' })
  await send(await serving(createServer(app)), { path: '/fields/7?a=1' })
  await expect.poll(() => 'end' in ours && 'end' in theirs).toBe(true)
  return [ours, theirs]
}

describe('a request', () => {
  it('has the same fields as an Express request, and no `user` field in a middleware', async () => {
    const [ours, theirs] = await compare(asked)
    expect(ours).toEqual(theirs)
    expect(ours['middleware']).not.toContain('user')
  })

  it('has the fields `user` and `body` only after they are set', async () => {
    const { port } = await listening({
      controllers: defineControllers(FieldsController),
      auth: { guard: SOMEBODY },
    })
    const headers = { 'content-type': 'application/json' }
    const of = async (message: Parameters<typeof send>[1]) =>
      JSON.parse((await send(port, message)).text).data.asked
    expect(await of({ path: '/fields/of/user' })).toContain('user')
    expect(await of({ path: '/fields/7' })).not.toContain('user')
    expect(await of({ method: 'POST', path: '/fields', headers, body: '{}' })).toContain('body')
    expect(await of({ method: 'POST', path: '/fields' })).not.toContain('body')
  })

  it('keeps `user` and `body` of the outer Express application, and has neither otherwise', async () => {
    const { app } = await listening({ controllers: defineControllers(FieldsController) })
    const seen: string[][] = []
    const host = express()
      .use('/with', (req, _res, next) => {
        Object.assign(req, { user: { id: 7 }, body: { own: true } })
        next()
      })
      .use(['/with', '/without'], app.handler, (req, res) => {
        seen.push(asked(req))
        res.end()
      })
    const port = await serving(createServer(host))
    const inside = async (path: string) => JSON.parse((await send(port, { path })).text).data.asked
    expect(await inside('/with/fields/7')).toEqual(expect.arrayContaining(['user', 'body']))
    const without = await inside('/without/fields/7')
    expect(without).not.toContain('user')
    expect(without).not.toContain('body')
    await send(port, { path: '/without/none' })
    expect(seen[0]).not.toContain('user')
  })

  it('has the same enumerable fields as in Express, except for `validated`, `id` and `signal`', async () => {
    const [ours, theirs] = await compare((req, res) => ({
      req: Object.keys(req),
      forIn: namesIn(req),
      res: Object.keys(res),
    }))
    for (const when of ['middleware', 'end']) {
      const own = ours[when] as Record<string, string[]>
      const express = theirs[when] as Record<string, string[]>
      expect(without(own['req'], express['req'])).toEqual(['validated'])
      expect(without(own['res'], express['res'])).toEqual([])
      expect(without(own['forIn'], express['forIn']).sort()).toEqual(['id', 'signal', 'validated'])
    }
  })

  it('looks the same as an Express request if it is printed, copied or logged', async () => {
    const look = (req: Request, res: object) => {
      const lines: string[] = []
      const { req: toPlain, res: toPlainAnswer } = pino.stdSerializers
      const logger = pino(
        { base: null, timestamp: false, serializers: { req: toPlain, res: toPlainAnswer } },
        { write: (line) => void lines.push(line) },
      )
      logger.info({ req, res })
      const { req: loggedReq } = JSON.parse(lines[0] as string)
      const { host: _host, ...headers } = loggedReq.headers
      // Only our requests have an id, and pino logs it.
      const { id: _id, ...logged } = loggedReq
      return {
        logged: { ...logged, headers, remotePort: 0 },
        printed: Object.keys({ ...req }).filter((name) =>
          /^(is[A-Z]|own|tenant|passOn)/.test(name),
        ),
        isPrinted: inspect(req, { depth: 0 }).includes('/fields/7?a=1'),
      }
    }
    const [ours, theirs] = await compare(look)
    expect(ours['middleware']).toEqual(theirs['middleware'])
  })
})

function namesIn(value: object): string[] {
  const names: string[] = []
  for (const name in value) names.push(name)
  return names
}

function without(names: readonly string[] = [], others: readonly string[] = []): string[] {
  return names.filter((name) => !others.includes(name))
}

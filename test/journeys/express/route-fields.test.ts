import { createServer } from 'node:http'
import { All, Controller, Get, Post, type Request, type RequestHandler } from 'blazon'
import express from 'express'
import { describe, expect, it } from 'vitest'
import { appsOfTest, send } from './support.js'

const { listening, serving } = appsOfTest()

@Controller('u')
class UsersController {
  @Get()
  list() {
    return []
  }

  @Get(':id')
  get(req: Request) {
    return { id: req.params.id }
  }

  @Post(':id')
  rename(req: Request) {
    return { id: req.params.id }
  }

  @All('files/*path')
  file(req: Request) {
    return { path: req.params['path'] }
  }
}

/** Records the fields that packages for metrics read when the response is sent. */
function measuring(notes: unknown[]): RequestHandler {
  return (req, res, next) => {
    const before = req.route
    res.on('finish', () => {
      const { baseUrl, route } = req
      const layer = route?.stack.at(-1)
      const read = {
        label: route === undefined ? null : baseUrl + route.path,
        methods: Object.keys(route?.methods ?? {}),
        isGet: route?.methods.get === true,
        layers: route?.stack.length,
        method: layer?.method,
        handle: typeof layer?.handle,
      }
      notes.push({ before, ...read })
    })
    next()
  }
}

/** The same routes in Express. */
function expressApp(notes: unknown[]) {
  const handle: RequestHandler = (_req, res) => res.end()
  return express().use(
    '/api',
    express
      .Router()
      .use(measuring(notes))
      .get('/u', handle)
      .get('/u/:id', handle)
      .post('/u/:id', handle)
      .all('/u/files/*path', handle),
  )
}

const REQUESTS = [
  { path: '/api/u' },
  { path: '/api/u/7?q=1' },
  { method: 'HEAD', path: '/api/u/7' },
  { method: 'POST', path: '/api/u/7' },
  { method: 'PATCH', path: '/api/u/files/a/b' },
  { path: '/api/none' },
]

async function ask(port: number): Promise<void> {
  for (const request of REQUESTS) await send(port, request)
}

describe('the req.route field', () => {
  it('has the same path, methods and stack as an Express route', async () => {
    const [ours, theirs]: [unknown[], unknown[]] = [[], []]
    const { app } = await listening({
      controllers: [UsersController],
      middlewares: [measuring(ours)],
    })
    await ask(await serving(createServer(express().use('/api', app.handler))))
    await ask(await serving(createServer(expressApp(theirs))))
    await expect.poll(() => ours.length).toBe(REQUESTS.length)
    await expect.poll(() => theirs.length).toBe(REQUESTS.length)
    expect(ours).toEqual(theirs)
    expect(ours[1]).toMatchObject({ label: '/api/u/:id', methods: ['get'], isGet: true })
  })

  it('contains the controller method, and is frozen', async () => {
    const routes: RouteOfTest[] = []
    const note: RequestHandler = (req, res, next) => {
      res.on('finish', () => routes.push(req.route))
      next()
    }
    const { port } = await listening({
      controllers: [UsersController],
      middlewares: [note],
    })
    await send(port, { path: '/u/7' })
    await expect.poll(() => routes.length).toBe(1)
    const [route] = routes as [RouteOfTest]
    const { get: handle } = UsersController.prototype
    expect(route).toMatchObject({ name: 'UsersController.get', method: 'GET', path: '/u/:id' })
    expect(route.stack).toEqual([{ name: 'get', method: 'get', handle }])
    const parts = [route, route.methods, route.stack, route.stack[0]]
    expect(parts.every((part) => Object.isFrozen(part))).toBe(true)
  })
})

interface RouteOfTest {
  readonly methods: object
  readonly stack: readonly object[]
}

import { setTimeout as sleep } from 'node:timers/promises'
import { Auth, Cache, Controller, Get, type Middleware, type Request, type Response } from 'blazon'
import type { StepFactory } from 'blazon/plugin'
import { TestApp } from 'blazon/testing'
import { afterEach, beforeEach } from 'vitest'
import { defer } from './support.js'

interface Behaviour {
  /** Sets the user of a request. */
  enter: (req: Request, res: Response, user: unknown) => unknown
  /** Runs in the handler of `/inside` before the response is made. */
  before: ((req: Request, res: Response) => unknown) | undefined
}

const setUser: Behaviour['enter'] = (req, _res, user) => {
  req.user = user as never
}

/** How the application of the running test behaves. Tests may change it. */
export const behaviour: Behaviour = { enter: setUser, before: undefined }
export let app: TestApp
/** One gate for each running handler of `/inside`. */
export let gates: ReturnType<typeof defer<void>>[]
/** The user of each call of a handler. */
export let handled: unknown[]

/** Sets the user without a guard, as a check of API keys or client certificates, or passport, does. */
const identify: Middleware = (req, res, next) => {
  const user = req.get('x-who')
  if (user !== undefined) behaviour.enter(req, res, JSON.parse(user))
  next()
}

const late: StepFactory = (next) => async (req, res) => {
  await sleep(1)
  const user = req.get('x-late')
  if (user !== undefined) behaviour.enter(req, res, JSON.parse(user))
  return await next(req, res)
}

/** Returns the user for whom the response was made. */
const whose = (req: Request, res: Response) => {
  const { user, auth, session } = req as Request & { auth?: object; session?: { user: object } }
  handled.push(user)
  return { user: user ?? auth ?? session?.user ?? res.locals['user'] ?? 'nobody' }
}

@Controller()
class UsersController {
  @Cache({ ttl: 60, staleWhileRevalidate: 60 })
  @Get('open')
  open(req: Request, res: Response) {
    return whose(req, res)
  }

  @Cache({ ttl: 60, key: () => 'own', staleWhileRevalidate: 60 })
  @Get('own')
  own(req: Request, res: Response) {
    return whose(req, res)
  }

  @Cache({ ttl: 60, key: () => 'shared', shared: true })
  @Get('shared')
  shared() {
    handled.push('shared')
    return { made: handled.length }
  }

  @Auth()
  @Cache({ ttl: 60, shared: true })
  @Get('guarded')
  guarded() {
    handled.push('guarded')
    return { made: handled.length }
  }

  @Cache({ ttl: 60 })
  @Get('used')
  used(req: Request, res: Response) {
    return whose(req, res)
  }

  @Cache({ ttl: 60 })
  @Get('inside')
  async inside(req: Request, res: Response) {
    const gate = defer<void>()
    gates.push(gate)
    await gate.promise
    await behaviour.before?.(req, res)
    return whose(req, res)
  }

  @Cache({
    ttl: 60,
    key: (req: Request) => `for ${req.get('authorization')} ${req.cookies?.['sid']}`,
  })
  @Get('named')
  named(req: Request, res: Response) {
    return whose(req, res)
  }
}

/** Starts the application before each test of the file that calls it, and closes it after the test. */
export function useUsersApp(): void {
  beforeEach(async () => {
    gates = []
    handled = []
    Object.assign(behaviour, { enter: setUser, before: undefined })
    app = await TestApp.create({
      controllers: [UsersController],
      middlewares: [identify],
      plugins: [
        {
          name: 'late',
          steps: ({ name }) => (name.endsWith('.used') ? { beforeHandler: late } : null),
        },
      ],
      auth: { guard: { canActivate: () => true } },
      contract: 'off',
    })
    await app.clock.advance(0)
  })
  afterEach(() => app.close())
}

export const ask = async (path: string, who?: unknown, headers: Record<string, string> = {}) => {
  const as = who === undefined ? {} : { 'X-Who': JSON.stringify(who) }
  const answer = await app
    .request()
    .get(path)
    .set({ ...as, ...headers })
  return { state: answer.headers['x-cache'], user: answer.body.data?.user, data: answer.body.data }
}

export const alice = { id: 'alice' }
export const bob = { id: 'bob' }

// Options, providers, plugins, guards and errors.
import {
  App,
  type AppOptions,
  type AuthGuard,
  BadRequestError,
  BaseController,
  Controller,
  defineAppOptions,
  defineControllers,
  type ErrorRequestHandler,
  type FieldError,
  Get,
  HttpError,
  InjectionToken,
  inject,
  type Middleware,
  type Module,
  memoryRateLimit,
  NotFoundError,
  type Outgoing,
  type Plugin,
  type Provider,
  type Request,
  type RequestHandler,
  type Response,
  type RouteTableEntry,
} from 'blazon'
import compression from 'compression'
import cookieParser from 'cookie-parser'
import cors from 'cors'
import express, { type Request as ExpressRequest } from 'express'
import { rateLimit } from 'express-rate-limit'
import session from 'express-session'
import helmet from 'helmet'
import morgan from 'morgan'
import multer from 'multer'
import passport from 'passport'
import type { Equal, Expect } from '../expect.js'

class Clock {
  now() {
    return new Date()
  }
}

abstract class Store {
  abstract find(id: string): string | undefined
}

class MemoryStore extends Store {
  find(id: string) {
    return id
  }
}

const Port = new InjectionToken<number>('Port')
const Name: InjectionToken<string> = new InjectionToken('Name')

class TokenGuard implements AuthGuard {
  constructor(readonly clock = inject(Clock)) {}
  async canActivate(req: Request) {
    req.user = { id: '1', roles: ['admin'] }
    return req.get('authorization') !== undefined
  }
}

@Controller('users')
export class UsersController extends BaseController {
  readonly clock = inject(Clock)
  readonly store = inject(Store)
  readonly port = inject(Port)
  readonly named = inject<number>('named')
  readonly maybe = inject(Name, { optional: true })

  @Get()
  list(req: Request, res: Response) {
    const roles: readonly string[] | undefined = req.user?.roles
    req.signal.throwIfAborted()
    return this.ok(res, 'Users', { roles }, 200)
  }

  @Get('bad')
  bad(_req: Request, res: Response) {
    // @ts-expect-error the response comes first
    this.ok('Users', res)
    // @ts-expect-error the status is a number
    return this.ok(res, 'Users', {}, '201')
  }
}

@Controller('plain')
export class PlainController {
  @Get()
  list(_req: Request, res: Response) {
    // @ts-expect-error only BaseController gives `ok` its type
    return this.ok(res, 'Users')
  }
}

export type Injected = [
  Expect<Equal<UsersController['clock'], Clock>>,
  Expect<Equal<UsersController['store'], Store>>,
  Expect<Equal<UsersController['port'], number>>,
  Expect<Equal<UsersController['named'], number>>,
  Expect<Equal<UsersController['maybe'], string | undefined>>,
]

const providers: Provider[] = [
  Clock,
  { token: Store, useClass: MemoryStore },
  { provide: Port, useValue: 3000 },
  { token: 'config', useFactory: async (port: number) => ({ port }), inject: [Port] },
  { token: Symbol('alias'), useExisting: Clock },
]

// @ts-expect-error a provider needs a class, a value or a factory
export const badProvider: Provider = { token: Clock }

// @ts-expect-error a provider needs a token
export const badToken: Provider = { useValue: 1 }

const users: Module = {
  name: 'users',
  prefix: 'v1',
  imports: [],
  providers,
  exports: [Clock, Port, 'config'],
}

const audit: Plugin = {
  name: 'audit',
  providers: [Clock],
  middlewares: [(_req, _res, next) => next()],
  async setup({ get, express: host, logger, model }) {
    const clock: Clock = get(Clock)
    const port: number = get(Port)
    host.set('trust proxy', 1)
    logger.info({ routes: model.routes.length, port }, clock.now().toISOString())
  },
  onInit: async () => {},
  onReady() {},
  async onClose(signal) {
    const named: string | undefined = signal
    return named
  },
}

export const placed: Plugin = {
  name: 'placed',
  middlewares: {
    first: [(_req, res, next) => (res.headersSent ? res.end() : next())],
    last: [[(error, _req, _res, next) => next(error)]],
  },
}

export const misplaced: Plugin = {
  name: 'misplaced',
  // @ts-expect-error a misspelt place
  middlewares: { frist: [] },
}

// @ts-expect-error a plugin has a name
export const badPlugin: Plugin = { middlewares: [] }

const upload = multer({ storage: multer.memoryStorage() })
const handler: RequestHandler = (_req, _res, next) => next()
const onError: ErrorRequestHandler = (error, _req, res, next) => (error ? res.end() : next())

interface TracedRequest extends ExpressRequest {
  trace: string
}

export const nested = new App({
  middlewares: [
    [handler, [onError, [(_req, res, next) => (res.headersSent ? res.end() : next())]]],
    [],
  ],
})

// @ts-expect-error a string in a nested list is not a middleware
export const badNested = new App({ middlewares: [[['text']]] })

const middlewares: Middleware[] = [
  helmet(),
  cors({ origin: true }),
  compression(),
  cookieParser('secret'),
  morgan('tiny'),
  session({ secret: 'secret', resave: false, saveUninitialized: false }),
  rateLimit({ limit: 10 }),
  upload.single('file'),
  upload.array('files'),
  upload.none(),
  passport.initialize(),
  passport.session(),
  passport.authenticate('bearer', { session: false }),
  express.json(),
  express.urlencoded({ extended: true }),
  express.static('public'),
  express.Router().get('/', (_req, res) => void res.end()),
  express(),
  handler,
  onError,
  (_req: ExpressRequest, _res, next) => next(),
  (req: TracedRequest, _res: unknown, next: () => void) => {
    req.trace = 'a'
    next()
  },
  async (_req, _res, next) => {
    await next()
  },
  (error, _req, _res, next) => next(error),
]

// @ts-expect-error a middleware is a function
export const badMiddlewares: AppOptions = { middlewares: [{}] }

const options = defineAppOptions({
  controllers: defineControllers(UsersController, PlainController),
  modules: [users],
  providers,
  middlewares: [...middlewares, (req, res, next) => void next([req, res])],
  plugins: [audit],
  auth: { guard: new TokenGuard(), default: 'protected', can: (user) => user?.id !== undefined },
  rateLimit: {
    limit: 5,
    window: '1m',
    by: (req) => String(req.user?.id),
    store: memoryRateLimit(),
  },
  security: { helmet: true, cors: { origin: ['https://example.com'] } },
  limits: { body: '1mb', depth: 10, headers: 100 },
  prefix: 'api',
  defaultStatus: { POST: 201, DELETE: 204 },
  timeouts: { handler: false, request: '30s', close: 5 },
  trustProxy: ['loopback'],
  testOverrides: [
    { token: Store, useValue: new MemoryStore() },
    { token: 'config', useValue: { port: 1 } },
  ],
})

export const known: AppOptions = options
export const kept: readonly unknown[] = options.controllers

// @ts-expect-error a method in lower case
defineAppOptions({ defaultStatus: { post: 201 } })

// @ts-expect-error a misspelt option beside a correct one
defineAppOptions({ controllers: [], controlers: [] })

export const limits: AppOptions[] = [
  { rateLimit: true },
  { rateLimit: false },
  {
    rateLimit: {
      policies: [
        { limit: 1, window: 1 },
        { name: 'b', limit: 2, window: '2s', by: 'user' },
      ],
    },
  },
]

// @ts-expect-error a limit is a number
defineAppOptions({ rateLimit: { limit: '5' } })

// @ts-expect-error `by` is not one of the known words
defineAppOptions({ rateLimit: { by: 'session' } })

// @ts-expect-error a misspelt option of an option
defineAppOptions({ security: { helmt: true } })

// @ts-expect-error the same without defineAppOptions
new App({ controllers: [], controlers: [] })

// @ts-expect-error an instance is not a class
defineControllers(new UsersController())

// @ts-expect-error a module is an object, not a class
defineAppOptions({ modules: [UsersController] })

export const guards: AppOptions[] = [
  { auth: { guard: new TokenGuard() } },
  { auth: { guard: TokenGuard } },
  { auth: { guard: new InjectionToken<AuthGuard>('guard') } },
  { auth: { guard: 'guard' } },
  { auth: { guard: { canActivate: () => true } } },
  { auth: { guard: { canActivate: async (req: ExpressRequest) => req.ip !== undefined } } },
  // @ts-expect-error the class has no canActivate
  { auth: { guard: Clock } },
  // @ts-expect-error canActivate returns a boolean, or a promise of a boolean
  { auth: { guard: { canActivate: () => 'yes' } } },
  // @ts-expect-error the default is 'public' or 'protected'
  { auth: { default: 'private' } },
  // @ts-expect-error an override needs a replacement
  { testOverrides: [{ token: Store }] },
]

export async function run() {
  const app = await App.create(options)
  const { port, address } = await app.listen(0, '127.0.0.1')
  const table: RouteTableEntry[] = app.getRouteTable()
  const found = [
    app.get(Clock),
    app.get(Store),
    app.get(Port),
    app.get(Name),
    app.get('x'),
  ] as const
  type _Found = Expect<Equal<typeof found, readonly [Clock, Store, number, string, unknown]>>
  express().use('/api', app.handler)
  app.express.set('view engine', 'none')
  await app.close('SIGTERM')
  // @ts-expect-error a port is a number
  await app.listen('3000')
  return { port: port.toFixed(), address: address.toUpperCase(), path: table[0]?.path, found }
}

export function call(outgoing: Outgoing): Promise<globalThis.Response>[] {
  const asFetch: typeof fetch = outgoing
  // @ts-expect-error the ports are a list
  outgoing('https://a.example', { ports: 8080 })
  const init = { public: true, ports: [8080], timeout: '3s', method: 'POST' } as const
  return [asFetch('https://a.example'), outgoing(new URL('https://a.example'), init)]
}

export function fail(errors: readonly FieldError[]): never {
  const cause = new BadRequestError('No', { code: 'BAD', errors, cause: 1, headers: { a: 'b' } })
  if (HttpError.is(cause)) new HttpError(402, cause.message, { expose: true, cause })
  // @ts-expect-error the message is a string
  new NotFoundError(404)
  // @ts-expect-error the class has a fixed status
  new NotFoundError('No', { status: 404 })
  // @ts-expect-error the status comes first
  throw new HttpError('No')
}

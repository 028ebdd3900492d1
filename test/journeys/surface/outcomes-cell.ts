import {
  type AppOptions,
  Auth,
  Can,
  Controller,
  HttpError,
  type Interceptor,
  type Plugin,
  Post,
  type Request,
  type RequestHandler,
  type Response,
  Use,
} from 'blazon'
import { type PluginSteps, Refusal } from 'blazon/plugin'
import { TestApp } from 'blazon/testing'
import { turns } from '../turns.js'

/** What code in a phase can do, whatever the phase is. */
interface Io {
  readonly res: Response
  /** Lets the request continue, in the way of the phase. */
  readonly pass: () => unknown
  /** Refuses the request, in the way of the phase. */
  readonly refuse: () => unknown
  /** Settles when the test lets the code continue. */
  readonly gate: Promise<void>
}

const stream = (res: Response): Response => {
  res.write('a')
  setImmediate(() => res.end('b'))
  return res
}

/** What the code in a phase does. */
export const OUTCOMES = {
  passes: ({ pass }: Io) => pass(),
  later: async ({ pass }: Io) => {
    await turns(2)
    return pass()
  },
  'HttpError 418': () => {
    throw new HttpError(418)
  },
  Error: () => {
    throw new Error('planted')
  },
  rejects: async () => {
    throw new Error('planted')
  },
  refuses: ({ refuse }: Io) => refuse(),
  'sends 202': ({ res }: Io) => res.status(202).json({ own: true }),
  'a value': () => ({ own: true }),
  'next twice': ({ pass }: Io) => {
    pass()
    return pass()
  },
  'client leaves': async ({ pass, gate }: Io) => {
    await gate
    return pass()
  },
  timeout: async ({ pass, gate }: Io) => {
    await gate
    return pass()
  },
  streams: ({ res }: Io) => stream(res),
} satisfies Record<string, (io: Io) => unknown>

export type Outcome = keyof typeof OUTCOMES

type Act = (io: Omit<Io, 'gate'>) => unknown

/** The parts of the application that the phases replace. */
interface Parts {
  middlewares: RequestHandler[]
  plugin: PluginSteps
  canActivate: (req: Request) => unknown
  can: (req: Request) => unknown
  use: RequestHandler
  validate: (value: unknown) => unknown
  interceptor: Interceptor
  handler: (req: Request, res: Response) => unknown
}

const middleware =
  (act: Act): RequestHandler =>
  (_req, res, next) =>
    act({ res, pass: () => next(), refuse: () => next(new HttpError(451)) }) as Promise<void>

const step = (place: keyof PluginSteps) => (act: Act) => ({
  plugin: {
    [place]: (next: (req: Request, res: Response) => unknown) => (req: Request, res: Response) =>
      act({ res, pass: () => next(req, res), refuse: () => Refusal.of(451) }),
  },
})

const decision =
  (act: Act) =>
  ({ res }: Request) =>
    act({ res: res as Response, pass: () => true, refuse: () => false })

const noResponse = undefined as unknown as Response

/** How code is put into a phase. */
export const PHASES = {
  middleware: (act) => ({ middlewares: [middleware(act)] }),
  enter: step('enter'),
  beforeGuard: step('beforeGuard'),
  guard: (act) => ({ canActivate: decision(act) }),
  afterGuard: step('afterGuard'),
  can: (act) => ({ can: decision(act) }),
  beforeBody: step('beforeBody'),
  '@Use': (act) => ({ use: middleware(act) }),
  schema: (act) => ({
    validate: (value) =>
      act({
        res: noResponse,
        pass: () => ({ value }),
        refuse: () => ({ issues: [{ message: 'planted' }] }),
      }),
  }),
  beforeHandler: step('beforeHandler'),
  interceptor: (act) => ({
    interceptor: {
      intercept: (_req, next, res) => act({ res, pass: next, refuse: () => Refusal.of(451) }),
    },
  }),
  aroundHandler: step('aroundHandler'),
  handler: (act) => ({
    handler: (_req, res) => act({ res, pass: () => 'done', refuse: () => Refusal.of(451) }),
  }),
} satisfies Record<string, (act: Act) => Partial<Parts>>

export type Phase = keyof typeof PHASES

/** A route that has every phase. */
function controllerOf(parts: Parts, count: () => void) {
  const body = {
    '~standard': {
      version: 1,
      vendor: 'test',
      validate: (value: unknown) => parts.validate(value) as { value: unknown },
    },
  } as const
  const run = (req: Request, res: Response) => {
    count()
    return parts.handler(req, res)
  }

  @Auth()
  @Can('act')
  @Use(parts.use, parts.interceptor)
  @Controller('target')
  class Target {
    @Post('', { body })
    post(req: Request, res: Response) {
      return run(req, res)
    }
  }
  return Target
}

/** Lets code in one phase do one thing, and describes what happened, as the table does. */
export async function observe(phase: Phase, outcome: Outcome): Promise<string> {
  const gate = opening()
  const arrival = opening()
  const act: Act = (io) => {
    arrival.open()
    return OUTCOMES[outcome]({ ...io, gate: gate.opened })
  }
  const parts: Parts = {
    middlewares: [],
    plugin: {},
    canActivate: () => true,
    can: () => true,
    use: (_req, _res, next) => next(),
    validate: (value) => ({ value }),
    interceptor: { intercept: (_req, next) => next() },
    handler: () => 'done',
    ...PHASES[phase](act),
  }
  const seen = { runs: 0, responses: 0, ends: [] as string[], errors: 0 }
  const watching: Plugin = {
    name: 'watching',
    steps: () => ({
      onResponse: () => void seen.responses++,
      onEnd: (_req, _res, how) => void seen.ends.push(how),
    }),
  }
  const logger = { info() {}, warn() {}, error: () => void seen.errors++ }
  const options: AppOptions = {
    controllers: [controllerOf(parts, () => void seen.runs++)],
    middlewares: parts.middlewares,
    plugins: [watching, { name: 'acting', steps: () => parts.plugin }],
    auth: {
      guard: { canActivate: (req) => parts.canActivate(req) as boolean },
      can: (_user, _abilities, req) => parts.can(req) as boolean,
    },
    timeouts: { handler: '5s' },
    logger,
  }
  await using app = await TestApp.create({ ...options, contract: 'off' })
  const leaving = new AbortController()
  const request = {
    method: 'POST',
    body: '{"n":1}',
    headers: { 'content-type': 'application/json' },
    signal: leaving.signal,
  }
  const answer = app.fetch('/target', request).then(
    async (response) => {
      const text = await response.text().catch(() => null)
      if (text === null) return `${response.status} cut`
      return text === 'ab' ? `${response.status} "ab"` : String(response.status)
    },
    () => '-',
  )
  if (outcome === 'timeout' || outcome === 'client leaves') {
    await arrival.opened
    await turns(5)
    if (outcome === 'timeout') await app.clock.advance('6s')
    else leaving.abort()
    await turns()
  }
  const status = await Promise.race([answer, turns(400).then(() => 'hangs')])
  gate.open()
  await turns()
  leaving.abort()
  const ends = seen.ends.join('+')
  // The request has not reached the route.
  const isUnseen = phase === 'middleware' && ends === ''
  return [
    `${status} ×${seen.runs}`,
    ...(seen.errors === 0 ? [] : [`!${seen.errors}`]),
    ...(isUnseen || ends === 'sent' ? [] : [ends]),
    ...(isUnseen || status === '-' || seen.responses === 1
      ? []
      : [`onResponse ×${seen.responses}`]),
  ].join(' ')
}

function opening() {
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { open, opened }
}

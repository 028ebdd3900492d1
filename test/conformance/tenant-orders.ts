import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { fileURLToPath } from 'node:url'
import {
  BadRequestError,
  Cache,
  ConflictError,
  Controller,
  Get,
  HttpCode,
  inject,
  type NextFunction,
  Post,
  type Request,
  type Response,
  Tenant,
} from 'blazon'
import { Database, isUniqueViolation, PostgresError, sql } from 'blazon/postgres'

const INSERT = 'insert into orders (note, code, number) values ($1, $2, $3) returning id, note'

@Tenant()
@Controller('orders')
export class OrdersController {
  private readonly db = inject(Database)

  @Get()
  async list(req: Request) {
    const { note, sort = 'id' } = req.query as { note?: string; sort?: string }
    const header = req.get('x-note')
    const wanted = header === undefined ? note : decodeURIComponent(header)
    const where = wanted === undefined ? sql`true` : sql`note = ${wanted}`
    try {
      return await this.db
        .sql`select tenant_id, note from orders where ${where} order by ${sql.id(sort)}`
    } catch (error) {
      // Undefined column.
      if (error instanceof PostgresError && error.code === '42703')
        throw new BadRequestError('There is no such column')
      throw error
    }
  }

  @Get('noted/:note')
  async noted(req: Request) {
    const { rows } = await this.db.query('select note from orders where note = $1', [
      req.params['note'],
    ])
    return rows
  }

  @Post()
  @HttpCode(201)
  async add(req: Request) {
    const { note = '', code, number } = req.body
    const { rows } = await this.db.query(INSERT, [note, code, number])
    return rows[0]
  }

  @Post('mapped')
  @HttpCode(201)
  async addMapped(req: Request) {
    try {
      return await this.add(req)
    } catch (error) {
      if (isUniqueViolation(error, 'orders_code_key')) throw new ConflictError('The code is taken')
      throw error
    }
  }
}

const SAVED = { saved: true }
const FILE = fileURLToPath(import.meta.url)

/** Every way to respond that a row was saved. */
const WAYS = {
  'a returned value': () => SAVED,
  'res.json': (res) => void res.json(SAVED),
  'res.send': (res) => void res.send('saved'),
  'res.end': (res) => void res.end('saved'),
  'res.end without a body': (res) => void res.end(),
  'res.status(204).end': (res) => void res.status(204).end(),
  'res.sendStatus': (res) => void res.sendStatus(202),
  'res.redirect': (res) => void res.redirect('/elsewhere'),
  'res.writeHead first': (res) => void res.writeHead(201, { 'x-first': '1' }).end('saved'),
  'res.flushHeaders': async (res) => {
    res.flushHeaders()
    await turn()
    res.end('saved')
  },
  'res.write': (res) => {
    res.write('sa')
    res.write('ved')
    res.end()
  },
  'res.write, and later the rest': async (res) => {
    res.write('sa')
    await turn()
    res.end('ved')
  },
  'a stream that is piped': (res) => void Readable.from(['sa', 'ved']).pipe(res),
  'a pipeline': (res) => pipeline(Readable.from(['sa', 'ved']), res),
  'res.sendFile': (res) => void res.sendFile(FILE),
  'a callback': (res) => void setImmediate(() => res.json(SAVED)),
} as const satisfies Record<string, (res: Response) => unknown>

export type Way = keyof typeof WAYS
export const ALL_WAYS = Object.keys(WAYS) as Way[]

/** The status of the response to each kind of failed request. */
const FAILURES = {
  'a thrown error': 500,
  'a rejected promise': 500,
  'next(error)': 500,
  'a thrown ConflictError': 409,
  'a refused statement': 500,
  'a refused statement whose error is caught': 500,
  'a status of 500': 500,
  'a status of 503, and a body': 503,
  'a head of 502': 502,
} as const

export type Failure = keyof typeof FAILURES
export const ALL_FAILURES = Object.entries(FAILURES) as [Failure, number][]

@Tenant()
@Controller('answers')
export class AnswersController {
  private readonly db = inject(Database)

  /** Saves a row, or two rows that the commit refuses, and responds in the given way. */
  @Post(':way')
  async answer(req: Request, res: Response) {
    await this.#save(req.body)
    return WAYS[req.params['way'] as Way](res)
  }

  /** The same, for GET and HEAD. */
  @Get(':way/:note')
  async read(req: Request, res: Response) {
    await this.#save({ note: String(req.params['note']) })
    return WAYS[req.params['way'] as Way](res)
  }

  async #save({ note, number }: { note: string; number?: string }) {
    await this.db.query(INSERT, [note, null, number])
    if (number !== undefined) await this.db.query(INSERT, [note, null, number])
  }
}

@Tenant()
@Controller('failures')
export class FailuresController {
  private readonly db = inject(Database)

  @Post(':how')
  async fail(req: Request, res: Response, next: NextFunction) {
    await this.db.query(INSERT, ['of a failure', null, null])
    switch (req.params['how'] as Failure) {
      case 'a thrown error':
        throw new Error('Thrown')
      case 'a rejected promise':
        return turn().then(() => Promise.reject(new Error('Rejected')))
      case 'next(error)':
        return next(new Error('Passed on'))
      case 'a thrown ConflictError':
        throw new ConflictError('Not now')
      case 'a refused statement':
        return await this.db.query('select 1 / 0')
      case 'a refused statement whose error is caught':
        await this.db.query('select 1 / 0').catch(() => {})
        return SAVED
      case 'a status of 500':
        return res.status(500).json(SAVED)
      case 'a status of 503, and a body':
        res.status(503)
        res.write('not ')
        return res.end('saved')
      case 'a head of 502':
        return res.writeHead(502).end()
    }
  }
}

/** A place in a handler where it waits. A test can wait until a handler reaches the place, and then let it continue. */
export class Barrier {
  #reached = new Signal()
  #opened = new Signal()

  reset(): void {
    this.#reached = new Signal()
    this.#opened = new Signal()
  }

  /** Called by handlers. Resolves when the test calls `open()`. */
  wait(): Promise<void> {
    this.#reached.give()
    return this.#opened.given
  }

  /** Resolves when a handler waits. */
  get reached(): Promise<void> {
    return this.#reached.given
  }

  open(): void {
    this.#opened.give()
  }
}

class Signal {
  readonly given: Promise<void>
  give: () => void = () => {}

  constructor() {
    this.given = new Promise((resolve) => {
      this.give = resolve
    })
  }
}

@Tenant()
@Controller('slow')
export class SlowController {
  private readonly db = inject(Database)
  private readonly barrier = inject(Barrier)
  /** The outcome of a query after the end of its request. */
  readonly after: { outcome: Promise<unknown> } = { outcome: Promise.resolve() }

  /** Saves a row, and waits. */
  @Post('waiting')
  async waiting() {
    await this.db.query(INSERT, ['of who waits', null, null])
    await this.barrier.wait()
    return SAVED
  }

  /** Saves a row, begins to respond, and saves another row when the signal of the request aborts. */
  @Post('streaming')
  async streaming(req: Request, res: Response) {
    await this.db.query(INSERT, ['of a stream', null, null])
    res.write('1')
    await new Promise((resolve) => req.signal.addEventListener('abort', resolve))
    await this.db.query(INSERT, ['of its end', null, null])
    res.end('2')
  }

  /** Runs a statement that takes minutes, so that the test can cancel it. */
  @Post('asleep')
  async asleep() {
    await this.db.query(INSERT, ['of who sleeps', null, null])
    await this.db.query('select pg_sleep(602)')
  }

  /** Starts a query that runs after the response is sent. */
  @Post('background')
  async background(req: Request, res: Response) {
    await this.db.query(INSERT, ['of the request', null, null])
    const goOn = () => this.db.query(INSERT, ['of what goes on', null, null])
    this.after.outcome = this.barrier.wait().then(goOn)
    this.after.outcome.catch(() => {})
    if (req.body.fails) throw new Error('Failed')
    res.json(SAVED)
  }

  @Post('upload')
  async upload(req: Request) {
    const { rows } = await this.db.query(INSERT, [req.body.note, null, null])
    return rows[0]
  }

  @Get('cached')
  @Cache({ ttl: '1h', key: (req) => String(req.query['key']) })
  async cached(req: Request, res: Response) {
    const { how } = req.query
    await this.db.query(INSERT, ['of a cached answer', null, how === 'good' ? null : '1'])
    if (how === 'refused at commit') await this.db.query(INSERT, ['again', null, '1'])
    if (how === 'swallowed') await this.db.query('select 1 / 0').catch(() => {})
    if (how === 'thrown') throw new Error('Thrown')
    if (req.query['by'] === 'res.json') return void res.json({ how })
    return { how }
  }
}

/** Waits for one turn of the event loop. */
function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

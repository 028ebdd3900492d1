import { createHash, randomBytes } from 'node:crypto'
import {
  All,
  ApiResponseDoc,
  type AppOptions,
  Auth,
  type AuthGuard,
  BadRequestError,
  BaseController,
  Body,
  Cache,
  Can,
  Controller,
  csv,
  Delete,
  defineControllers,
  Get,
  getTenantId,
  Header,
  Headers,
  HttpCode,
  inject,
  NotFoundError,
  Params,
  type Plugin,
  Post,
  Produces,
  Put,
  publicRouter,
  Query,
  RateLimit,
  Redirect,
  type Request,
  type RequestHandler,
  type Response,
  ResponseFields,
  requireTenantId,
  Tenant,
  tenantRouter,
} from 'blazon'
import { Database, postgres, tenantTable } from 'blazon/postgres'
import { redisCache, redisLimits } from 'blazon/redis'
import compression from 'compression'
import cookieParser from 'cookie-parser'
import express from 'express'
import session from 'express-session'
import multer from 'multer'
import * as v from 'valibot'
import { z } from 'zod'
import { RowPool } from '../journeys/tenancy/row-pool.js'

/** A user with access. */
export interface Person {
  readonly id: string
  readonly tenant: string
  /** The value of `Authorization: Bearer`. It is random, so that no mutation makes the token of another person. */
  readonly token: string
  readonly permissions: readonly string[]
}

const person = (id: string, tenant: string, permissions: string[]): Person => ({
  id,
  tenant,
  token: randomBytes(18).toString('base64url'),
  permissions,
})

export const PEOPLE: readonly Person[] = [
  person('ada', 'acme', ['write']),
  person('bo', 'zeta', ['write']),
  person('cy', 'acme', []),
]

/** The secret in all data of a tenant or a person. */
export function secretOf(whom: string): string {
  return `secret-${createHash('sha256').update(`${whom} ${PEOPLE[0]?.token}`).digest('hex').slice(0, 24)}`
}

/** Violations of isolation that code of this application has found. */
export const violations: string[] = []

/** The errors that the application has logged. */
export const failures: string[] = []

function describe(facts: object): string {
  const { err, ...more } = facts as { err?: Error }
  return `${JSON.stringify(more)} ${err?.stack} ${err?.cause}`
}

/** Notes a violation if code runs for a tenant to which its caller does not belong. */
function expectOwnTenant(req: Request, place: string): void {
  const user = req.user as Person | undefined
  const tenant = getTenantId()
  if (user === undefined || user.tenant !== tenant) {
    violations.push(`${place} ran for ${user?.id} in ${tenant}: ${req.method} ${req.originalUrl}`)
  }
}

const guard: AuthGuard = {
  async canActivate(req: Request) {
    const token = /^Bearer (\S+)$/.exec(req.get('authorization') ?? '')?.[1]
    req.user = PEOPLE.find((each) => each.token === token)
    return req.user !== undefined
  },
}

/** Identifies a person by a header, on routes without a guard. */
const byApiKey: RequestHandler = (req, _res, next) => {
  const found = PEOPLE.find(({ token }) => req.get('x-api-key') === token)
  if (found !== undefined) req.user = found
  next()
}

const Note = z.strictObject({
  text: z.string().min(1).max(2000),
  tags: z
    .array(z.union([z.string().max(20), z.object({ name: z.string() })]))
    .max(50)
    .default([]),
  at: z.iso.datetime().optional(),
})

@Tenant()
@Auth()
@Controller('notes')
class NotesController extends BaseController {
  private readonly db = inject(Database)

  @Get()
  @Query(
    z.object({
      page: z.coerce.number().int().min(1).max(1000).default(1),
      q: z.string().max(50).optional(),
    }),
  )
  @Cache({ ttl: 5, staleWhileRevalidate: 5, tags: ['notes'] })
  async list(req: Request) {
    expectOwnTenant(req, 'list')
    const rows = await this.db.sql`select id, text from notes order by id limit 20`
    return { secret: secretOf(requireTenantId()), rows }
  }

  @Get(':id')
  @Params(
    z.object({
      id: z.coerce
        .number()
        .int()
        .min(1)
        .max(2 ** 31 - 1),
    }),
  )
  async byId(req: Request) {
    expectOwnTenant(req, 'byId')
    const [row] = await this.db.sql`select id, text from notes where id = ${Number(req.params.id)}`
    if (row === undefined) throw new NotFoundError('There is no such note')
    return row
  }

  @Post()
  @HttpCode(201)
  @Body(Note)
  @Can('write')
  async add(req: Request) {
    expectOwnTenant(req, 'add')
    const text = `${secretOf(requireTenantId())} ${req.body.text.replaceAll('\0', '')}`
    const [row] = await this.db.sql`insert into notes (text) values (${text}) returning id`
    return row
  }

  @Put(':id')
  @Params(
    z.object({
      id: z.coerce
        .number()
        .int()
        .min(1)
        .max(2 ** 31 - 1),
    }),
  )
  @Body(Note)
  @Can('write')
  async change(req: Request, res: Response) {
    expectOwnTenant(req, 'change')
    const text = `${secretOf(requireTenantId())} changed`
    await this.db.transaction(async () => {
      await this.db.query('update notes set text = $2 where id = $1', [Number(req.params.id), text])
    })
    return this.ok(res, 'Changed', null)
  }

  @Delete(':id')
  @Can('write')
  async remove(req: Request) {
    expectOwnTenant(req, 'remove')
    await this.db.query('delete from notes where id::text = $1 and id > 100', [
      String(req.params.id).replaceAll('\0', ''),
    ])
  }
}

const JSON_SCHEMA = {
  type: 'object',
  properties: {
    items: {
      type: 'array',
      uniqueItems: true,
      items: { anyOf: [{ type: 'integer' }, { type: 'object', required: ['a', 'b'] }] },
    },
  },
  required: ['items'],
  additionalProperties: false,
} as const

@Controller()
class OpenController {
  @Get('echo/:a/*rest')
  @Params(z.object({ a: z.string().max(100), rest: z.array(z.string()).or(z.string()) }))
  @Headers(z.looseObject({ 'x-number': z.coerce.number().optional() }))
  @Header('X-Fixed', 'yes')
  echo({ params, query }: Request) {
    return { params, keys: Object.keys(query).length }
  }

  @Post('json-schema')
  @Body(JSON_SCHEMA)
  jsonSchema(req: Request) {
    return { count: req.body.items.length }
  }

  @Post('valibot')
  @Body(v.object({ name: v.string(), age: v.pipe(v.number(), v.integer(), v.minValue(0)) }))
  valibot(req: Request) {
    return req.body
  }

  @Post('anything')
  anything(req: Request) {
    return { type: typeof req.body }
  }

  @Post('uploads')
  uploads(req: Request) {
    return { files: (req.files as unknown[] | undefined)?.length ?? 0 }
  }

  @Get('near/:lat,:lng')
  @Params(z.object({ lat: z.coerce.number(), lng: z.coerce.number() }))
  near({ params }: Request) {
    return params
  }

  @Get('download/:name.:ext')
  @Query(z.object({ tag: z.array(z.string()).max(30).default([]) }))
  @Headers(z.object({ 'Idempotency-Key': z.string().max(40).optional() }))
  download({ params, query }: Request) {
    return { params, query }
  }

  /** Its rows have a field that the document does not have, so no form of the response has it. */
  @Get('export')
  @Produces(csv(), 'application/json')
  @ResponseFields('strip')
  @ApiResponseDoc({ status: 200, schema: z.array(z.object({ id: z.int() })) })
  export() {
    return [{ id: 1, hidden: secretOf('ada') }]
  }

  /** Its response is cached for its caller only, although the route has no guard. */
  @Get('whoami')
  @Cache({ ttl: 5 })
  whoami(req: Request) {
    const user = req.user as Person | undefined
    return { who: user === undefined ? 'nobody' : secretOf(user.id) }
  }

  @Get('slow')
  async slow() {
    await new Promise((resolve) => setTimeout(resolve, 5))
    return 'late'
  }

  @Get('stream')
  async stream(_req: Request, res: Response) {
    res.type('text').write('one ')
    await new Promise((resolve) => setImmediate(resolve))
    res.end('two')
  }

  @Get('moved')
  @Redirect('/echo/a/b')
  moved() {}

  @Get('visits')
  visits(req: Request, res: Response) {
    const session = req.session as unknown as { visits?: number }
    session.visits = (session.visits ?? 0) + 1
    res.cookie('seen', String(session.visits), { httpOnly: true })
    return { visits: session.visits, cookies: Object.keys(req.cookies ?? {}).length }
  }

  @Get('limited')
  @RateLimit({ limit: 3, window: 1, by: 'ip' })
  limited() {
    return 'yes'
  }

  @All('all')
  all({ method }: Request) {
    return { method }
  }
}

/** Notes a violation if a middleware before the guard runs for a tenant. */
const beforeTheGuard: RequestHandler = (req, _res, next) => {
  if (getTenantId() !== undefined)
    violations.push(`A middleware ran in ${getTenantId()}: ${req.originalUrl}`)
  next()
}

/** Calls back in the async context of another request, as old drivers do. */
const pool = new RowPool()

/** A router of Express after the guard, with a middleware that continues in the async context of its pool. */
function deskRouter() {
  const inner = express.Router()
  inner.use((_req, _res, next) => pool.query(undefined, () => next()))
  inner.get('/rows/:id', (req, res) => {
    expectOwnTenant(req as Request, 'the router')
    res.json({ secret: secretOf(requireTenantId()) })
  })
  const router = express.Router()
  router.use('/inner', inner)
  return router
}

/** Responds 400 to a form that multer cannot read. Its errors, and those of busboy, have no status. */
const badForms: Plugin = {
  name: 'bad-forms',
  explain(error, req) {
    const isOfForm = /\/(multer|busboy)\//.test((error as Error | null)?.stack ?? '')
    return isOfForm && req.is('multipart/*')
      ? new BadRequestError('The form cannot be read')
      : undefined
  },
}

/** A router of Express without a guard, as in an application that was moved from Express. */
function legacyRouter() {
  const router = express.Router()
  router.use('/legacy', express.urlencoded({ extended: true, limit: '20kb' }))
  router.post(
    '/legacy/form',
    (req, res) => void res.json({ fields: Object.keys(req.body ?? {}).length }),
  )
  router.get('/legacy/:name', (req, res) => void res.json({ name: req.params.name }))
  return router
}

const watching: Plugin = {
  name: 'watching',
  steps: ({ isProtected }) =>
    isProtected
      ? {
          aroundHandler: (next) => (req, res) => {
            expectOwnTenant(req, 'a step of a plugin')
            return next(req, res)
          },
        }
      : null,
}

/** The table of the notes. */
export const NOTES: string = tenantTable('notes', {
  columns: ['text text not null'],
})

/** Options of an application that uses every feature. */
export function everyFeature(databaseUrl: string, migrations: string, prefix: string): AppOptions {
  const redis = { url: process.env['REDIS_URL'] || 'redis://127.0.0.1:6379', prefix }
  return {
    controllers: defineControllers(NotesController, OpenController),
    middlewares: [
      compression() as RequestHandler,
      cookieParser(),
      session({ secret: prefix, resave: false, saveUninitialized: false }),
      multer({ limits: { fileSize: 20_000, files: 3, fields: 20 } }).any(),
      byApiKey,
      beforeTheGuard,
      publicRouter(legacyRouter()),
      tenantRouter(deskRouter(), { path: '/desk' }),
    ],
    plugins: [watching, badForms, postgres({ url: databaseUrl, migrations, connections: 4 })],
    auth: { guard },
    tenant: {
      jwtClaim: 'tenant',
      store: { find: (id) => (['acme', 'zeta'].includes(id) ? { id, status: 'active' } : null) },
      authorize: (_req, id, user) => (user as Person | undefined)?.tenant === id,
    },
    security: {
      cors: { origin: ['https://one.example', 'https://two.example'], credentials: true },
    },
    cache: { store: redisCache(redis) },
    rateLimit: { limit: 10_000_000, window: '1h', store: redisLimits(redis) },
    etag: true,
    swagger: { enabled: true, title: 'Every feature' },
    timeouts: { handler: '10s', headers: '5s', request: '5s', close: '1s' },
    logger: {
      info() {},
      warn() {},
      error: (facts) => void failures.push(describe(facts)),
    },
  }
}

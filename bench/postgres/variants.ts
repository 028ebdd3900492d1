// One endpoint that reads a row of PostgreSQL: by pg and by postgres.js under node:http, and by Blazon; each alone and in a transaction of a tenant.
import { createServer } from 'node:http'
import {
  App,
  BaseController,
  Controller,
  defineControllers,
  Get,
  inject,
  type Request,
  type Response,
} from 'blazon'
import { Database, postgres } from 'blazon/postgres'
import pg from 'pg'
import type { Sql } from 'postgres'
import { announce, serve, workload } from './serve.mjs'
import { SETTINGS, settingsFor } from './tenant-settings.mjs'

const url = process.env.BENCH_DATABASE_URL as string
/** Of a table of nobody's, or of one of tenants. */
const SELECT = `select id, what, amount from ${workload?.endsWith('-tenant') ? 'orders' : 'items'} where id = $1`

/** As its own users would write it. */
async function find(pool: pg.Pool, _tenant: string, id: string) {
  return (await pool.query(SELECT, [id])).rows[0]
}

/** The statements that Blazon sends, in as few flights. */
async function findAsTenant(pool: pg.Pool, tenant: string, id: string) {
  const client = await pool.connect()
  const [, , { rows }] = await Promise.all([
    client.query('BEGIN'),
    client.query(SETTINGS, settingsFor(tenant)),
    client.query(SELECT, [id]),
  ])
  await client.query('COMMIT')
  client.release()
  return rows[0]
}

/** The pool of postgres.js, or a transaction in it. */
type Within = Pick<Sql, 'unsafe'>

type Find = (tenant: string, id: string) => Promise<unknown>

function serveBare(read: Find) {
  serve(
    createServer((req, res) => {
      const id = (req.url as string).slice('/orders/'.length)
      void read(String(req.headers['x-tenant-id']), id).then((data) => {
        const text = JSON.stringify({ statusCode: 'success', status: 200, message: 'Order', data })
        const headers = { 'Content-Type': 'application/json; charset=utf-8' }
        res.writeHead(200, { ...headers, 'Content-Length': Buffer.byteLength(text) }).end(text)
      })
    }),
  )
}

function servePg(read: typeof find) {
  const pool = new pg.Pool({ connectionString: url, max: 10, pipeline: true } as pg.PoolConfig)
  serveBare((tenant, id) => read(pool, tenant, id))
}

/** By postgres.js, which prepares statements. It sends `BEGIN` alone, and the statements in it together. */
async function servePostgresJs(isTenant: boolean) {
  // Loaded here, so that no other variant has it in its process.
  const { default: connect } = await import('postgres')
  const sql = connect(url, { max: 10 })
  const settings = (within: Within, tenant: string) =>
    within.unsafe(SETTINGS, settingsFor(tenant), { prepare: true })
  const select = (within: Within, id: string) => within.unsafe(SELECT, [id], { prepare: true })
  if (!isTenant) return serveBare(async (_, id) => (await select(sql, id))[0])
  serveBare(async (tenant, id) => {
    const [, rows] = await sql.begin((within) => [settings(within, tenant), select(within, id)])
    return rows?.[0]
  })
}

@Controller('orders')
class OrdersController extends BaseController {
  private readonly db = inject(Database)

  @Get(':id')
  async get(req: Request, res: Response) {
    const { rows } = await this.db.query(SELECT, [req.params.id])
    return this.ok(res, 'Order', rows[0])
  }
}

async function serveBlazon(isTenant: boolean) {
  const app = new App({
    controllers: defineControllers(OrdersController),
    // Its login also reads the table that belongs to no tenant, which the doctor would refuse.
    plugins: [postgres({ url, connections: 10, doctor: false })],
    security: { helmet: false },
    logger: false,
    ...(isTenant ? { tenant: { authorize: () => true } } : {}),
    ...(isTenant ? { auth: { default: 'protected', guard: { canActivate: () => true } } } : {}),
  })
  const { port } = await app.listen(0, '127.0.0.1')
  announce(port)
}

if (workload === 'pg') servePg(find)
else if (workload === 'pg-tenant') servePg(findAsTenant)
else if (workload?.startsWith('postgres-js')) await servePostgresJs(workload.endsWith('-tenant'))
else await serveBlazon(workload === 'blazon-tenant')

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  Body,
  Cache,
  CacheManager,
  Controller,
  Delete,
  Get,
  HttpCode,
  inject,
  NotFoundError,
  Post,
  Put,
  type Request,
  type Response,
  Tenant,
} from 'blazon'
import { Database, postgres } from 'blazon/postgres'
import { TestApp } from 'blazon/testing'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { z } from 'zod'
import { tenantTable } from '../../conformance/tenant-schema.js'
import { startPgliteFromTemplate } from '../../pglite-template.js'

startPgliteFromTemplate()

// Ends a test that hangs. No test measures time.

const SEEDS = [1]
const Note = z.object({ text: z.string() })

let migrations: string

beforeAll(() => {
  migrations = mkdtempSync(join(tmpdir(), 'blazon-isolation-'))
  const notes = tenantTable('notes', [
    'id bigint generated always as identity',
    'text text not null',
    'primary key (tenant_id, id)',
  ])
  writeFileSync(join(migrations, '0001_notes.sql'), notes)
  // A table of tenants without row-level security.
  const open = `create table memos (tenant_id text not null default current_setting('app.tenant_id'),
    id bigint generated always as identity primary key, text text not null);
    grant select, insert, update, delete on memos to app_tenant;`
  writeFileSync(join(migrations, '0002_memos.sql'), open)
})
afterAll(() => rmSync(migrations, { recursive: true }))

/** The same operations on either table. No query of them names a tenant. */
function controllerOf(table: 'notes' | 'memos') {
  @Tenant()
  @Controller(table)
  class NotesController {
    private readonly db = inject(Database)

    @Post()
    @HttpCode(201)
    @Body(Note)
    async add(req: Request) {
      return await this.#one(`insert into ${table} (text) values ($1) returning id, text`, [
        req.body.text,
      ])
    }

    @Get()
    async list() {
      const { rows } = await this.db.query(`select id, text from ${table} order by id`)
      return rows
    }

    @Get(':id')
    async byId(req: Request) {
      return await this.#one(`select id, text from ${table} where id = $1`, [idOf(req)])
    }

    @Put(':id')
    @Body(Note)
    async change(req: Request) {
      const text = `update ${table} set text = $2 where id = $1 returning id, text`
      return await this.#one(text, [idOf(req), req.body.text])
    }

    @Delete(':id')
    @HttpCode(204)
    async remove(req: Request) {
      await this.#one(`delete from ${table} where id = $1 returning id`, [idOf(req)])
    }

    async #one(text: string, values: unknown[]) {
      const [row] = (await this.db.query(text, values)).rows
      if (row === undefined) throw new NotFoundError('There is no such note')
      return { ...row, id: Number(row['id']) }
    }
  }
  return NotesController
}

/** The id in the path; 0, which no row has, for text that is not a number. */
const idOf = (req: Request): number => Number.parseInt(String(req.params['id']), 10) || 0

@Tenant()
@Controller('reports')
class ReportsController {
  private readonly db = inject(Database)
  private readonly cache = inject(CacheManager)

  @Get('cached')
  @Cache({ ttl: '1m' })
  cached() {
    return this.#texts()
  }

  @Get('streamed')
  async streamed(_req: Request, res: Response) {
    for (const { text } of await this.#texts()) res.write(`${text}\n`)
    res.end()
  }

  /** Concurrent requests of a tenant share one load. */
  @Get('flight')
  flight() {
    const own = this.cache.forTenant()
    return own.getOrSet('texts', () => this.#texts(), { ttl: '1m' })
  }

  async #texts() {
    return await this.db.sql<{ text: string }>`select text from notes order by id`
  }
}

@Tenant()
@Controller('overview')
class OverviewController {
  private readonly db = inject(Database)

  /** Reads the rows of all tenants by mistake. */
  @Get()
  async everything() {
    return await this.db.withoutTenant('an overview', () => this.db.sql`select text from notes`)
  }
}

async function verdicts(controllers: (new () => object)[], seed: number) {
  await using app = await TestApp.create({
    controllers,
    plugins: [postgres({ embedded: 'memory', migrations })],
    tenant: {},
    logger: false,
  })
  const report = await app.proveIsolation({ tenants: ['acme', 'globex'], seed })
  const byName = report.verdicts.map(({ operation, verdict }) => [operation, verdict])
  return Object.fromEntries(byName)
}

it.each(SEEDS)(
  'proveIsolation() passes if every table has row-level security (seed %i)',
  async (seed) => {
    expect(await verdicts([controllerOf('notes'), ReportsController], seed)).toEqual({
      'POST /notes': 'PASS',
      'GET /notes': 'PASS',
      'GET /notes/{id}': 'PASS',
      'PUT /notes/{id}': 'PASS',
      'DELETE /notes/{id}': 'PASS',
      'GET /reports/cached': 'PASS',
      'GET /reports/streamed': 'PASS',
      'GET /reports/flight': 'PASS',
    })
  },
)

it.each(SEEDS)(
  'proveIsolation() finds a table without row-level security, and a query with the role of all tenants (seed %i)',
  async (seed) => {
    const controllers = [controllerOf('memos'), controllerOf('notes'), OverviewController]
    expect(await verdicts(controllers, seed)).toMatchObject({
      'GET /memos': 'LEAK',
      'GET /memos/{id}': 'LEAK',
      'PUT /memos/{id}': 'LEAK',
      'GET /overview': 'LEAK',
      'GET /notes': 'PASS',
    })
  },
)

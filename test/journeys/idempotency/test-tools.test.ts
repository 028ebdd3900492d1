import {
  ApiResponseDoc,
  Auth,
  Body,
  Controller,
  HttpCode,
  HttpError,
  Idempotent,
  Post,
  type Req,
  requireTenantId,
  Tenant,
} from 'blazon'
import { TestApp } from 'blazon/testing'
import { expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { emitClient } from '../../../src/cli/client/emit-client.js'
import { importClient } from '../../cli/import-client.js'

const Order = z.object({ item: z.string().min(1).max(20) })
const Placed = z.object({ id: z.string(), tenant: z.string() })
const USER = { id: 1 }

let answers: number[] = []

@Auth()
@Tenant()
@Controller('orders')
class Orders {
  @Idempotent({ required: true })
  @Post()
  @Body(Order)
  @HttpCode(201)
  @ApiResponseDoc({ status: 201, schema: Placed })
  place(_req: Req<{ body: typeof Order }>) {
    const status = answers.shift() ?? 0
    if (status >= 400) throw new HttpError(status)
    return { id: String(Math.random()), tenant: requireTenantId() }
  }
}

const start = async (controller: new () => object = Orders) => {
  const app = await TestApp.create({
    controllers: [controller],
    contract: 'throw',
    auth: {
      guard: {
        canActivate(req) {
          req.user = USER
          return req.get('authorization') === 'Bearer t'
        },
      },
    },
    tenant: { authorize: () => true },
  })
  onTestFinished(() => app.close())
  return app
}
const HEADERS = { authorization: 'Bearer t', 'x-tenant-id': 'a' }

it('authMatrix(), fuzz() and proveIsolation() send idempotency keys', async () => {
  const app = await start()
  const { rows } = await app.authMatrix({ user: app.with(HEADERS), nobody: null })
  expect(rows.map(({ access }) => access)).toEqual([{ user: 'allowed', nobody: 401 }])
  const report = await app.fuzz({ seed: 7, runs: 40, headers: HEADERS })
  expect(report).toMatchObject({ operations: 1, refused: [] })
  const isolation = await app.proveIsolation({
    seed: 1,
    tenants: { a: app.withAuth('t').asTenant('a'), bb: app.withAuth('t').asTenant('bb') },
  })
  expect(isolation.leaks).toEqual([])
})

it('replay() sends each write twice and finds equal responses', async () => {
  const app = await start()
  const { replayed } = await app.replay({ seed: 3, runs: 5, headers: HEADERS })
  expect(Object.values(replayed)).toEqual([5])
})

it('replay() detects a response that is not repeated, and reports untested routes', async () => {
  @Controller('others')
  class Others {
    @Post('plain') plain() {}
  }
  await expect((await start(Others)).replay()).rejects.toThrow(/no operation has @Idempotent/)
  const app = await start()
  await expect(app.replay({ headers: { 'x-tenant-id': 'a' } })).rejects.toThrow(
    /did not test POST \/orders/,
  )
  await expect(app.replay({ run: 3 } as never)).rejects.toThrow(/E_OPTION_INVALID/)
  @Auth()
  @Controller('orders')
  class Long {
    @Idempotent()
    @Post()
    @ApiResponseDoc({ status: 201, schema: z.string() })
    @HttpCode(201)
    long() {
      return 'x'.repeat(300_000)
    }
  }
  await expect((await start(Long)).replay({ headers: HEADERS })).rejects.toThrow(
    /responded differently to a repeated write/,
  )
})

it('a generated client creates the key, and repeats a request with the same key', async () => {
  const app = await start()
  const sent: (string | null)[] = []
  let drops = 1
  const { createClient } = await importClient('writes', emitClient(app.document))
  const client = createClient({
    baseUrl: 'http://app',
    headers: HEADERS,
    async fetch(url, init) {
      sent.push(new Headers(init.headers).get('idempotency-key'))
      const response = await app.fetch(url, init)
      // The response is lost on its way.
      if (drops-- > 0) throw new TypeError('fetch failed')
      return response
    },
  })
  const place = client['orders']?.['place'] as (
    input: object,
  ) => Promise<{ status: number; response: Response }>
  const { status, response } = await place({ body: { item: 'tea' } })
  expect([status, response.headers.get('idempotency-replayed')]).toEqual([201, 'true'])
  expect([sent.length, new Set(sent).size]).toEqual([2, 1])
  expect(sent[0]).toMatch(/^[\da-f-]{36}$/)

  sent.length = 0
  answers = [503]
  await place({ body: { item: 'tea' }, headers: { 'idempotency-key': 'mine' } })
  expect(sent).toEqual(['mine', 'mine'])

  sent.length = 0
  answers = [409]
  expect(await place({ body: { item: 'tea' } })).toMatchObject({ ok: false, status: 409 })
  expect(sent).toHaveLength(1)

  sent.length = 0
  drops = 9
  await expect(place({ body: { item: 'tea' }, signal: AbortSignal.abort() })).rejects.toThrow()
  expect(sent).toHaveLength(1)
})

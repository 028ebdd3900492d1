import {
  Auth,
  Body,
  Controller,
  Get,
  HttpError,
  Params,
  Post,
  RateLimit,
  type RequestHandler,
  requireTenantId,
  Tenant,
} from 'blazon'
import { ContractCoverage, TestApp, type TestOptions } from 'blazon/testing'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'

const Sent = z.object({ text: z.string().min(1).max(100) })
const notes = new Map<string, string[]>()

@Tenant()
@Controller('notes')
class NotesController {
  @Post()
  @Body(Sent)
  add({ body }: { body: z.output<typeof Sent> }) {
    const own = notes.get(requireTenantId()) ?? []
    notes.set(requireTenantId(), [...own, body.text].slice(-20))
    return body
  }

  @Get()
  @RateLimit({ limit: 1, window: '1h', by: 'tenant' })
  list() {
    return (notes.get(requireTenantId()) ?? []).map((text) => ({ text }))
  }
}

@Controller('sums')
class SumsController {
  @Get(':n')
  @Params(
    z.object({
      n: z.coerce
        .number()
        .int()
        .max(2 ** 31),
    }),
  )
  wrong({ params: { n } }: { params: { n: number } }) {
    if (n > 5) throw new TypeError('A defect')
    return { n }
  }

  @Post('open')
  open() {}

  @Auth()
  @Post('closed')
  closed() {}
}

/** A limit of the application, which the framework does not count. */
const ownLimit: RequestHandler = (req, _res, next) =>
  next(req.path.endsWith('/open') ? new HttpError(429, 'Not so fast') : undefined)

const options: TestOptions = {
  controllers: [NotesController, SumsController],
  tenant: {},
  auth: { guard: { canActivate: () => false } },
  rateLimit: { limit: 2, window: '1h' },
  logger: false,
}

const start = (more: TestOptions = {}) => TestApp.create({ ...options, ...more })

describe('rate limits of the application', () => {
  it('are ignored while fuzz() looks for defects', async () => {
    await using app = await start()
    const operations = ({ handler }: { handler: string }) => handler === 'SumsController.wrong'
    await expect(app.fuzz({ seed: 1, operations })).rejects.toThrow('no server error')
    const { status } = await app.fetch('/sums/1')
    expect(status).toBe(200)
  })

  it('are ignored by proveIsolation() and authMatrix(), but apply to all other requests', async () => {
    await using app = await start()
    const operations = ({ handler }: { handler: string }) => handler.startsWith('Notes')
    const { verdicts } = await app.proveIsolation({ seed: 1, operations })
    expect(
      verdicts.filter(({ operation }) => operation.includes('notes')).map(({ verdict }) => verdict),
    ).toEqual(['PASS', 'PASS'])
    const matrix = await app.authMatrix({ nobody: null, ana: { id: 1 }, ben: { id: 2 } })
    expect(matrix.rows.at(-1)?.access).toEqual({ nobody: 401, ana: 'allowed', ben: 'allowed' })
    const statuses = []
    for (let n = 0; n < 3; n++) statuses.push((await app.fetch('/sums/1')).status)
    expect(statuses).toEqual([200, 200, 429])
  })
})

describe('a check that gets only 429 responses from a middleware', () => {
  const middlewares = [ownLimit]
  const operations = ({ handler }: { handler: string }) =>
    ['SumsController.open', 'NotesController.add'].includes(handler)

  it('fails with an error that names the operation', async () => {
    await using app = await start({ middlewares })
    const headers = { 'x-tenant-id': 'acme' }
    await expect(app.fuzz({ seed: 1, operations, headers })).rejects.toThrow(
      /fuzz\(\) did not test POST \/sums\/open \(Sums_open\): .*429/,
    )
    await expect(app.proveIsolation({ seed: 1, operations })).rejects.toThrow(
      /proveIsolation\(\) did not test POST \/sums\/open \(Sums_open\): .*429/,
    )
    await expect(app.authMatrix({ nobody: null })).rejects.toThrow(
      /authMatrix\(\) .*POST \/sums\/open \(SumsController.open\).*429/,
    )
  })
})

describe('an operation whose requests are all refused', () => {
  const operations = ({ handler }: { handler: string }) => handler === 'SumsController.closed'

  it('makes fuzz() and proveIsolation() fail', async () => {
    await using app = await start()
    await expect(app.fuzz({ seed: 1, operations })).rejects.toThrow(
      /fuzz\(\) did not test POST \/sums\/closed \(Sums_closed\): .*401/,
    )
    await expect(app.proveIsolation({ seed: 1, operations })).rejects.toThrow(
      /proveIsolation\(\) did not test POST \/sums\/closed \(Sums_closed\): .*401/,
    )
  })

  it('is listed in the report of fuzz() if other operations were tested', async () => {
    await using app = await start()
    const some = ({ handler }: { handler: string }) => /open|closed/.test(handler)
    expect(await app.fuzz({ seed: 1, operations: some })).toMatchObject({
      operations: 2,
      refused: ['Sums_closed'],
    })
  })

  it('makes authMatrix({ unguarded }) fail if another step responds before the handler', async () => {
    @Tenant()
    @Controller('rows')
    class RowsController {
      @Post()
      add() {}
    }
    await using app = await start({ controllers: [RowsController] })
    const found = app.authMatrix({ nobody: null }, { unguarded: 'fail' })
    await expect(found).rejects.toThrow('POST /rows (RowsController.add): 400')
  })
})

describe('coverage without operations', () => {
  it('fails every threshold, because nothing was tested', async () => {
    expect(() => new ContractCoverage().check(1)).toThrow('no operation')
    const app = await TestApp.create({ coverage: { threshold: 1 } })
    await expect(app.close()).rejects.toThrow('no operation')
  })
})

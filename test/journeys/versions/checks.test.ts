import type { AppOptions } from 'blazon'
import {
  ApiResponseDoc,
  Auth,
  Controller,
  defineControllers,
  Get,
  Idempotent,
  Post,
  Sse,
  Version,
} from 'blazon'
import { TestApp } from 'blazon/testing'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { versioned } from './versions-app.js'

async function start(versions: NonNullable<AppOptions['versions']>, more: AppOptions = {}) {
  const app = await TestApp.create({ ...versioned, ...more, versions, contract: 'throw' })
  onTestFinished(() => app.close())
  return app
}

const WAYS = {
  path: { by: 'path', default: '1' },
  header: { by: { header: 'X-API-Version' }, default: '1' },
  mediaType: { by: 'mediaType' },
} as const

@Controller('totals')
class WrongController {
  @Version('1')
  @Get()
  @ApiResponseDoc({ status: 200, schema: z.object({ total: z.number() }) })
  first() {
    return { total: 1 }
  }

  @Version('2')
  @Get()
  @ApiResponseDoc({ status: 200, schema: z.object({ total: z.string() }) })
  second() {
    return { total: 1 }
  }

  @Version('2')
  @Get('stream')
  @Sse(z.object({ total: z.string() }))
  async *stream() {
    yield { total: 1 } as unknown as { total: string }
  }
}

@Version('1', '2')
@Controller('payments')
class PaymentsController {
  count = 0

  @Auth()
  @Idempotent()
  @Post()
  @ApiResponseDoc({ status: 200, schema: z.object({ count: z.int() }) })
  pay() {
    return { count: ++this.count }
  }
}

describe.each(Object.entries(WAYS))('an API with versions by %s', (way, versions) => {
  it('is checked against the document of the requested version', async () => {
    const controllers = defineControllers(WrongController)
    const app = await TestApp.create({ controllers, versions, contract: 'throw' })
    onTestFinished(() => app.close())
    await app.version('1').request().get('/totals').expect(200)
    await expect(app.version('2').request().get('/totals').expect(200)).rejects.toThrow('total')
    const { rows } = app.coverage()
    expect(rows.map(({ isExercised }) => isExercised)).toEqual([true, true, false])
    expect(new Set(rows.map(({ operation }) => operation)).size).toBe(3)
  })

  it('is covered by fuzz() in every version', async () => {
    const app = await start(versions)
    const report = await app.fuzz({ seed: 1, runs: 40, headers: { authorization: 'Bearer ok' } })
    expect(report.skipped).toEqual([])
    expect(report.operations).toBe(11)
    const { rows } = app.coverage()
    expect(rows.filter(({ isExercised }) => !isExercised)).toEqual([])
  })

  it('has a row for each version in authMatrix()', async () => {
    const app = await start(versions)
    const { rows } = await app.authMatrix({ anonymous: null, user: { id: 1 } })
    const found = rows.filter(({ operation }) => /^(POST|DELETE) /.test(operation))
    const at = (version: string) =>
      way === 'path' ? `/v${version}/orders` : `/orders (version ${version})`
    expect(found.map(({ operation, access }) => [operation, access['anonymous']])).toEqual([
      [`POST ${at('1')}`, 'allowed'],
      [`POST ${at('2')}`, 'allowed'],
      [`DELETE ${at('2')}`, 401],
    ])
  })

  it('is covered by proveIsolation() in every version', async () => {
    const app = await start(versions, { tenant: {} })
    const report = await app.proveIsolation({
      tenants: ['acme', 'globex'],
      seed: 1,
      rounds: 2,
      headers: { authorization: 'Bearer ok' },
    })
    expect(report.verdicts).toHaveLength(11)
    const isNew = way === 'path' ? /v2/ : /version 2/
    const created = report.verdicts.filter(({ operation }) => /^POST/.test(operation))
    expect(created.map((row) => [isNew.test(row.operation), row.verdict]).sort()).toEqual([
      [false, 'PASS'],
      [true, 'PASS'],
    ])
  })

  it('limits an idempotency key to one version', async () => {
    const app = await start(versions, { controllers: defineControllers(PaymentsController) })
    const pay = async (version: string) => {
      const request = app.as({ id: 1 }).version(version).request()
      return (await request.post('/payments').set('Idempotency-Key', 'one').expect(200)).body.data
        .count
    }
    expect([await pay('1'), await pay('2'), await pay('1'), await pay('2')]).toEqual([1, 2, 1, 2])
    expect(await app.replay({ seed: 1, runs: 2, as: { id: 1 } })).toBeDefined()
  })
})

describe('an API with versions by header', () => {
  it('compares an item of a stream with the document of its version', async () => {
    const controllers = defineControllers(WrongController)
    const app = await TestApp.create({ controllers, versions: WAYS.header, contract: 'throw' })
    onTestFinished(() => app.close())
    const events = await app.version('2').fetch('/totals/stream')
    await events.text().catch(() => '')
    expect(app.logs.some(({ level }) => level === 'error')).toBe(true)
    expect(app.contractReport().map(({ operationId }) => operationId)).toEqual(['Wrong_stream'])
  })
})

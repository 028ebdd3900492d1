import {
  App,
  ConfigError,
  Controller,
  Get,
  inject,
  NotFoundError,
  type RequestRecord,
  RequestRecords,
} from 'blazon'
import { TestApp } from 'blazon/testing'
import { afterEach, describe, expect, it } from 'vitest'

const SINK = Symbol.for('blazon.report')

@Controller('work')
class WorkController {
  readonly records = inject(RequestRecords)

  @Get('broken') broken() {
    throw new Error('The disk is full')
  }

  @Get('missing') missing() {
    throw new NotFoundError('No such order')
  }

  @Get('records') list() {
    return this.records.list().map(({ id, status }) => ({ id, status }))
  }
}

let app: TestApp | App | undefined

afterEach(async () => {
  Reflect.deleteProperty(globalThis, SINK)
  await app?.close()
})

describe('the records option', () => {
  it('stores the newest records of requests with server errors, and no others', async () => {
    const test = await TestApp.create({ controllers: [WorkController], records: { keep: 2 } })
    app = test
    await test.request().get('/work/missing').expect(404)
    await test.request().get('/work/records').expect(200)
    const ids = []
    for (let i = 0; i < 3; i++) {
      const { body } = await test.request().get('/work/broken').expect(500)
      ids.push(body.requestId)
    }
    const records = test.get(RequestRecords)
    expect(records.list().map(({ id }) => id)).toEqual([ids[2], ids[1]])
    expect(records.find(ids[2])).toMatchObject({
      route: { name: 'WorkController.broken' },
      status: 500,
      answeredBy: 'handler',
      error: { message: 'The disk is full' },
    })
    expect(records.find(ids[0])).toBeUndefined()
  })

  it('writes a log line for each server error if `log` is set', async () => {
    const test = await TestApp.create({ controllers: [WorkController], records: { log: true } })
    app = test
    await test.request().get('/work/broken').expect(500)
    const line = test.logs.find(({ message }) => message === 'How the request was handled')
    expect(line).toMatchObject({ level: 'error', facts: { record: { status: 500 } } })
  })

  it('stores the record of a request that takes too long', async () => {
    @Controller('slow')
    class SlowController {
      @Get() wait() {
        return new Promise(() => {})
      }
    }
    const test = await TestApp.create({
      controllers: [SlowController],
      records: true,
      timeouts: { handler: '10ms' },
    })
    app = test
    await test.request().get('/slow').expect(503)
    expect(test.get(RequestRecords).list()).toMatchObject([
      { outcome: 'timeout', cause: 'timeout' },
    ])
  })

  it('is off by default, so that nothing is stored', async () => {
    const test = await TestApp.create({ controllers: [WorkController] })
    app = test
    await test.request().get('/work/broken').expect(500)
    expect(test.get(RequestRecords).list()).toEqual([])
  })

  it.each([
    [{ records: 1 as never }, 'Pass true, false, or { keep, log, capsules }'],
    [{ records: { keep: 0 } }, 'Pass a whole number greater than 0'],
    [{ records: { log: 'yes' as never } }, 'Pass true or false'],
    [{ records: { keeps: 5 } as never }, 'The valid options are: keep, log, capsules'],
  ])('refuses %j', async (options, remedy) => {
    const error = await App.create(options).catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(ConfigError)
    expect(String(error)).toContain(remedy)
  })
})

describe('the command blazon dev', () => {
  it('receives the record of each request', async () => {
    const seen: RequestRecord[] = []
    Object.defineProperty(globalThis, SINK, {
      value: {
        take: ({ record }: { readonly record: RequestRecord }) => seen.push(record),
        placeIn: () => null,
        started: () => {},
      },
      configurable: true,
    })
    const plain = await App.create({ controllers: [WorkController], logger: false })
    app = plain
    const response = await plain.fetch(new Request('http://localhost/work/missing?token=abcdef'))
    await response.text()
    await expect.poll(() => seen.length).toBe(1)
    expect(seen[0]).toMatchObject({
      url: '/work/missing?token=[secret]',
      status: 404,
      outcome: 'sent',
      route: { path: '/work/missing' },
      error: { message: 'No such order' },
    })
    expect(JSON.parse(JSON.stringify(seen[0]))).toEqual(seen[0])
    // The option alone keeps records.
    expect(plain.get(RequestRecords).list()).toEqual([])
  })
})

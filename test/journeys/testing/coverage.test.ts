import { ApiResponseDoc, Auth, Can, Controller, Get, NotFoundError, Post, type Req } from 'blazon'
import { ContractCoverage, TestApp, type TestOptions } from 'blazon/testing'
import { afterEach, describe, expect, it, vi } from 'vitest'

@Controller('items')
class ItemsController {
  @Get()
  list() {
    return []
  }

  @Get(':id')
  @ApiResponseDoc({ status: 200, description: 'Found' })
  @ApiResponseDoc({ status: 404, description: 'Missing' })
  read(req: Req) {
    if (req.params['id'] === '0') throw new NotFoundError()
    return {}
  }

  @Auth()
  @Post()
  create() {
    return {}
  }
}

const guard = { canActivate: async () => false }
const start = (options: TestOptions = {}) =>
  TestApp.create({ controllers: [ItemsController], auth: { guard }, ...options })

afterEach(() => vi.restoreAllMocks())

describe('the statuses that coverage() counts', () => {
  it('include successes, and refusals by the guard and by @Can', async () => {
    @Controller('safe')
    class SafeController {
      @Can('open') @Get() open() {
        return []
      }
    }
    const guarded = { canActivate: (req: Req) => req.get('x-user') !== undefined }
    const app = await start({ controllers: [SafeController], auth: { guard: guarded } })
    const missing = () =>
      app
        .coverage()
        .rows.flatMap((row) => row.missing)
        .sort()
    expect(missing()).toEqual(['2XX', '401', '403'])
    await app.request().get('/safe').expect(401)
    expect(missing()).toEqual(['2XX', '403'])
    await app.as({ id: 1 }).request().get('/safe').expect(403)
    expect(missing()).toEqual(['2XX'])
    await app
      .as({ id: 1, permissions: ['open'] })
      .request()
      .get('/safe')
      .expect(200)
    expect(app.coverage().statuses).toEqual({ exercised: 3, total: 3, percent: 100 })
    await app.close()
  })
})

describe('the coverage() method', () => {
  it('returns the exercised operations and statuses', async () => {
    const app = await start()
    expect(app.coverage().operations).toEqual({ exercised: 0, total: 3, percent: 0 })
    await app.request().get('/items/1')
    await app.fetch('/items/0')
    await app.request().get('/items/0')
    await app.as({}).request().get('/items/2')
    await app.request().post('/items').expect(401)
    await app.request().get('/nowhere').expect(404)
    const { operations, statuses, rows } = app.coverage()
    expect(operations).toEqual({ exercised: 1, total: 3, percent: 33 })
    expect(rows.find(({ operationId }) => operationId === 'Items_read')).toEqual({
      operation: 'GET /items/{id}',
      operationId: 'Items_read',
      isExercised: true,
      statuses: { 200: 2, 400: 0, 404: 2, 500: 0, 503: 0 },
      missing: [],
    })
    // A refusal does not count as an exercise of the operation.
    expect(rows.find(({ operation }) => operation === 'POST /items')).toMatchObject({
      isExercised: false,
      statuses: { 401: 1 },
    })
    expect(statuses).toEqual({ exercised: 3, total: 5, percent: 60 })
    await app.close()
  })

  it('counts nothing if `contract` is off', async () => {
    const app = await start({ contract: 'off' })
    await app.request().get('/items').expect(200)
    expect(app.coverage().operations).toEqual({ exercised: 0, total: 3, percent: 0 })
    await app.close()
  })
})

describe('the coverage option', () => {
  it('makes close() reject after everything is closed, if the coverage is below the threshold', async () => {
    const onClose = vi.fn()
    const app = await start({
      coverage: { threshold: 66 },
      plugins: [{ name: 'p', onClose }],
    })
    await app.request().get('/items')
    await expect(app.close()).rejects.toThrow(
      [
        'The coverage of the tests is too low: 1 of 3 operations (33 %) and 1 of 5 statuses (20 %) exercised.',
        'GET /items/{id}: no success response',
        'POST /items: no success response',
      ].join('\n  '),
    )
    expect(onClose).toHaveBeenCalledOnce()
  })

  it('lets close() resolve if the operations and the statuses reach their thresholds', async () => {
    const app = await start({ coverage: { threshold: { operations: 66, statuses: 40 } } })
    await app.request().get('/items')
    await app.request().get('/items/1')
    await app.close()
    const strict = await start({ coverage: { threshold: { statuses: 21 } } })
    await strict.request().get('/items')
    await expect(strict.close()).rejects.toThrow('GET /items/{id}: never 200, 404')
  })

  it('is refused if `contract` is off', async () => {
    const options: TestOptions = { contract: 'off', coverage: { threshold: 1 } }
    await expect(start(options)).rejects.toThrow('the coverage would be empty')
  })

  it.each([
    [{ thresold: 90 }, 'coverage.thresold'],
    [{ threshold: '90' }, 'coverage.threshold'],
    [{ threshold: 101 }, 'coverage.threshold'],
    [{ threshold: Number.NaN }, 'coverage.threshold'],
    [{ threshold: { operation: 100 } }, 'coverage.threshold.operation'],
    [{ threshold: { statuses: -1 } }, 'coverage.threshold'],
    [{ summary: 'yes' }, 'coverage.summary'],
    [[], 'coverage'],
  ])('is refused if it is %j', async (coverage, subject) => {
    const failure = start({ coverage } as TestOptions)
    await expect(failure).rejects.toMatchObject({
      problems: [{ code: 'E_OPTION_INVALID', subject }],
    })
  })

  it('prints one line if `summary` is true, and otherwise nothing', async () => {
    const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
    const silent = await start({ coverage: {} })
    await silent.close()
    expect(write).not.toHaveBeenCalled()
    const app = await start({ swagger: { title: 'Items' }, coverage: { summary: true } })
    await app.close()
    expect(write.mock.calls).toEqual([
      ['Items: 0 of 3 operations (0 %) and 0 of 5 statuses (0 %) exercised\n'],
    ])
  })
})

describe('the class ContractCoverage', () => {
  it('adds up the coverage of several applications', async () => {
    const coverage = new ContractCoverage()
    for (const path of ['/items', '/items/1']) {
      const app = await start({ coverage })
      await app.request().get(path)
      await app.close()
    }
    expect(coverage.report().operations).toEqual({ exercised: 2, total: 3, percent: 66 })
    expect(() => coverage.check()).toThrow('POST /items: no success response')
    const app = await start({ coverage })
    await app.as({ id: 1 }).request().post('/items').expect(200)
    await app.close()
    coverage.check()
    expect(coverage.summary()).toBe(
      '3 of 3 operations (100 %) and 3 of 5 statuses (60 %) exercised',
    )
  })

  it('counts the operations of an application that has received no requests', async () => {
    const coverage = new ContractCoverage()
    const app = await start({ coverage })
    await app.close()
    expect(coverage.report().operations.total).toBe(3)
  })
})

import {
  ApiResponseDoc,
  type AppOptions,
  BaseController,
  Controller,
  Get,
  NotFoundError,
  type Request,
  type RequestHandler,
  type Response,
} from 'blazon'
import { TestApp } from 'blazon/testing'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'

const at = new Date('2024-02-29T12:34:56.789Z')
const text = '2024-02-29T12:34:56.789Z'

const Order = z.object({ id: z.string(), at: z.date(), paidAt: z.date().nullable() })

@Controller('orders')
class OrdersController extends BaseController {
  @Get('returned')
  @ApiResponseDoc({ status: 200, description: 'All orders', schema: z.array(Order) })
  returned() {
    return [{ id: 'a', at, paidAt: null }]
  }

  @Get('ok')
  @ApiResponseDoc({ status: 200, description: 'An order', schema: Order })
  ok200(_req: Request, res: Response) {
    return this.ok(res, 'Found', { id: 'a', at, paidAt: at })
  }

  @Get('raw')
  @ApiResponseDoc({ status: 200, description: 'An order', schema: Order, raw: true })
  raw(_req: Request, res: Response) {
    res.json({ id: 'a', at, paidAt: at })
  }

  @Get('whole')
  @ApiResponseDoc({
    status: 200,
    description: 'An envelope of its own',
    schema: z.object({
      statusCode: z.literal('success'),
      status: z.int(),
      message: z.string(),
      data: Order,
    }),
  })
  whole(_req: Request, res: Response) {
    return this.ok(res, 'Found', { id: 'a', at, paidAt: at })
  }

  @Get('other')
  @ApiResponseDoc({ status: 200, description: 'An order', schema: Order })
  other() {
    return { id: 7, at, more: { at }, big: [undefined, Number.NaN], '': '\ud800"' }
  }

  @Get('silent')
  silent() {
    return { at }
  }

  @Get('missing')
  @ApiResponseDoc({ status: 200, description: 'An order', schema: Order })
  missing() {
    throw new NotFoundError('No such order')
  }
}

describe('dates in responses', () => {
  let app: TestApp
  const start = async (options: AppOptions = {}) => {
    app = await TestApp.create({ controllers: [OrdersController], contract: 'off', ...options })
  }
  const read = async (path: string) => (await app.request().get(`/orders/${path}`)).text
  afterEach(async () => {
    vi.restoreAllMocks()
    await app.close()
  })

  /** The value that `JSON.stringify` receives for the body of a response. */
  const given = async (path: string) => {
    await read(path)
    const stringify = vi.spyOn(JSON, 'stringify')
    await read(path)
    const bodies = stringify.mock.calls.map(([body]) => body as Record<string, unknown>)
    return bodies.find((body) => 'data' in body || 'at' in body)
  }

  it.each([
    ['returned', [{ id: 'a', at: text, paidAt: null }]],
    ['ok', { id: 'a', at: text, paidAt: text }],
    ['whole', { id: 'a', at: text, paidAt: text }],
  ])('are converted before JSON.stringify when they are documented: %s', async (path, data) => {
    await start()
    expect(await given(path)).toMatchObject({ data })
    expect(JSON.parse(await read(path)).data).toEqual(data)
  })

  it('are converted before JSON.stringify in a body without envelope', async () => {
    await start()
    expect(await given('raw')).toEqual({ id: 'a', at: text, paidAt: text })
    expect(await read('raw')).toBe(`{"id":"a","at":"${text}","paidAt":"${text}"}`)
  })

  it('are converted when res.json() of Express sends the response', async () => {
    await start({ etag: true })
    expect(await given('ok')).toMatchObject({ data: { at: text } })
    const { headers, body } = await app.request().get('/orders/ok')
    expect(headers['etag']).toMatch(/^W\//)
    expect(body.data).toEqual({ id: 'a', at: text, paidAt: text })
  })

  it('are converted by JSON.stringify when no schema describes them', async () => {
    await start()
    expect(await given('silent')).toMatchObject({ data: { at } })
    expect(JSON.parse(await read('silent')).data).toEqual({ at: text })
  })

  it('do not affect other fields, even fields that contradict the schema', async () => {
    await start()
    const data = `{"id":7,"at":"${text}","more":{"at":"${text}"},"big":[null,null],"":"\\ud800\\""}`
    expect(await read('other')).toBe(
      `{"statusCode":"success","status":200,"message":"OK","data":${data}}`,
    )
  })

  it('do not affect error responses', async () => {
    await start()
    expect(JSON.parse(await read('missing'))).toMatchObject({ status: 404, code: 'NOT_FOUND' })
  })

  it('are Date objects for a middleware that replaces res.json', async () => {
    const bodies: unknown[] = []
    const record: RequestHandler = (_req, res, next) => {
      const { json } = res
      res.json = (body: unknown) => {
        bodies.push(body)
        return json.call(res, body)
      }
      next()
    }
    await start({ middlewares: [record] })
    await read('returned')
    expect(bodies).toMatchObject([{ data: [{ at }] }])
  })

  it('are Date objects for the Express json replacer', async () => {
    await start()
    function replace(this: Record<string, unknown>, key: string, value: unknown) {
      return this[key] instanceof Date ? 'a date' : value
    }
    app.express.set('json replacer', replace)
    expect(JSON.parse(await read('returned')).data).toEqual([
      { id: 'a', at: 'a date', paidAt: null },
    ])
  })
})

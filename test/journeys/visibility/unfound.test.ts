import { type } from 'arktype'
import {
  ApiResponseDoc,
  Auth,
  BaseController,
  Controller,
  type ErrorRequestHandler,
  Get,
  type Request,
  type RequestHandler,
  type Response,
  Use,
} from 'blazon'
import { TestApp, type TestOptions } from 'blazon/testing'
import { Type } from 'typebox'
import * as v from 'valibot'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { ALL, guard, SECRET } from './staff-app.js'

const mark = { visibleTo: 'payroll:read' }

/** Marks on parts that have no name, in each library. */
const NAMELESS: [string, object, unknown][] = [
  ['zod', z.record(z.string(), z.string().meta(mark)), { ana: SECRET }],
  ['valibot', v.array(v.pipe(v.string(), v.metadata(mark))), [SECRET]],
  ['arktype', type.string.configure(mark as object).array(), [SECRET]],
  ['TypeBox', Type.Record(Type.String(), Type.String(mark)), { ana: SECRET }],
  [
    'an alternative',
    z.array(z.union([z.int(), z.object({ a: z.string() }).meta(mark)])),
    [{ a: SECRET }],
  ],
]

interface Route {
  readonly schema: object
  readonly handle?: (res: Response) => unknown
  readonly use?: RequestHandler
}

async function serve({ schema, handle, use }: Route, options: TestOptions = {}) {
  @Auth({ optional: true })
  @Controller('it')
  class ItController extends BaseController {
    @ApiResponseDoc({ status: 200, schema: schema as never })
    @Use(use ?? ((_req, _res, next) => next()))
    @Get()
    it(_req: Request, res: Response) {
      return handle?.(res)
    }
  }
  const app = await TestApp.create({
    controllers: [ItController],
    auth: { guard },
    contract: 'off',
    ...options,
  })
  onTestFinished(() => app.close())
  const get = async (token: string | null) => {
    const caller = token === null ? app : app.with({ authorization: `Bearer ${token}` })
    const { status, text } = await caller.request().get('/it')
    return { status, text }
  }
  return { app, get }
}

describe('parts with an audience but without a name', () => {
  it.each(NAMELESS)('prevent a response without a schema: %s', async (_, schema, data) => {
    for (const handle of [
      (res: Response) => res.status(409).json(data),
      (res: Response) => res.status(409).json({ data }),
      (res: Response) => res.status(201).send(data as object),
    ]) {
      const { app, get } = await serve({ schema, handle })
      const { status, text } = await get(null)
      expect([status, text.includes(SECRET)]).toEqual([500, false])
      const { message } = (app.logs.at(-1) as unknown as { facts: { err: Error } }).facts.err
      expect(message).toMatch(/ItController\.it: the response (409|201) has no schema/)
      expect(message).toContain('Describe the response with @ApiResponseDoc')
      expect((await get(ALL)).text).toContain(SECRET)
    }
  })

  it.each(NAMELESS)('are removed from a value of another kind: %s', async (_, schema, data) => {
    const other = Array.isArray(data) ? { 0: data[0] } : Object.values(data as object)
    const { get } = await serve({ schema, handle: () => other })
    const { status, text } = await get(null)
    expect([status, text.includes(SECRET)]).toEqual([200, false])
  })

  it('do not change the response of an error middleware', async () => {
    const onError: ErrorRequestHandler = (_error, _req, res, _next) => {
      res.status(418).json({ teapot: true })
    }
    const handle = () => {
      throw new Error('broken')
    }
    const { get } = await serve(
      { schema: z.array(z.int().meta(mark)), handle },
      { middlewares: [onError] },
    )
    expect(await get(null)).toEqual({ status: 418, text: '{"teapot":true}' })
  })
})

describe('a response with hidden fields', () => {
  const schema = z.object({
    id: z.int(),
    pay: z.string().meta(mark),
    by: z.record(z.string(), z.string().meta(mark)),
  })
  const data = { id: 1, pay: SECRET, by: { ana: SECRET } }

  it('contains no hidden field for any caller if a middleware sends it before the handler runs', async () => {
    const { get } = await serve({ schema, use: (_req, res) => void res.json(data) })
    for (const token of [null, 'none', ALL]) {
      expect(await get(token)).toEqual({ status: 200, text: '{"id":1,"by":{}}' })
    }
  })

  it('contains the hidden fields for their audience if the handler sends it', async () => {
    const { get } = await serve({ schema, handle: (res) => res.json(data) })
    expect((await get(ALL)).text).toBe(JSON.stringify(data))
  })

  it('violates the contract if a middleware has sent a hidden field in a string', async () => {
    const use: RequestHandler = (_req, res) => void res.type('json').end(JSON.stringify(data))
    const { app, get } = await serve({ schema, use }, { contract: 'warn' })
    await get(ALL)
    expect(app.contractReport().map(({ kind, path }) => `${kind} ${path}`)).toContain(
      'visibility pay',
    )
  })
})

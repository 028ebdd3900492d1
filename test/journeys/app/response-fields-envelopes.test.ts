import {
  ApiResponseDoc,
  type AppOptions,
  BaseController,
  Cache,
  Controller,
  Envelope,
  type EnvelopeChoice,
  type EnvelopeFormat,
  Get,
  NotFoundError,
  type Req,
  type Response as Res,
  Use,
} from 'blazon'
import { TestApp } from 'blazon/testing'
import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'

const User = z.object({ id: z.int(), name: z.string() })
const ADA = { id: 1, name: 'Ada' }
const ROW = { ...ADA, passwordHash: 'secret' }
const Ok = (schema: z.ZodType = User) => ApiResponseDoc({ status: 200, schema })

const seen: unknown[] = []
const NAMES = { ok: { type: 'boolean' }, note: { type: 'string' } } as const

const own: EnvelopeFormat = {
  success(data, { message }) {
    seen.push(data)
    return { ok: true, note: message, result: data }
  },
  schema: (result) => ({
    type: 'object',
    properties: { ...NAMES, result },
    required: ['ok', 'note'],
  }),
}
const typed: EnvelopeFormat = { ...own, mediaType: 'application/vnd.own+json' }
/** The schema says nothing about the place of the data. */
const open: EnvelopeFormat = { ...own, schema: () => ({ type: 'object' }) }

const ENVELOPES: [string, EnvelopeChoice, (data: unknown, message?: string) => unknown][] = [
  [
    "the framework's",
    true,
    (data, message = 'OK') => ({ statusCode: 'success', status: 200, message, data }),
  ],
  ['none', false, (data) => data],
  ['a custom one', own, wrapped],
  ['a custom one with a media type', typed, wrapped],
  ['a custom one with an open schema', open, wrapped],
]

function wrapped(result: unknown, note = 'OK'): unknown {
  return { ok: true, note, result }
}

const addField = (value: unknown) =>
  typeof value === 'object' ? { ...value, passwordHash: 'secret' } : value
const leak = {
  intercept: async (_req: unknown, next: () => unknown) => addField(await next()),
}

@Controller('ways')
class WaysController extends BaseController {
  @Ok() @Get('returned') returned() {
    return ROW
  }
  @Ok() @Get('promised') async promised() {
    return ROW
  }
  @Ok() @Get('ok') okay(_req: Req, res: Res) {
    return this.ok(res, 'OK', ROW)
  }
  @Ok() @Use(leak) @Get('interceptor') interceptor() {
    return ADA
  }
  @Ok() @Get('around') around() {
    return ADA
  }
  @Ok() @Cache({ ttl: 60 }) @Get('cached') cached() {
    return ROW
  }
}

const WAYS = ['returned', 'promised', 'ok', 'interceptor', 'around', 'cached']
const CASES = ENVELOPES.flatMap(([name, envelope, expected]) =>
  WAYS.map((way) => [way, name, envelope, expected] as const),
)

/** Adds a field to the data of one route. */
const around: NonNullable<AppOptions['plugins']>[number] = {
  name: 'around',
  steps: ({ name }) =>
    name.endsWith('.around')
      ? { aroundHandler: (next) => (req, res) => addField(next(req, res)) }
      : null,
}

let app: TestApp | undefined
const errors: { err: Error }[] = []
const logger = {
  info() {},
  warn() {},
  error: (facts: object) => void errors.push(facts as { err: Error }),
}

afterEach(async () => {
  await app?.close()
  errors.length = 0
  seen.length = 0
})

type Options = AppOptions & Parameters<typeof TestApp.create>[0]

async function start(Class: new () => object, options: Options): Promise<TestApp> {
  app = await TestApp.create({ controllers: [Class], logger, plugins: [around], ...options })
  return app
}

async function read(path: string): Promise<{ status: number; text: string; type: string | null }> {
  const response = await (app as TestApp).fetch(path)
  const type = response.headers.get('content-type')
  return { status: response.status, text: await response.text(), type }
}

describe("the option responses: 'strip'", () => {
  it.each(CASES)(
    'removes fields that the schema does not describe: /ways/%s, envelope: %s',
    async (way, _, envelope, expected) => {
      await start(WaysController, { envelope, responses: 'strip' })
      for (let i = 0; i < 2; i++) {
        const { status, text } = await read(`/ways/${way}`)
        expect([status, JSON.parse(text)]).toEqual([200, expected(ADA)])
      }
    },
  )

  it('passes only the described fields to a custom envelope', async () => {
    await start(WaysController, { envelope: own, responses: 'strip' })
    await read('/ways/returned')
    await read('/ways/ok')
    expect(seen).toEqual([ADA, ADA])
  })

  it('removes fields of a custom envelope that the envelope schema does not describe', async () => {
    const success: EnvelopeFormat['success'] = (result) => ({ ok: true, note: '', result, more: 1 })
    await start(WaysController, { envelope: { ...own, success }, responses: 'strip' })
    expect(JSON.parse((await read('/ways/returned')).text)).toEqual(wrapped(ADA, ''))
  })

  it('keeps the media type of the envelope', async () => {
    await start(WaysController, { envelope: typed, responses: 'strip' })
    expect((await read('/ways/returned')).type).toBe('application/vnd.own+json')
  })

  it('chooses the fields of a union once, before it wraps the data in the envelope', async () => {
    const schema = {
      type: 'object',
      properties: { id: {}, name: {} },
      anyOf: [
        { minProperties: 4, properties: { note: {} } },
        { required: ['other'], properties: { other: {} } },
      ],
    }
    @Controller('union')
    class UnionController {
      @ApiResponseDoc({ status: 200, schema }) @Get() get() {
        return { ...ROW, note: 'kept' }
      }
    }
    await start(UnionController, { envelope: own, responses: 'strip', contract: 'off' })
    expect(JSON.parse((await read('/union')).text)).toEqual(wrapped({ ...ADA, note: 'kept' }))
  })

  it('filters a body that a handler sends with res.json()', async () => {
    @Controller('sent')
    class SentController {
      @Ok() @Get('whole') whole(_req: Req, res: Res) {
        res.json({ ok: true, note: '', result: ROW, passwordHash: 'secret' })
      }
      @Ok() @Get('data') data(_req: Req, res: Res) {
        res.json(ROW)
      }
      @Envelope(false) @Ok() @Get('bare') bare(_req: Req, res: Res) {
        res.json(ROW)
      }
    }
    await start(SentController, { envelope: own, responses: 'strip', contract: 'off' })
    expect(JSON.parse((await read('/sent/whole')).text)).toEqual(wrapped(ADA, ''))
    expect(JSON.parse((await read('/sent/data')).text)).toEqual({})
    expect(JSON.parse((await read('/sent/bare')).text)).toEqual(ADA)
  })

  it('filters a body that a handler sends after this.ok() has thrown', async () => {
    const failing: EnvelopeFormat = {
      ...own,
      success() {
        throw new Error('No envelope for this data')
      },
    }
    @Controller('again')
    class AgainController extends BaseController {
      @Ok() @Get() again(_req: Req, res: Res) {
        try {
          return this.ok(res, 'OK', ROW)
        } catch {
          return res.json({ ok: true, note: 'OK', result: ROW })
        }
      }
    }
    await start(AgainController, { envelope: failing, responses: 'strip', contract: 'off' })
    expect(JSON.parse((await read('/again')).text)).toEqual(wrapped(ADA))
  })

  it('sends an envelope without data, and does not filter data of an undescribed status', async () => {
    @Controller('others')
    class OthersController extends BaseController {
      @Ok() @Get('none') none(_req: Req, res: Res) {
        return this.ok(res, 'Nothing')
      }
      @Ok() @Get('created') created(_req: Req, res: Res) {
        return this.ok(res, 'Made', ROW, 201)
      }
    }
    await start(OthersController, { envelope: own, responses: 'strip', contract: 'off' })
    expect(JSON.parse((await read('/others/none')).text)).toEqual({ ok: true, note: 'Nothing' })
    const { status, text } = await read('/others/created')
    expect([status, JSON.parse(text)]).toEqual([201, wrapped(ROW, 'Made')])
  })

  it('does not change error responses in the error format of the application', async () => {
    const Missing = z.object({ reason: z.string() })
    @Controller('missing')
    class MissingController {
      @ApiResponseDoc({ status: 404, schema: Missing }) @Ok() @Get() get() {
        throw new NotFoundError('gone')
      }
    }
    const format = ({ message }: { message: string }) => ({ fault: message, hint: 1 })
    const error = { format, schema: { type: 'object' } }
    const fixed = { responses: 'strip', contract: 'off' } as const
    const bodies = [{ envelope: { ...own, error } }, { envelope: false, errors: error }]
    for (const options of bodies) {
      await start(MissingController, { ...fixed, ...options })
      const { status, text } = await read('/missing')
      expect([status, JSON.parse(text)]).toEqual([404, { fault: 'gone', hint: 1 }])
      await app?.close()
    }
  })
})

describe("the option responses: 'check'", () => {
  it.each(CASES)(
    'refuses fields that the schema does not describe: /ways/%s, envelope: %s',
    async (way, _, envelope) => {
      await start(WaysController, { envelope, responses: 'check' })
      const { status, text } = await read(`/ways/${way}`)
      expect([status, text]).toEqual([500, expect.not.stringMatching(/secret|password|Ada/)])
      expect(errors).toHaveLength(1)
      expect(errors[0]?.err.message).toMatch(/^WaysController\.\w+: .*passwordHash/)
      expect(seen).toEqual([])
    },
  )

  it.each(ENVELOPES)(
    'accepts data that the schema describes, envelope: %s',
    async (_, envelope, expected) => {
      @Controller('right')
      class RightController extends BaseController {
        @Ok(z.array(User)) @Get() list() {
          return [ADA]
        }
        @Ok() @Get('ok') okay(_req: Req, res: Res) {
          return this.ok(res, 'Found', ADA)
        }
      }
      await start(RightController, { envelope, responses: { fields: 'check' } })
      expect(JSON.parse((await read('/right')).text)).toEqual(expected([ADA]))
      expect(JSON.parse((await read('/right/ok')).text)).toEqual(expected(ADA, 'Found'))
    },
  )

  it.each([
    ['an additional field', { ok: true, note: '', more: 1 }, /does not describe at 'more'/],
    ['a missing field', { ok: true }, /does not match its schema at 'note'/],
  ])('refuses an envelope that does not match its own schema: %s', async (_, body, text) => {
    await start(WaysController, {
      envelope: { ...typed, success: () => body },
      responses: 'check',
      controllers: [RightController],
    })
    expect((await read('/right')).status).toBe(500)
    expect(errors).toHaveLength(1)
    expect(errors[0]?.err.message).toMatch(text)
  })

  @Controller('right')
  class RightController {
    @Ok() @Get() get() {
      return ADA
    }
  }

  it('sends the 500 error in the error format of the envelope', async () => {
    const format = ({ status }: { status: number }) => ({ fault: status })
    const error = { format, schema: { type: 'object', properties: { fault: {} } } }
    await start(WaysController, { envelope: { ...typed, error }, responses: 'check' })
    const { status, text, type } = await read('/ways/returned')
    expect([status, JSON.parse(text)]).toEqual([500, { fault: 500 }])
    expect(type).toMatch(/^application\/json/)
  })
})

describe('an envelope', () => {
  it('causes a boot error if its `schema` function throws for a reference', async () => {
    const schema: EnvelopeFormat['schema'] = ({ $ref }) => {
      if ($ref !== undefined) throw new Error('no references here')
      return { type: 'object' }
    }
    const create = start(WaysController, { envelope: { ...own, schema }, responses: 'strip' })
    await expect(create).rejects.toThrow(/Its `schema` threw: Error: no references here/)
  })
})

import { Readable } from 'node:stream'
import { setImmediate as turn } from 'node:timers/promises'
import {
  ApiResponseDoc,
  App,
  Auth,
  BaseController,
  Cache,
  Controller,
  csv,
  Envelope,
  fileResponse,
  Get,
  getTenantId,
  type Interceptor,
  JsonLines,
  type Plugin,
  Produces,
  type Representation,
  type Request,
  type Response,
  ResponseFields,
  Tenant,
  Use,
} from 'blazon'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'

/** What code of the application has run for which tenant. */
let seen: [string, string | undefined][] = []
const see = (place: string) => void seen.push([place, getTenantId()])

/** More than the buffers of a connection take, so that the end is asked for when the client has read the beginning. */
const PARTS = 40
const PART = 'x'.repeat(32 * 1024)

async function* parts(place: string) {
  try {
    for (let at = 0; at < PARTS; at++) {
      see(place)
      yield PART
      await turn()
    }
  } finally {
    see(`${place}: finally`)
  }
}

class Shown {
  get field() {
    see('getter')
    return 1
  }
  toJSON() {
    see('toJSON')
    return { inner: { toJSON: () => see('inner toJSON') ?? 1 }, field: this.field }
  }
}

const sync: Representation = {
  type: 'text/plain',
  serialize(data) {
    see('serialize')
    return JSON.stringify(data)
  },
}
const inParts: Representation = {
  type: 'text/plain',
  async *serialize(data: AsyncIterable<{ id: string }>) {
    for await (const { id } of data) {
      see('part of serialize')
      yield id
    }
  },
}
const asStream: Representation = {
  type: 'text/plain',
  serialize: () => Readable.from(parts('stream of serialize')),
}

const interceptor: Interceptor = {
  async intercept(_req, next) {
    const value = await next()
    see('interceptor')
    await turn()
    see('interceptor, later')
    return value
  },
}

@Auth()
@Tenant()
@Controller('sent')
class SentController extends BaseController {
  @Get('data')
  data() {
    return new Shown()
  }

  @Get('later')
  async later() {
    await turn()
    return new Shown()
  }

  @ApiResponseDoc({ status: 200, schema: z.object({ field: z.int() }) })
  @ResponseFields('strip')
  @Get('stripped')
  async stripped() {
    return new Shown()
  }

  @Get('ok')
  async okay(_req: Request, res: Response) {
    return this.ok(res, 'Shown', new Shown())
  }

  @Envelope({
    success(data) {
      see('envelope')
      return data
    },
    schema: (data) => data,
  })
  @Get('envelope')
  async envelope() {
    return new Shown()
  }

  @Produces(sync)
  @Get('represented')
  async represented() {
    return new Shown()
  }

  @Produces(csv())
  @Get('rows')
  rows() {
    return rows()
  }

  @Produces(inParts)
  @Get('rows-in-parts')
  async rowsInParts() {
    return rows()
  }

  @Produces(asStream)
  @Get('represented-stream')
  representedStream() {
    return 1
  }

  @Get('generator')
  generator() {
    return Readable.from(parts('Readable.from'))
  }

  @Get('readable')
  async readable() {
    let left = PARTS
    return new Readable({
      read() {
        see('read')
        this.push(left-- > 0 ? PART : null)
      },
      destroy(_error, done) {
        see('destroy')
        done(null)
      },
    })
  }

  @Get('web')
  web() {
    return webStream()
  }

  @Get('response')
  async response() {
    return new globalThis.Response(webStream())
  }

  @Get('file')
  file() {
    return fileResponse(Readable.from(parts('file')), { name: 'a.txt' })
  }

  @JsonLines(z.object({ id: z.string() }))
  @Get('lines')
  async *lines() {
    for await (const { id } of rows()) yield { id, toJSON: () => see('item toJSON') ?? { id } }
  }

  @Use(interceptor)
  @Get('intercepted')
  intercepted() {
    return new Shown()
  }

  @Cache({
    ttl: 60,
    key() {
      see('key of the cache')
      return 'a'
    },
  })
  @Get('cached')
  cached() {
    return new Shown()
  }

  @Get('listened')
  async listened(_req: Request, res: Response) {
    res.on('finish', () => see('finish')).on('close', () => see('close'))
    return new Shown()
  }

  @Get('thrown')
  async thrown() {
    throw Object.assign(new Error('broken'), { isThrown: true })
  }
}

async function* rows() {
  try {
    for (let at = 0; at < PARTS; at++) {
      see('row')
      yield { id: PART }
      await turn()
    }
  } finally {
    see('row: finally')
  }
}

function webStream(): ReadableStream<Uint8Array> {
  let left = PARTS
  const bytes = Buffer.from(PART)
  return new ReadableStream({
    pull(controller) {
      see('pull')
      if (left-- > 0) controller.enqueue(bytes)
      else controller.close()
    },
  })
}

const plugin: Plugin = {
  name: 'watcher',
  steps: () => ({
    aroundHandler: (next) => async (req, res) => {
      const value = await next(req, res)
      see('aroundHandler')
      return value
    },
    onResponse: () => see('onResponse'),
    onEnd: () => see('onEnd'),
  }),
  explain: () => void see('explain'),
}

let app: App
let origin: string
beforeAll(async () => {
  app = await App.create({
    controllers: [SentController],
    plugins: [plugin],
    auth: {
      guard: {
        canActivate(req: Request) {
          req.user = { id: 'ann' }
          return true
        },
      },
    },
    tenant: { authorize: async () => true },
    errors: {
      format({ status }) {
        see('format of errors')
        return { status }
      },
      schema: { type: 'object' },
    },
    onError: () => see('onError'),
    logger: { info() {}, warn() {}, error: () => see('logger') },
    middlewares: [
      (error: unknown, _req: Request, _res: Response, next: (error: unknown) => void) => {
        see('error middleware')
        next(error)
      },
    ],
  })
  const { port } = await app.listen(0, '127.0.0.1')
  origin = `http://127.0.0.1:${port}`
})
afterAll(() => app.close())

/** Two tenants take turns, over connections that they share. */
async function get(path: string, tenant: string): Promise<number> {
  const response = await fetch(`${origin}/sent/${path}`, { headers: { 'x-tenant-id': tenant } })
  await response.arrayBuffer()
  return response.status
}

describe('application code that runs while a response is sent, with tenant.authorize', () => {
  it.each([
    ['data', ['toJSON', 'getter', 'inner toJSON']],
    ['later', ['toJSON', 'getter', 'inner toJSON']],
    ['stripped', ['toJSON', 'getter']],
    ['ok', ['toJSON', 'getter', 'inner toJSON']],
    ['envelope', ['envelope', 'toJSON', 'getter', 'inner toJSON']],
    ['represented', ['serialize', 'toJSON', 'getter', 'inner toJSON']],
    ['rows', ['row', 'row: finally']],
    ['rows-in-parts', ['row', 'part of serialize', 'row: finally']],
    ['represented-stream', ['stream of serialize', 'stream of serialize: finally']],
    ['generator', ['Readable.from', 'Readable.from: finally']],
    ['readable', ['read', 'destroy']],
    ['web', ['pull']],
    ['response', ['pull']],
    ['file', ['file', 'file: finally']],
    ['lines', ['row', 'item toJSON', 'row: finally']],
    ['intercepted', ['interceptor', 'interceptor, later', 'toJSON']],
    ['cached', ['key of the cache', 'toJSON']],
    ['listened', ['toJSON', 'finish', 'close']],
    ['thrown', ['explain', 'error middleware', 'onError', 'logger', 'format of errors']],
  ])('runs in the context of the tenant: /%s', async (path, places) => {
    for (const tenant of ['acme', 'globex']) {
      seen = []
      await get(path, tenant)
      const expected = expect.arrayContaining([...places, 'onResponse', 'onEnd'])
      await expect.poll(() => seen.map(([place]) => place)).toEqual(expected)
      const wrong = seen.filter(([, id]) => id !== tenant).map(([place, id]) => `${place} ${id}`)
      expect([...new Set(wrong)]).toEqual([])
    }
  })

  it.each(['rows', 'generator', 'lines'])(
    'runs in the context of the tenant even if the client disconnects: /%s',
    async (path) => {
      seen = []
      const leaving = new AbortController()
      const headers = { 'x-tenant-id': 'acme' }
      const response = await fetch(`${origin}/sent/${path}`, { headers, signal: leaving.signal })
      await response.body?.getReader().read()
      leaving.abort()
      await expect.poll(() => seen.some(([place]) => place.endsWith('finally'))).toBe(true)
      expect([...new Set(seen.map(([, tenant]) => tenant))]).toEqual(['acme'])
    },
  )
})

import {
  ApiResponseDoc,
  App,
  Controller,
  csv,
  Get,
  HttpCode,
  Produces,
  type Representation,
} from 'blazon'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'

const Row = z.object({ id: z.int() })
let rows: () => AsyncGenerator<object>
let finals = 0

const parts: Representation = {
  type: 'text/plain',
  async *serialize(data: AsyncIterable<object>) {
    for await (const each of data) yield Buffer.from(`${JSON.stringify(each)};`)
  },
}

/** Fills the buffers between server and client with few rows. */
const wide: Representation = {
  type: 'text/wide',
  async *serialize(data: AsyncIterable<object>) {
    for await (const each of data) yield Buffer.alloc(100_000, JSON.stringify(each))
  },
}

/** Strings are joined before they are sent, but bytes are not. */
const mixed: Representation = {
  type: 'text/mixed',
  async *serialize() {
    yield 'a'
    yield Buffer.from('b')
    yield 'c'
  },
}

@Controller('rows')
class RowsController {
  @Produces(csv(), parts, wide, mixed)
  @ApiResponseDoc({ status: 200, schema: z.array(Row) })
  @Get()
  list() {
    return rows()
  }

  @Produces(csv({ columns: ['id'] }))
  @ApiResponseDoc({ status: 200, schema: z.array(Row) })
  @Get('columns')
  listColumns() {
    return rows()
  }
}

@Controller('others')
class OthersController {
  @Produces(csv())
  @ApiResponseDoc({ status: 200, schema: z.array(Row) })
  @HttpCode(202)
  @Get()
  list() {
    return rows()
  }
}

async function serve() {
  const errors: unknown[] = []
  const logger = { info() {}, warn() {}, error: (facts: object) => void errors.push(facts) }
  const app = await App.create({
    controllers: [RowsController, OthersController],
    logger,
    responses: 'strip',
  })
  const { port } = await app.listen(0, '127.0.0.1')
  onTestFinished(() => app.close())
  finals = 0
  const get = (accept: string, signal?: AbortSignal, path = '/rows') =>
    fetch(`http://127.0.0.1:${port}${path}`, { headers: { accept }, signal: signal ?? null })
  return { get, errors }
}

function until(count: number, error?: Error) {
  rows = async function* () {
    try {
      for (let id = 1; id <= count; id++) yield { id, secret: 'x' }
      if (error !== undefined) throw error
    } finally {
      finals++
    }
  }
}

describe('@Produces with an asynchronous iterable of rows', () => {
  it.each([
    ['text/csv', 'id\r\n1\r\n2\r\n'],
    ['text/plain', '{"id":1};{"id":2};'],
    ['text/mixed', 'abc'],
  ])('sends rows one by one, with the described fields: %s', async (accept, body) => {
    until(2)
    const response = await (await serve()).get(accept)
    expect([response.status, await response.text()]).toEqual([200, body])
    expect(response.headers.get('content-type')).toContain(accept)
  })

  it('sends the names of given columns even if there are no rows', async () => {
    until(0)
    const response = await (await serve()).get('text/csv', undefined, '/rows/columns')
    expect([response.status, await response.text()]).toEqual([200, 'id\r\n'])
  })

  it('sends rows unchanged if no schema describes the status', async () => {
    until(1)
    const response = await (await serve()).get('text/csv', undefined, '/others')
    expect([response.status, await response.text()]).toEqual([202, 'id,secret\r\n1,x\r\n'])
  })

  it('results in an error response if the first row fails, and in a truncated response if a later row does', async () => {
    const { get, errors } = await serve()
    until(0, new Error('broken'))
    expect((await get('text/csv')).status).toBe(500)
    until(1, new Error('broken'))
    await expect(get('text/csv').then((response) => response.text())).rejects.toThrow()
    expect([errors.length, finals]).toEqual([2, 2])
  })

  it('reads only as many rows as the client needs, and ends when the client disconnects', async () => {
    until(Number.POSITIVE_INFINITY)
    const { get, errors } = await serve()
    const leaving = new AbortController()
    const response = await get('text/wide', leaving.signal)
    await response.body?.getReader().read()
    leaving.abort()
    await expect.poll(() => finals).toBe(1)
    expect(errors).toEqual([])
  })
})

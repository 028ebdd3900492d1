import {
  ConflictError,
  Controller,
  ForbiddenError,
  Get,
  Head,
  NotFoundError,
  Patch,
  Post,
  Put,
  type Request,
  type Response,
  Sse,
  Version,
  Versioned,
} from 'blazon'
import { TestApp } from 'blazon/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { bootProblems, bootWarnings } from '../../support.js'

/** Returns the current row. */
let current: () => unknown
/** Called by the handlers that write. */
let write: () => void

@Versioned({ by: 'rev' })
@Controller('rows')
class Rows {
  @Get('own')
  own(_req: Request, res: Response) {
    res.set('ETag', '"own"')
    return { rev: 1 }
  }

  @Head('size')
  size() {
    return { rev: 3 }
  }

  @Get(':id')
  read() {
    return current()
  }

  @Put(':id')
  put() {
    return {}
  }

  @Versioned({ by: 'rev', current: () => current() })
  @Patch(':id')
  patch() {
    write()
    return {}
  }
}

let app: TestApp
beforeEach(async () => {
  current = () => ({ rev: 1 })
  write = () => {}
  app = await TestApp.create({ controllers: [Rows], contract: 'off' })
})
afterEach(() => app.close())

const patch = (match: string) => app.request().patch('/rows/7').set('If-Match', match)

describe('the current row of a route with @Versioned()', () => {
  it.each<[string, number, () => unknown]>([
    ['null', 404, () => null],
    ['undefined', 404, () => undefined],
    ['a 404 error', 404, () => Promise.reject(new NotFoundError())],
    ['another HTTP error', 403, () => Promise.reject(new ForbiddenError())],
  ])('determines the status if `current` returns %s: %d', async (_, status, read) => {
    current = read
    await patch('"1"').expect(status)
  })

  it('can have a bigint as its version', async () => {
    current = () => ({ rev: 7n })
    await patch('"7"').expect(200)
    const { headers } = await patch('"6"').expect(412)
    expect(headers['etag']).toBe('"7"')
  })

  it.each([
    ['no version', {}],
    ['an invalid date', { rev: new Date(Number.NaN) }],
  ])('results in a 500 response if it has %s, even when it is read', async (_, row) => {
    current = () => row
    await app.request().get('/rows/7').expect(500)
    const errors = app.logs.map(({ facts }) => String(facts['err']))
    expect(errors.join()).toContain("the field 'rev' of its row is not a valid version")
  })

  it('is not read again if the handler throws an error other than 412', async () => {
    let reads = 0
    current = () => ({ rev: ++reads })
    write = () => {
      throw new ConflictError('Locked')
    }
    const { body } = await patch('"1"').expect(409)
    expect([body.message, reads]).toEqual(['Locked', 1])
  })
})

describe('the ETag of a route with @Versioned()', () => {
  it('is the ETag of the handler if the handler has set it', async () => {
    expect((await app.request().get('/rows/own').expect(200)).headers['etag']).toBe('"own"')
  })

  it('is also sent by a route for HEAD', async () => {
    expect((await app.request().head('/rows/size').expect(200)).headers['etag']).toBe('"3"')
  })
})

it('a 404 response of @Versioned() is documented only for routes that cannot create the row', async () => {
  class Documented {
    @Get(':id') read() {}
    @Versioned({ creates: true }) @Put(':id') put() {}
    @Versioned({ creates: true }) @Patch(':id') patch() {}
  }
  Controller('documented')(Documented as never, undefined as never)
  await using other = await TestApp.create({ controllers: [Documented] })
  const path = other.document.paths['/documented/{id}']
  const isDocumented = [path?.put, path?.patch].map((each) => '404' in (each?.responses ?? {}))
  expect(isDocumented).toEqual([false, true])
})

describe('the boot of an application with @Versioned()', () => {
  it('refuses a source in another controller, a source that streams, and streams of a POST route', async () => {
    class Reads {
      @Get('a') read() {}
    }
    Controller('wrong')(Reads as never, undefined as never)
    class Writes {
      @Versioned() @Put('a') elsewhere() {}
      @Get('b') @Sse(z.string()) async *events() {
        yield 'a'
      }
      @Versioned() @Put('b') streamed() {}
      @Versioned() @Post('c') @Sse(z.string()) async *stream() {
        yield 'a'
      }
    }
    Controller('wrong')(Writes as never, undefined as never)
    const problems = await bootProblems({ controllers: [Reads, Writes] })
    const found = problems.filter(({ code }) => code === 'E_VERSIONED_ROUTE')
    expect(found.map(({ subject }) => subject.split(' ')[0])).toEqual(
      ['elsewhere', 'streamed', 'stream'].map((name) => `Writes.${name}`),
    )
  })

  it('accepts a source that belongs to every version of the API', async () => {
    class Notes {
      @Get(':id') read() {
        return { version: 1 }
      }
      @Version('2') @Versioned() @Put(':id') put() {}
    }
    Controller('notes')(Notes as never, undefined as never)
    const versions = { by: { header: 'X-Version' } } as const
    expect(await bootWarnings({ controllers: [Notes], versions })).toEqual([])
  })
})

import { Controller, csv, Get, Produces } from 'blazon'
import { TestApp } from 'blazon/testing'
import { describe, expect, it } from 'vitest'
import { bootProblems } from '../../support.js'
import { errors, handler, start } from './values-app.js'

const NO_JSON: [string, () => unknown, RegExp][] = [
  ['a Map', () => new Map([['secret', 1]]), /a Map.*Object\.fromEntries/],
  ['a Set', () => new Set(['secret']), /a Set.*\[\.\.\.set\]/],
  ['a WeakMap', () => new WeakMap(), /a WeakMap/],
  ['a WeakSet', () => new WeakSet(), /a WeakSet/],
  ['a generator', () => numbers(), /a generator.*Readable\.from/],
  ['an async generator', () => laterNumbers(), /an async generator/],
  ['a function', () => () => 'secret', /a function.*call it/],
  ['a symbol', () => Symbol('secret'), /a symbol/],
  ['a BigInt', () => 1n, /a BigInt.*String\(value\)/],
  ['an Error', () => new Error('secret'), /an Error.*throw it/],
  ['a regular expression', () => /secret/, /a regular expression/],
  ['a URLSearchParams', () => new URLSearchParams('a=1'), /Object\.fromEntries\(params\)/],
  ['a Headers', () => new Headers({ a: '1' }), /a Headers/],
  ['a FormData', () => new FormData(), /a FormData/],
  ['an iterator of a Map', () => new Map([['a', 1]]).values(), /an iterator.*\[\.\.\.iterator\]/],
  ['an iterator of an array', () => [1].values(), /an iterator/],
  ['an iterator of URLSearchParams', () => new URLSearchParams('a=1').keys(), /an iterator/],
  ['an iterator of a custom class', () => new Numbers(), /an iterator/],
  ['an async iterator of a custom class', () => new LaterNumbers(), /an async iterator/],
  ['a Request', () => new Request('http://a.example'), /a Request/],
  ['a WeakRef', () => new WeakRef({}), /a WeakRef/],
]

class Numbers implements IterableIterator<number> {
  next() {
    return { done: false, value: 1 }
  }
  [Symbol.iterator]() {
    return this
  }
}

class LaterNumbers implements AsyncIterableIterator<number> {
  async next() {
    return { done: false, value: 1 }
  }
  [Symbol.asyncIterator]() {
    return this
  }
}

function* numbers() {
  yield 1
}

async function* laterNumbers() {
  yield 1
}

/** Values that are sent as they are when they are returned alone. */
const ALONE: [string, () => unknown][] = [
  ['a Promise', () => Promise.resolve('secret')],
  ['a Blob', () => new Blob(['secret'])],
  ['a Response', () => new Response('secret')],
  ['a ReadableStream', () => new Blob(['secret']).stream()],
  ['an ArrayBuffer', () => new ArrayBuffer(8)],
  ['a SharedArrayBuffer', () => new SharedArrayBuffer(8)],
  ['a DataView', () => new DataView(new ArrayBuffer(8))],
]

/** An error, a function and a symbol inside of data are left out, or show their fields. */
const INSIDE = [...NO_JSON, ...ALONE]
  .map(([name, make]) => [name, make] as const)
  .filter(([name]) => !/Error|function|symbol/.test(name))

describe('data with an unusual part', () => {
  const settings = { plain: 0, etag: 0, spaces: 2 } as const

  it.each(INSIDE)(
    'results in a 500 response and a logged error with the path to %s',
    async (_, value) => {
      for (const [name, setting] of Object.entries(settings)) {
        const app = await start({
          etag: name === 'etag',
          plugins: [
            {
              name: 'spaces',
              setup: ({ express }) => {
                if (name === 'spaces') express.set('json spaces', setting)
              },
            },
          ],
        })
        handler.make = () => ({ id: 1, list: [{ part: value() }] })
        errors.length = 0
        for (const path of ['/values', '/values/raw', '/values/later', '/values/sent']) {
          expect((await app.fetch(path)).status).toBe(500)
        }
        expect(errors).toHaveLength(4)
        for (const { err } of errors)
          expect(err.message).toMatch(/ at '(data\.)?list\.0\.part'|BigInt/)
        // `Buffer.from()` accepts no view.
        if (value() instanceof DataView) expect(errors[0]?.err.message).toContain('view.byteOffset')
      }
    },
  )

  it('is sent if the part is an empty object, an instance without fields or an Error', async () => {
    class Empty {
      readonly #own = 1
      own() {
        return this.#own
      }
    }
    const app = await start()
    handler.make = () => ({ a: {}, b: new Empty(), text: '{}', e: new Error('shown by nobody') })
    const response = await app.fetch('/values')
    expect(await response.json()).toMatchObject({ data: { a: {}, b: {}, text: '{}', e: {} } })
  })

  it('is sent if one object is in it twice, but not inside itself', async () => {
    const app = await start({ etag: true })
    const shared = { a: [{}] }
    handler.make = () => ({ first: shared, second: [shared, shared], empty: {} })
    const response = await app.fetch('/values')
    expect(await response.json()).toMatchObject({
      data: { first: shared, second: [shared, shared] },
    })
  })

  it('is sent if the Express setting "json replacer" can convert it', async () => {
    const replacer = (_: string, value: unknown) =>
      value instanceof Map ? Object.fromEntries(value) : value
    const app = await start({
      plugins: [
        { name: 'replacer', setup: ({ express }) => void express.set('json replacer', replacer) },
      ],
    })
    handler.make = () => ({ map: new Map([['a', 1]]), none: {} })
    expect(await (await app.fetch('/values')).json()).toMatchObject({
      data: { map: { a: 1 }, none: {} },
    })
  })
})

describe('the JSON check of returned values', () => {
  it.each(NO_JSON)(
    'results in a 500 response and a logged remedy for %s',
    async (_, value, remedy) => {
      const app = await start()
      handler.make = value
      for (const path of ['/values', '/values/raw']) {
        const response = await app.fetch(path)
        expect(response.status).toBe(500)
        expect(await response.json()).toMatchObject({ message: 'Internal Server Error' })
      }
      expect(errors[0]?.err.message).toMatch(/^ValuesController\.plain returned/)
      expect(errors[0]?.err.message).toMatch(remedy)
    },
  )

  it('accepts a Map that has a toJSON method', async () => {
    const app = await start()
    handler.make = () => Object.assign(new Map(), { toJSON: () => ({ own: true }) })
    expect(await (await app.fetch('/values')).json()).toMatchObject({ data: { own: true } })
  })

  it('accepts an instance of a custom class', async () => {
    class Point {
      readonly x = 1
    }
    const app = await start()
    handler.make = () => new Point()
    expect(await (await app.fetch('/values')).json()).toMatchObject({ data: { x: 1 } })
  })

  it('refuses a handler that is a generator function at boot', async () => {
    @Controller('numbers')
    class NumbersController {
      @Get() *list() {
        yield 1
      }
      @Get('later') async *later() {
        yield 1
      }
    }
    const problems = await bootProblems({ controllers: [NumbersController], swagger: false })
    expect(problems.map(({ code }) => code)).toEqual(['E_HANDLER_GENERATOR', 'E_HANDLER_GENERATOR'])
    const remedies = problems.map(({ remedy }) => remedy.split(' @Sse(Item)')[0])
    expect(remedies).toEqual(['Write `async *` before its name, and add', 'Add'])
  })

  it('suggests a handler that returns the rows if a generator function has @Produces', async () => {
    const rows = async function* () {
      yield { id: 1 }
    }
    @Controller('tables')
    class Wrong {
      @Produces(csv()) @Get() async *export() {
        yield { id: 1 }
      }
    }
    @Controller('tables')
    class Right {
      @Produces(csv()) @Get() export() {
        return rows()
      }
    }
    const [problem] = await bootProblems({ controllers: [Wrong], swagger: false })
    expect(problem).toMatchObject({ code: 'E_HANDLER_GENERATOR', subject: 'Wrong.export' })
    expect(problem?.remedy).toContain('`export() { return this.rows() }`')
    expect(problem?.remedy).not.toContain('@Sse')
    await using app = await TestApp.create({ controllers: [Right], logger: false })
    expect((await app.request().get('/tables').expect(200)).text).toBe('id\r\n1\r\n')
  })
})

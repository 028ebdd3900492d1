import { Controller, Get } from 'blazon'
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
]

function* numbers() {
  yield 1
}

async function* laterNumbers() {
  yield 1
}

describe('a returned value that has no form in JSON', () => {
  it.each(NO_JSON)('is a 500 whose remedy is in the log: %s', async (_, value, remedy) => {
    const app = await start()
    handler.make = value
    for (const path of ['/values', '/values/raw']) {
      const response = await app.fetch(path)
      expect(response.status).toBe(500)
      expect(await response.json()).toMatchObject({ message: 'Internal Server Error' })
    }
    expect(errors[0]?.err.message).toMatch(/^ValuesController\.plain returned/)
    expect(errors[0]?.err.message).toMatch(remedy)
  })

  it('is data if it has a toJSON', async () => {
    const app = await start()
    handler.make = () => Object.assign(new Map(), { toJSON: () => ({ own: true }) })
    expect(await (await app.fetch('/values')).json()).toMatchObject({ data: { own: true } })
  })

  it('is no instance of another class', async () => {
    class Point {
      readonly x = 1
    }
    const app = await start()
    handler.make = () => new Point()
    expect(await (await app.fetch('/values')).json()).toMatchObject({ data: { x: 1 } })
  })

  it('is refused at boot if the handler is a generator function', async () => {
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
    for (const { remedy } of problems) expect(remedy).toContain('@Sse(Item)')
  })
})

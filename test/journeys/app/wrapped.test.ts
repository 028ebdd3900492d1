import {
  ApiOperation,
  ApiResponseDoc,
  type AppOptions,
  Controller,
  Get,
  type Request,
  type Response,
} from 'blazon'
import { TestApp } from 'blazon/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { bootWarnings } from '../../support.js'

type Method = (this: unknown, ...args: unknown[]) => unknown

/** A foreign decorator that hides the parameters of the handler, in both dialects. */
function wrapping(wrap: (method: Method) => Method) {
  return (...args: unknown[]): never => {
    const [value, , descriptor] = args as [Method, object, PropertyDescriptor | undefined]
    if (descriptor === undefined) return wrap(value) as never
    descriptor.value = wrap(descriptor.value)
    return undefined as never
  }
}

const Rest = wrapping(
  (method) =>
    function rest(this: unknown, ...args) {
      return method.apply(this, args)
    },
)
const Arguments = wrapping(
  (method) =>
    function all(this: unknown) {
      // biome-ignore lint/complexity/noArguments: older decorators use it
      return Reflect.apply(method, this, [...arguments])
    },
)
const Async = wrapping(
  (method) =>
    async function later(this: unknown, ...args) {
      return await method.apply(this, args)
    },
)

const Later = ApiResponseDoc({
  status: 200,
  description: 'Later',
  raw: true,
  schema: z.literal('later'),
})

@Controller('wrapped')
class WrappedController {
  @Later @Get('rest') @Rest rest(_req: Request, res: Response) {
    setTimeout(() => res.json('later'), 5)
  }
  @Later @Get('arguments') @Arguments arguments(_req: Request, res: Response) {
    setTimeout(() => res.json('later'), 5)
  }
  @Get('next') @Rest next(_req: Request, _res: Response, next: (error: Error) => void) {
    next(new Error('passed on'))
  }
  @Get('value') @Rest value() {
    return 'value'
  }
  @Get('nothing') @Async async nothing() {}
  @Later @Get('default') withDefault(_req: Request, res: Response = undefined as never) {
    setTimeout(() => res.json('later'), 5)
  }
}

let app: TestApp
const options: AppOptions = { controllers: [WrappedController], logger: false }
beforeAll(async () => {
  app = await TestApp.create({ ...options, contract: 'throw' })
})
afterAll(() => app.close())

describe('a handler whose parameters are hidden by a decorator', () => {
  it.each([
    ['rest', 200],
    ['arguments', 200],
    ['default', 200],
    ['value', 200],
    ['next', 500],
    ['nothing', 204],
  ])('receives all arguments, so /wrapped/%s has the status %i', async (path, status) => {
    const answer = await app.request().get(`/wrapped/${path}`)
    expect(answer.status).toBe(status)
    if (status === 200) expect(['later', 'value']).toContain(answer.body.data ?? answer.body)
  })

  it('results in a 204 response if an arrow function replaces it and returns nothing', async () => {
    @Controller('arrows')
    class Arrows {
      @Get('none') none(): unknown {
        return []
      }

      @Get('one') one(): unknown {
        return []
      }
    }
    const value = (_req?: unknown) => {}
    Object.defineProperty(Arrows.prototype, 'none', { value: () => undefined })
    Object.defineProperty(Arrows.prototype, 'one', { value })
    await using app = await TestApp.create({ controllers: [Arrows], contract: 'off' })
    for (const path of ['none', 'one']) {
      expect((await app.request().get(`/arrows/${path}`)).status).toBe(204)
    }
  })
})

it('a handler with a computed name results in a 204 response if it returns nothing', async () => {
  const [first, second] = [Symbol('first'), Symbol('second')]
  @Controller('computed')
  class Computed {
    @ApiOperation({ summary: 'Texts with ]] = "', description: "Texts with ]] = '" })
    @Get('a')
    [first]() {}

    @ApiResponseDoc({ status: 202 }) @Get('b') async [second](_req: Request) {}

    @Get('c') ['third']() {
      return 'third'
    }
  }
  // Boot detects that the handler cannot send a response itself.
  const warnings = await bootWarnings({ controllers: [Computed] })
  expect(warnings.map(({ code }) => code)).toEqual(['W_STATUS_UNREACHABLE'])
  await using app = await TestApp.create({ controllers: [Computed], contract: 'off' })
  for (const [name, status] of Object.entries({ a: 204, b: 204, c: 200 })) {
    expect((await app.request().get(`/computed/${name}`)).status).toBe(status)
  }
})

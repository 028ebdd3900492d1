import { Auth, Can, Controller, compose, defineOption, Get, HttpCode, Post, Public } from 'blazon'
import { TestApp } from 'blazon/testing'
import { describe, expect, it } from 'vitest'
import { bootProblems } from '../../support.js'

const Topic = defineOption<string>('Topic')
const ForAccountants = compose(Auth(), Can('payments:read'), Topic('accounting'))
const Accepted = compose(Public(), HttpCode(202))

describe('the function compose()', () => {
  it('applies its decorators to a class', async () => {
    @ForAccountants
    @Controller('payments')
    class Payments {
      @Get()
      list() {
        return []
      }
    }
    await using app = await TestApp.create({
      controllers: [Payments],
      auth: { guard: { canActivate: () => true } },
    })
    await app.request().get('/payments').expect(403)
    await app
      .as({ permissions: ['payments:read'] })
      .request()
      .get('/payments')
      .expect(200)
  })

  it('applies its decorators to a method', async () => {
    @Auth()
    @Controller('payments')
    class Payments {
      @Accepted
      @Post()
      pay() {
        return 'accepted'
      }
    }
    await using app = await TestApp.create({
      controllers: [Payments],
      auth: { guard: { canActivate: () => false } },
    })
    await app.request().post('/payments').expect(202)
  })

  it('accepts a decorator that compose() has returned', async () => {
    const Both = compose(Accepted, Topic('payments'))
    @Controller('payments')
    class Payments {
      @Both
      @Post()
      pay() {
        return 'accepted'
      }
    }
    let found: string | undefined
    const read = {
      name: 'read',
      steps: (route: { option: (option: typeof Topic) => string | undefined }) => {
        found = route.option(Topic)
        return null
      },
    }
    await using app = await TestApp.create({ controllers: [Payments], plugins: [read] })
    await app.request().post('/payments').expect(202)
    expect(found).toBe('payments')
  })

  it('causes the same conflict errors as separate decorators', async () => {
    @Controller('payments')
    class Payments {
      @Accepted
      @HttpCode(201)
      @Post()
      pay() {}
    }
    const [problem] = await bootProblems({ controllers: [Payments] })
    expect(problem).toMatchObject({ code: 'E_DECORATOR_CONFLICT', subject: 'Payments.pay' })
  })

  it('applies its decorators in order, with the first one outermost', async () => {
    const Step = defineOption<string>('Step', { merge: 'list' })
    const Inner = compose(Step('b'), Step('c'))
    const All = compose(Step('a'), Inner, Step('d'))
    @All
    @Step('e')
    @Controller('payments')
    class Payments {
      @Step('f')
      @All
      @Step('g')
      @Post()
      pay() {}
    }
    let found: readonly string[] | undefined
    const read = {
      name: 'read',
      steps: (route: { option: (option: typeof Step) => readonly string[] | undefined }) => {
        found = route.option(Step)
        return null
      },
    }
    await using _ = await TestApp.create({ controllers: [Payments], plugins: [read] })
    expect(found?.join('')).toBe('abcdefabcdg')
  })

  it('makes the first decorator the outermost if decorators replace the method', () => {
    const calls: string[] = []
    const traced =
      (name: string) =>
      (...args: unknown[]): unknown => {
        const [value, , descriptor] = args as [() => unknown, unknown, PropertyDescriptor]
        const original = descriptor === undefined ? value : descriptor.value
        function replacement(this: unknown) {
          calls.push(name)
          return original.call(this)
        }
        return descriptor === undefined ? replacement : { ...descriptor, value: replacement }
      }
    const Both = compose(traced('first'), traced('second'))
    class Payments {
      @Both
      pay() {
        return 'paid'
      }
    }
    expect(new Payments().pay()).toBe('paid')
    expect(calls).toEqual(['first', 'second'])
  })

  it('keeps the replacement of the method that each decorator returns', async () => {
    const calls: string[] = []
    /** Replaces the method, in both dialects. */
    const Traced = (...args: unknown[]): unknown => {
      const [value, context, descriptor] = args as [() => unknown, unknown, PropertyDescriptor]
      const original = descriptor === undefined ? value : descriptor.value
      function traced(this: unknown) {
        calls.push('traced')
        return original.call(this)
      }
      void context
      return descriptor === undefined ? traced : { ...descriptor, value: traced }
    }
    const Twice = compose(Traced, Traced)
    class Payments {
      @Twice
      pay() {
        return 'paid'
      }
    }
    expect(new Payments().pay()).toBe('paid')
    expect(calls).toEqual(['traced', 'traced'])
  })

  it('refuses a value that is not a decorator', () => {
    expect(() => compose(Auth(), undefined as never)).toThrow('argument 1 is not a decorator')
  })
})
